package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}

// build tells one build from another: the version and the beginning of the
// program's checksum, or the version alone where the program cannot be read.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return version()
	}
	program, err := os.Open(path)
	if err != nil {
		return version()
	}
	defer program.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, program); err != nil {
		return version()
	}
	return fmt.Sprintf("%s-%x", version(), sum.Sum(nil)[:6])
}
