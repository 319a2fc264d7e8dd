package main

import (
	"os"
	"path/filepath"
	"strings"

	"pommego/arena/dataset"
)

// inDataSet finds the data set that path is or lies in; "" if there is none.
func inDataSet(path string) string {
	folder := path
	if strings.HasSuffix(path, ".parquet") {
		folder = filepath.Dir(filepath.Dir(path))
	}
	if _, err := os.Stat(filepath.Join(folder, dataset.ManifestName)); err != nil {
		return ""
	}
	return folder
}
