package dataset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"

	"pommego/internal/disk"
)

// journal keeps the episodes of one file-to-be from the moment they are over. A
// record is the length of an episode (4 bytes), its CRC-32C (4), and the
// episode. Only a killed program leaves half a record, always the last.
type journal struct {
	path   string
	file   disk.File
	shape  shape
	at     map[int]place // of each episode, by the number of its game
	end    int64
	broken error // after this nothing more is written
	record []byte

	syncing sync.Mutex // guards what follows
	synced  time.Time
	closed  bool
}

// place is where an episode lies in the journal.
type place struct {
	offset int64
	size   int
	steps  int // of the episode
}

const recordHead = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openJournal opens a journal, or begins it, and finds out what it holds. What a
// killed program left half-written is cut off.
func openJournal(d disk.FS, path string, s shape) (*journal, error) {
	file, err := d.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j := &journal{path: path, file: file, shape: s, at: map[int]place{}, synced: time.Now()}
	if err := j.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return j, nil
}

func (j *journal) read() error {
	in := bufio.NewReaderSize(j.file, 1<<20)
	var e Episode
	for {
		body, err := readRecord(in, j.record)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		j.record = body
		if e.decode(body, j.shape) != nil {
			break // a record that is whole but no episode: nobody wrote it
		}
		if _, twice := j.at[e.Game]; !twice {
			j.at[e.Game] = place{j.end + recordHead, len(body), e.Steps}
		}
		j.end += int64(recordHead + len(body))
	}
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	_, err := j.file.Seek(j.end, io.SeekStart)
	return err
}

// readRecord reads the next record into buf. Its error is io.EOF at the end and
// at whatever is not a whole record.
func readRecord(in io.Reader, buf []byte) ([]byte, error) {
	var head [recordHead]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, ended(err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size > longestEpisode {
		return nil, io.EOF
	}
	if cap(buf) < int(size) {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err := io.ReadFull(in, buf); err != nil {
		return nil, ended(err)
	}
	if crc32.Checksum(buf, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, io.EOF
	}
	return buf, nil
}

func ended(err error) error {
	if err == io.ErrUnexpectedEOF {
		return io.EOF
	}
	return err
}

// syncEvery is how much time's work a power cut may cost. A killed process costs
// none.
const syncEvery = time.Second

// add appends an episode. After an error the journal takes no more.
func (j *journal) add(e *Episode) error {
	if j.broken != nil {
		return j.broken
	}
	j.record = e.appendTo(append(j.record[:0], make([]byte, recordHead)...))
	body := j.record[recordHead:]
	if len(body) > longestEpisode {
		return fmt.Errorf("game %d takes %d bytes, want at most %d", e.Game, len(body), longestEpisode)
	}
	binary.LittleEndian.PutUint32(j.record, uint32(len(body)))
	binary.LittleEndian.PutUint32(j.record[4:], crc32.Checksum(body, castagnoli))
	if _, err := j.file.Write(j.record); err != nil {
		j.broken = err
		return err
	}
	j.at[e.Game] = place{j.end + recordHead, len(body), e.Steps}
	j.end += int64(len(j.record))
	return nil
}

// syncNow brings the journal to the disk if that is due. It may be called while
// another goroutine adds.
func (j *journal) syncNow() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.closed || time.Since(j.synced) < syncEvery {
		return nil
	}
	err := j.file.Sync()
	j.synced = time.Now()
	return err
}

// has reports whether the journal holds a game.
func (j *journal) has(game int) bool {
	_, there := j.at[game]
	return there
}

// episode reads one that the journal holds.
func (j *journal) episode(game int) (*Episode, error) {
	at := j.at[game]
	body := make([]byte, at.size)
	if _, err := j.file.ReadAt(body, at.offset); err != nil {
		return nil, fmt.Errorf("%s: game %d: %w", j.path, game, err)
	}
	e := new(Episode)
	if err := e.decode(body, j.shape); err != nil || e.Game != game {
		return nil, fmt.Errorf("%s: game %d is damaged: it changed under the program that wrote it", j.path, game)
	}
	return e, nil
}

func (j *journal) Close() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	return j.file.Close()
}
