package trace

import (
	"bytes"
	"fmt"
	"io"
	"runtime"

	"pommego/env/record"
)

// FileReport is the result of checking one file.
type FileReport struct {
	File   string `json:"file"`
	Format string `json:"format"`
	record.Counts
	Differences []record.Difference `json:"differences,omitempty"` // the first of them
	Error       string              `json:"error,omitempty"`       // why it could not be checked; set by VerifyAll
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

// Verify checks a file, and lists at most keep differences. With an error it returns the report of all
// records before the one with the error.
func (f Formats) Verify(path string, keep int) (FileReport, error) {
	r, err := Open(path)
	if err != nil {
		return FileReport{File: path}, err
	}
	defer r.Close()
	type outcome struct {
		number int
		report record.Report
		err    error
	}
	file := FileReport{File: r.name}
	var queue []chan outcome // the records that are being checked, in the order of the file
	for end := error(nil); ; {
		if end == nil && len(queue) < 2*runtime.GOMAXPROCS(0) { // the limit bounds the lines in memory
			var line []byte
			if line, end = r.Next(); end != nil {
				continue
			}
			format, err := f.Of(line)
			if err == nil && file.Format != "" && file.Format != format.Name {
				err = fmt.Errorf("format is %q, but the file began with %q", format.Name, file.Format)
			}
			if err != nil {
				end = r.fail(r.line, err)
				continue
			}
			file.Format = format.Name
			number, line, result := r.line, bytes.Clone(line), make(chan outcome, 1)
			go func() {
				report, err := checkOne(format, line)
				result <- outcome{number, report, err}
			}()
			queue = append(queue, result)
			continue
		}
		if len(queue) == 0 {
			if end == io.EOF {
				end = nil
			}
			return file, end
		}
		done := <-queue[0]
		if queue = queue[1:]; done.err != nil {
			return file, &Error{file.File, done.number, done.err}
		}
		file.add(done.report, done.number, keep)
	}
}

// checkOne turns a panic of a check into an error: a record is untrusted input,
// and its file and line help more than a stack.
func checkOne(f *record.Format, line []byte) (report record.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			report, err = record.Report{}, fmt.Errorf("the check panicked: %v", p)
		}
	}()
	return f.Check(line)
}
