package main

import (
	"errors"
	"os"
	"runtime/pprof"
)

// profileUsage is the help of the flag --cpuprofile.
const profileUsage = "write a profile of the processor's time to this file, for go tool pprof"

// profiled runs a command and, if path is not empty, writes where its time went.
func profiled(path string, run func() error) error {
	if path == "" {
		return run()
	}
	file, err := os.Create(path)
	if err != nil {
		return usagef("--cpuprofile: %v", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(err, file.Close())
	}
	err = run()
	pprof.StopCPUProfile()
	return errors.Join(err, file.Close())
}
