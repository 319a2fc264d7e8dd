package trace

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

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

// Total is the result of checking several files.
type Total struct {
	OK bool `json:"ok"` // something was compared, and nothing differed
	record.Counts
	Errors int          `json:"errors"` // files that could not be checked
	Files  []FileReport `json:"files"`

	wrong int // mismatches in decisions
}

// RecordedName matches the names of files of recorded games in folders, and of states of one.
var RecordedName = regexp.MustCompile(`\.jsonl(\.gz)?$|^(game_state|\d{3,})\.json$`)

// VerifyAll checks files and all recorded games in folders. It writes one line per file with its first
// differences, and then how much was checked. It lists at most keep differences of all files.
func (f Formats) VerifyAll(out io.Writer, paths []string, keep int) (*Total, error) {
	files, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	t := &Total{}
	for _, path := range files {
		report, err := f.Verify(path, keep)
		keep -= len(report.Differences)
		if err != nil {
			report.Error = err.Error()
			t.Errors++
		}
		t.Counts.Add(report.Counts)
		if report.Decisions > 0 {
			t.wrong += report.Mismatches
		}
		t.Files = append(t.Files, report)
		report.print(out)
	}
	t.OK = t.Mismatches == 0 && t.Errors == 0 && t.Steps+t.Decisions > 0
	t.report(out)
	return t, nil
}

// Files lists the files that paths name, and of a folder the files and folders of states in it. Both may be links.
func Files(paths ...string) (files []string, err error) {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files = append(files, path) // reading it reports the error
			continue
		}
		before := len(files)
		err := filepath.WalkDir(path+"/", func(at string, d fs.DirEntry, err error) error {
			file := at
			if !RecordedName.MatchString(d.Name()) {
				return err
			} else if strings.HasSuffix(at, ".json") {
				at = filepath.Dir(at)
			}
			info, lost := os.Stat(file) // opening a link that leads nowhere gives the error
			if err == nil && (lost != nil || info.Mode().IsRegular()) && !slices.Contains(files[before:], at) {
				files = append(files, at)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: there is no *.jsonl, *.jsonl.gz, game_state.json or 000.json in this folder", path)
		}
	}
	return files, nil
}

// print writes the file's line and, below it, its differences.
func (f *FileReport) print(out io.Writer) {
	line := func(format string, values ...any) {
		// Results and names of files are untrusted: they get no line feed.
		fmt.Fprintln(out, strings.ReplaceAll(fmt.Sprintf(format, values...), "\n", `\n`))
	}
	if f.Error != "" {
		line("error: %s (after %s, %d mismatches)", f.Error, f.Checked(), f.Mismatches)
	} else {
		line("%s: %s, %d mismatches", f.File, f.Checked(), f.Mismatches)
	}
	for _, d := range f.Differences {
		if f.Decisions == 0 {
			line("  %s: %s", f.File, d)
		} else {
			line("  %s: decision %d, %s: expected %s, got %s", f.File, d.Game, d.Field, d.Expected, d.Got)
		}
	}
}

func (t *Total) report(out io.Writer) {
	if t.Errors > 0 {
		fmt.Fprintf(out, "%d of %d files could not be checked\n", t.Errors, len(t.Files))
	}
	if t.Decisions > 0 {
		fmt.Fprintf(out, "%d decisions, %d mismatches\n", t.Decisions, t.wrong)
	}
	fmt.Fprintf(out, "%d games, %d steps, %d mismatches\n", t.Games, t.Steps, t.Mismatches)
}
