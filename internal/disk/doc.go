// Package disk writes files that are complete or not there, and logs that can be continued.
//
//	err := disk.WriteFile(disk.OS, "table.csv", func(w io.Writer) error {
//		_, err := w.Write(table)
//		return err
//	})
//
// A file is written under a temporary name, synced to the disk, and only then given its own name, which is synced as
// well. Whatever happens, be it an error, a full disk, a killed process or a power cut: under its own name there is the
// whole file, or what was there before, or nothing.
//
// Links are not followed, because a folder may come from anyone: a file left under a
// temporary name is removed and made anew, and a log or lock that is a link is refused. With
// [FS.Within] nothing that is written lies outside a folder; [OpenIn] reads in the same way.
//
// Everything that changes the disk goes through an [FS], so that tests can make any
// operation fail, or stop everything there: see disktest.
//
// A [Log] is a file that grows record by record; every record that was written before a crash is found again.
//
// A [Lock] keeps other processes from working in the same place, but not on Windows and Solaris (lock_other.go).
package disk
