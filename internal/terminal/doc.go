// Package terminal reads a terminal key by key, and fits pictures to its size.
package terminal
