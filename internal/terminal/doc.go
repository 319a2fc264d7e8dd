// Package terminal reads a terminal key by key.
package terminal
