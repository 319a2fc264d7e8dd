package tournament

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/disk"
)

// Tournament is a configuration that has been checked. It is safe for
// concurrent use.
type Tournament struct {
	Game     env.Game
	Config   Config
	schedule *schedule
	files    map[string]string // see ledger.Header
}

// New makes a tournament of a game, or says what is wrong with it.
func New(game env.Game, c Config) (*Tournament, error) {
	spec := game.Spec()
	if err := c.Validate(spec); err != nil {
		return nil, err
	}
	t := &Tournament{Game: game, Config: c, files: map[string]string{}}
	t.schedule = newSchedule(&t.Config, spec)
	for _, name := range t.schedule.entrants {
		if match.AtClient(name) {
			continue
		}
		p, err := match.NewPlayer(game, name)
		if err != nil {
			return nil, err
		}
		err = p.Close()
		if path := p.Traits().File; err == nil && path != "" {
			content, unread := os.ReadFile(path)
			t.files[name], err = fmt.Sprintf("%x", sha256.Sum256(content)), unread
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Games is how many games the tournament has.
func (t *Tournament) Games() int { return t.schedule.games() }

// Options are settings that do not change the results. The zero value plays
// on all cores without a log.
type Options struct {
	Log string // the file that keeps finished games, also those of earlier runs; "": none

	// Program names the build. A log that another build began is refused, since its
	// agents may have played differently.
	Program string

	// Part, unless nil, lists the games to play; other runs play the others. There is
	// no report then.
	Part *ledger.Part
	// Take lists logs of parts, whose games are copied into this log and not played again.
	Take []string

	// Client has one line per finished game of agents that are called "client:NAME", which the client plays. As long
	// as some are missing, Report.Asked lists them and no other games are played.
	Client io.Reader

	// Wait is match.Rules.Wait.
	Wait time.Duration

	// Watch, if not nil, begins to watch a game that is played. It returns what gets the game's moments, and what
	// is called if the game cannot be scored.
	Watch func() (moment match.Watch, void func() error)

	// Progress, if not nil, is called at the start and whenever games have been
	// written, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is how many games of a run are finished.
type Progress struct {
	ledger.Progress
	Test *Test // nil without Config.SPRT
}

// logFormat is the version of the log's form.
const logFormat = "pommego-tournament/1"

// Report is what a finished tournament shows.
type Report struct {
	Results *Results
	Timing  *Timing
	Records []Record // all games, in the order of the schedule; a game without Agents cannot be scored

	Asked []Record // if there are any, the other fields are empty; see Options.Client
}

// Run plays all games that are not in the log yet and returns a report about all
// games; nil for a part.
func (t *Tournament) Run(ctx context.Context, o Options) (*Report, error) {
	r := run{t: t, o: o, records: make([]Record, t.Games()), test: t.schedule.sequential()}
	err := r.open(disk.OS)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("tournament: %w", err), r.Close())
	}
	var asked []Record
	if !r.test.take(r.records) {
		if asked = r.asked(); len(asked) == 0 {
			err = r.Play(ctx, t.Game, ledger.Workers(t.schedule.entrants), r.play)
		}
		if err == nil && 10*r.LeftOut > r.played+r.LeftOut {
			err = fmt.Errorf("%d of %d games: %w", r.LeftOut, r.played+r.LeftOut, r.voided)
		}
	}
	err = errors.Join(err, r.Close())
	if err == nil && len(asked) > 0 {
		return &Report{Asked: asked}, nil
	}
	if err != nil || o.Part != nil {
		return nil, err
	}
	return t.report(r.records, o.Program)
}

// run is one run of a tournament. The ledger's lock guards the fields after it.
type run struct {
	t *Tournament
	o Options
	ledger.Ledger[Record]

	records []Record    // by game; without Agents it is not played yet, or cannot be scored
	voided  error       // why the last game that was left out cannot be scored
	played  int         // how many games there are, with those of earlier runs
	test    *sequential // nil without a test
}

// open reads the log, and adds the games of parts and of the client.
func (r *run) open(d disk.FS) (err error) {
	r.Ledger = ledger.Ledger[Record]{Check: r.check, Kept: r.kept, Name: r.name, Void: r.leaveOut}
	if r.First, r.Last, err = r.o.Part.Span(len(r.records)); err != nil {
		return err
	}
	if r.o.Progress != nil {
		r.Progress = func(p ledger.Progress) { r.o.Progress(Progress{p, r.test.result()}) }
	}
	h := ledger.NewHeader(logFormat, r.o.Program, r.t.Game.Spec(), r.t.Config)
	h.Files = r.t.files
	err = ledger.Open(&r.Ledger, h, d, r.o.Log, r.o.Take)
	if err == nil && r.o.Client != nil && slices.ContainsFunc(r.t.schedule.entrants, match.AtClient) {
		err = r.takeClient()
	}
	return err
}

func (r *run) check(record *Record) (int, error) {
	if total := r.t.Games(); record.Game >= total {
		return 0, fmt.Errorf("%w: the log has game %d, and this run asks for %d games; want as many as before or more",
			ledger.ErrOther, record.Game, total)
	}
	return record.Game, r.t.schedule.check(record)
}

func (r *run) kept(record *Record) (decided bool) {
	record.forget()
	r.records[record.Game] = *record
	r.played++
	return r.test.take(r.records)
}

func (r *run) name(game int) string {
	f := r.t.schedule.game(game)
	return fmt.Sprintf("game %d (seed %d, %q)", game, f.Seed.Value, f.Agents)
}

// leaveOut leaves out a game that cannot be scored. It returns an error if there are too many: more than two and more
// than a tenth, or one in a sequential test, which takes games in their order.
func (r *run) leaveOut(why error) error {
	r.voided = why
	if played := r.played + r.LeftOut; r.test != nil || r.LeftOut > 2 && 10*r.LeftOut > played {
		return fmt.Errorf("%d of %d games: %w", r.LeftOut, played, why)
	}
	return nil
}

// takeClient adds the games that the client has played, all or none.
func (r *run) takeClient() error {
	var played []Record
	lines := json.NewDecoder(r.o.Client)
	for line := 1; ; line++ {
		var text json.RawMessage
		err := lines.Decode(&text)
		if errors.Is(err, io.EOF) {
			break
		}
		var record Record
		if err == nil {
			record, err = r.readPlayed(text)
		}
		if err != nil {
			return fmt.Errorf("the client's games: line %d: %w", line, err)
		}
		played = append(played, record)
	}
	for i := range played {
		if r.Has(played[i].Game) {
			continue
		}
		if _, err := r.Keep(&played[i]); err != nil {
			return err
		}
	}
	return nil
}

// readPlayed reads a game that the client has played. It returns an error if the game is impossible.
func (r *run) readPlayed(text []byte) (Record, error) {
	var played struct {
		Record
		Game *int `json:"game"` // replaces Record's, to find that it is absent
	}
	if err := json.Unmarshal(text, &played); err != nil {
		return played.Record, err
	}
	s, games := r.t.schedule, r.t.Games()
	switch {
	case played.Game == nil:
		return played.Record, fmt.Errorf("it has no key game, want the number of the game, 0 to %d", games-1)
	case *played.Game < 0 || *played.Game >= games:
		return played.Record, fmt.Errorf("game is %d, want 0 to %d", *played.Game, games-1)
	case played.Result == nil:
		return played.Record, errors.New("it has no result, want won, lost or tied for each seat")
	case played.Steps < 1 || played.Steps > s.spec.MaxSteps:
		return played.Record, fmt.Errorf("steps is %d, want 1 to %d", played.Steps, s.spec.MaxSteps)
	}
	played.Record.Game = *played.Game
	if err := s.check(&played.Record); err != nil {
		return played.Record, err
	}
	if !slices.ContainsFunc(played.Agents, match.AtClient) {
		return played.Record, fmt.Errorf("game %d is between %q, want a game with an agent of the client", *played.Game,
			played.Agents)
	}
	return played.Record, s.checkEnding(&played.Record, r.t.Game.Endings())
}

// checkEnding returns an error if the game cannot end this way.
func (s *schedule) checkEnding(r *Record, endings []env.Ending) error {
	for _, list := range [][]int{r.Moves, r.Late, r.Failed, r.Gone} {
		for _, n := range list {
			if n < 0 || n > math.MaxInt32 {
				return fmt.Errorf("it has a count of %d, want 0 to %d", n, math.MaxInt32)
			}
		}
	}
	for _, team := range s.spec.Teams {
		for _, seat := range team {
			result, outcome, first := r.Result[seat], r.Outcome[seat], r.Result[team[0]]
			if result != first {
				return fmt.Errorf("seats %d and %d are a team with the results %q and %q, want one", team[0], seat, first, result)
			}
			if !slices.ContainsFunc(endings, func(e env.Ending) bool { return e.Result == result && e.Outcome == outcome }) {
				return fmt.Errorf("seat %d has the result %q and the outcome %v: no game of %s ends so", seat, result, outcome,
					s.spec.ID)
			}
		}
	}
	return nil
}

// asked lists the games that the client still has to play, without outcomes.
func (r *run) asked() (games []Record) {
	for i := r.First; i <= r.Last; i++ {
		asked := Record{Played: r.t.schedule.game(i).Played}
		if !r.Has(i) && slices.ContainsFunc(asked.Agents, match.AtClient) {
			asked.take(&match.Report{Seats: make([]match.SeatReport, len(asked.Agents))})
			games = append(games, asked)
		}
	}
	return games
}
