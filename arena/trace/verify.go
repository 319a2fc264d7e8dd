package trace

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"sync"

	"pommego/env/record"
)

// Options are how a file is checked.
type Options struct {
	Workers int // goroutines that check records; 0: one a processor
	Keep    int // differences to list; 0: 10, below 0: none
}

// FileReport is what checking one file found.
type FileReport struct {
	File   string `json:"file"`
	Format string `json:"format"`
	record.Counts
	Differences []record.Difference `json:"differences,omitempty"` // the first of them
}

func (f *FileReport) add(r record.Report, line, keep int) {
	f.Counts.Add(r.Counts)
	for _, d := range r.Differences {
		if len(f.Differences) < keep {
			d.Game = line
			f.Differences = append(f.Differences, d)
		}
	}
}

// Verify checks a file. With an error comes the report of all records before
// the one that the error is about.
func (f Formats) Verify(path string, o Options) (FileReport, error) {
	r, err := Open(path)
	if err != nil {
		return FileReport{File: path}, err
	}
	defer r.Close()
	return f.verifyReader(r, o)
}

// job is one record on its way through a worker.
type job struct {
	number int
	line   []byte
	format *record.Format
	result chan outcome // holds one
}

type outcome struct {
	report record.Report
	err    error
}

func (f Formats) verifyReader(r *Reader, o Options) (FileReport, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Keep == 0 {
		o.Keep = 10
	}
	file := FileReport{File: r.name}
	work := make(chan *job)
	ordered := make(chan *job, 2*o.Workers) // bounds the lines in memory
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range o.Workers {
		wg.Go(func() {
			for j := range work {
				report, err := checkOne(j.format, j.line)
				j.result <- outcome{report, err}
			}
		})
	}
	var readErr error // written before ordered is closed
	wg.Go(func() {
		defer close(ordered)
		defer close(work)
		readErr = f.read(r, func(j *job) bool {
			select {
			case ordered <- j:
			case <-stop:
				return false
			}
			work <- j // a worker always comes free
			return true
		})
	})
	err := file.collect(ordered, o)
	close(stop)
	wg.Wait()
	if err == nil {
		err = readErr
	}
	return file, err
}

// collect adds up the results in the order of the file, up to the first error.
func (f *FileReport) collect(ordered <-chan *job, o Options) error {
	for j := range ordered {
		f.Format = j.format.Name
		done := <-j.result
		if done.err != nil {
			return &Error{f.File, j.number, done.err}
		}
		f.add(done.report, j.number, o.Keep)
	}
	return nil
}

func (f Formats) read(r *Reader, send func(*job) bool) error {
	var format *record.Format
	for {
		line, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := FormatOf(line)
		if err == nil && format == nil {
			format, err = f.find(name)
		}
		if err != nil {
			return r.fail(r.line, err)
		}
		if name != format.Name {
			return r.fail(r.line, fmt.Errorf("format is %q, but the file began with %q", name, format.Name))
		}
		if !send(&job{r.line, bytes.Clone(line), format, make(chan outcome, 1)}) {
			return nil
		}
	}
}

// checkOne turns a panic of a check into an error: a record comes from
// outside, and the file and the line it stands on are worth more than a stack.
func checkOne(f *record.Format, line []byte) (report record.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			report, err = record.Report{}, fmt.Errorf("the check panicked: %v", p)
		}
	}()
	return f.Check(line)
}
