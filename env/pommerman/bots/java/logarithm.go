package java

import "math"

// logarithm is the natural logarithm of a whole number. Libraries differ in its last
// digits; this one is the same on all machines, as it is made of sums, products and
// quotients that are rounded one by one.
func logarithm(n int) float64 {
	if n < len(logarithms) {
		return logarithms[n]
	}
	return series(n)
}

var logarithms = func() (all [1024]float64) {
	for n := 1; n < len(all); n++ {
		all[n] = series(n)
	}
	return all
}()

// series is the logarithm of a number that is split into a power of two and a factor
// near 1, by the series of the area hyperbolic tangent.
func series(n int) float64 {
	factor, power := math.Frexp(float64(n))
	if factor < math.Sqrt2/2 {
		factor, power = 2*factor, power-1
	}
	x := (factor - 1) / (factor + 1)
	square := float64(x * x)
	sum := 0.0
	for odd := 39; odd >= 1; odd -= 2 {
		sum = float64(sum*square) + 1/float64(odd)
	}
	return float64(2*float64(x*sum)) + float64(float64(power)*math.Ln2)
}
