// Package disk writes files that are whole or not there, and logs that can be
// gone on with.
//
//	err := disk.WriteFile(disk.OS, "table.csv", func(w io.Writer) error {
//		_, err := w.Write(table)
//		return err
//	})
//
// A file is written under a temporary name, brought to the disk, and only then
// given its own name, which is brought to the disk as well. Whatever happens,
// be it an error, a full disk, a killed process or a power cut, whoever opens
// the file by its own name finds all of it, or what was there before, or nothing.
//
// All that changes anything on the disk goes through an [FS], so that tests can
// make any one operation fail, or have everything stop there: see disktest.
//
// A [Log] is a file that grows record by record; every record that was written
// before a crash is found again.
//
// A [Lock] keeps other processes from working in the same place.
package disk
