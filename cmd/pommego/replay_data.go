package main

import (
	"os"
	"path/filepath"
	"strings"

	"pommego/arena/dataset"
)

// inDataSet returns the folder of the data set that path is, or is a file of; "" if there is none.
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
