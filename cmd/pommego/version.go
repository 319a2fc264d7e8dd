package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"pommego/bridge"
	"pommego/env"
)

// release is the version in the sources: the one place where it is written. The
// Python package takes its own from the same file when it is built.
//
//go:embed version.txt
var release string

// built describes the build of this program.
type built struct {
	Version  string `json:"version"`
	Release  string `json:"release"`
	Commit   string `json:"commit,omitempty"` // "": the sources were in no checkout
	Time     string `json:"commit_time,omitempty"`
	Modified bool   `json:"modified"` // the checkout had changes that are in no commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Protocol int    `json:"protocol"`
	Seeds    int    `json:"seed_version"`
}

// version names the sources of the program: the release and, unless they are
// the commit of its tag, the commit, such as
// "0.1.0+e2bb53f4c6ea" or "0.1.0+e2bb53f4c6ea.modified". In a build from an sdist
// no commit is known, and it is the release.
func version() string { return buildOf(debug.ReadBuildInfo()).Version }

func buildOf(info *debug.BuildInfo, ok bool) built {
	b := built{
		Release: strings.TrimSpace(release), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Protocol: bridge.Version, Seeds: env.SeedVersion,
	}
	b.Version = b.Release
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if b.Commit == "" || info.Main.Version == "v"+b.Release && !b.Modified {
		return b
	}
	b.Version += "+" + b.Commit[:min(12, len(b.Commit))]
	if b.Modified {
		b.Version += ".modified"
	}
	return b
}

// build identifies a build: the version and the first digits of the program's
// checksum, or the version alone if the program's file cannot be read.
func build() string {
	path, _ := os.Executable() // without one, nothing can be read
	program, err := os.ReadFile(path)
	if err != nil {
		return version()
	}
	sum := sha256.Sum256(program)
	return fmt.Sprintf("%s-%x", version(), sum[:6])
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the program's version",
		Long: `Print the program's version: the release, and after a + the commit it was built from,
unless that is the release's own; "modified" says that the sources had other changes.
Servers say this version to their clients, and data sets name it. What decides whether
programs understand each other is the protocol's version, and whether they deal the same
games from a seed the version of seeds: --json prints both.`,
		Example: `  pommego version
  pommego version --json`,
		Args: exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := buildOf(debug.ReadBuildInfo())
			return say(cmd.OutOrStdout(), asJSON, b, "pommego "+b.Version)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print the version, commit, platform and versions of protocol and seeds as one JSON object")
	return cmd
}
