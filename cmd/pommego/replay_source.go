package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"pommego/arena/dataset"
	"pommego/internal/disk"
)

// inDataSet returns the folder of the data set that path is, or is a file of; "" if there is none.
func inDataSet(path string) string {
	folder := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() && strings.HasSuffix(path, ".parquet") {
		folder = filepath.Dir(filepath.Dir(path))
	}
	if _, err := os.Stat(filepath.Join(folder, dataset.ManifestName)); err != nil {
		return ""
	}
	return folder
}

// tournamentAt returns the log of the tournament that path is the folder of, or the log; "" if there is none. It
// reads nothing of a pipe, which can be read only once.
func tournamentAt(path string) string {
	first := errors.New("the first line")
	for _, log := range []string{filepath.Join(path, tournamentLog), path} {
		info, err := os.Stat(log)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := disk.ReadLog(log, func([]byte) error { return first }); errors.Is(err, first) {
			return log
		}
	}
	return ""
}
