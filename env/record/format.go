package record

// Format is a form in which games are recorded, or decisions made in them. Every
// record names its format in the key "format".
type Format struct {
	Name string // such as "pommerman-trace/1"

	// Check replays one record and reports what differs from what it says. An
	// error means that the record cannot be read or replayed at all. It is called
	// from several goroutines and must not keep line.
	Check func(line []byte) (Report, error)

	// Open reads one record to be shown. It is nil where there is nothing to show.
	Open func(line []byte) (Replay, error)
}
