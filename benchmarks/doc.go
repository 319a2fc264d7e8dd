// Package benchmarks measures how fast games are stepped, beside what the
// machine could do at best: copying and clearing the same bytes in the same
// run.
//
// The machines it runs on are shared and noisy. So every figure is the median
// of several short rounds, given with the smallest and the largest, and the
// rounds of all measurements are interleaved: figures of one run can be
// compared with each other, figures of different runs hardly.
//
// The command is `pommego bench`; the names of the measurements are fixed,
// because scripts rely on them.
package benchmarks
