package tournament

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pommego/arena/ledger"
	"pommego/internal/disk"
)

// logFormat is the version of the log's form.
const logFormat = "pommego-tournament/1"

// errTwice says that a game is in the log already.
var errTwice = errors.New("is there twice")

// takeNew takes over a game that was played elsewhere, for the log, unless it is known already.
func (r *run) takeNew(text []byte) error {
	err := r.takeOver(text)
	if errors.Is(err, errTwice) {
		return nil
	}
	r.taken = append(r.taken, slices.Clone(text))
	return err
}

func (r *run) takeOver(text []byte) error {
	var record Record
	if err := json.Unmarshal(text, &record); err != nil {
		return err
	}
	if total := r.t.Games(); record.Game >= total {
		return fmt.Errorf("%w: it has game %d, and %d games are asked for; there can be more games than before, not fewer",
			ledger.ErrOther, record.Game, total)
	}
	if err := r.t.schedule.check(&record); err != nil {
		return err
	}
	if r.records[record.Game].Agents != nil {
		return fmt.Errorf("game %d %w", record.Game, errTwice)
	}
	r.records[record.Game] = record
	r.resumed++
	return nil
}

// keep writes finished games to a log and waits until they are on the disk.
func keep[R any](log *disk.Log, records []R) error {
	for i := range records {
		if err := log.Add(&records[i]); err != nil {
			return err
		}
	}
	return log.Sync()
}
