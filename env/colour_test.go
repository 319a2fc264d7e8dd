package env

import (
	"encoding/json"
	"math"
	"testing"
)

// eyes are how people see linear red, green and blue: those with all kinds of cones, and
// those who lack one (Machado, Oliveira and Fernandes 2009, severity 1).
var eyes = map[string][3][3]float64{
	"all cones": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no long":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no medium": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no short":  {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is a colour, as it is seen, in CIELAB, where distances are how different colours
// look.
func lab(c Colour, eye *[3][3]float64) (l, a, b float64) {
	var linear, seen [3]float64
	for i, shift := range []int{16, 8, 0} {
		if linear[i] = float64(c>>shift&0xff) / 255; linear[i] <= 0.04045 {
			linear[i] /= 12.92
		} else {
			linear[i] = math.Pow((linear[i]+0.055)/1.055, 2.4)
		}
	}
	for i, row := range eye {
		seen[i] = min(max(row[0]*linear[0]+row[1]*linear[1]+row[2]*linear[2], 0), 1)
	}
	f := func(red, green, blue, white float64) float64 {
		if t := (red*seen[0] + green*seen[1] + blue*seen[2]) / white; t > 0.008856 {
			return math.Cbrt(t)
		} else {
			return 7.787*t + 16.0/116
		}
	}
	x, y, z := f(0.4124, 0.3576, 0.1805, 0.95047), f(0.2126, 0.7152, 0.0722, 1), f(0.0193, 0.1192, 0.9505, 1.08883)
	return 116*y - 16, 500 * (x - y), 200 * (y - z)
}

// TestColoursCanBeToldApart: a distance of 2 is one that people just notice.
func TestColoursCanBeToldApart(t *testing.T) {
	const least = 15
	for name, all := range map[string][]Colour{
		"seats": seatPaint[:], "blue and vermillion": append(Blue[:], Vermillion[:]...),
		"blue and green": append(Blue[:], Green[:]...),
	} {
		for whose, eye := range eyes {
			for i, c := range all {
				for _, d := range all[:i] {
					l, a, b := lab(c, &eye)
					m, e, f := lab(d, &eye)
					if apart := math.Hypot(math.Hypot(l-m, a-e), b-f); apart < least {
						t.Errorf("%s: %06x and %06x are %.0f apart to eyes with %s, want at least %d", name, c, d, apart, whose, least)
					}
				}
			}
		}
	}
}

func TestColourText(t *testing.T) {
	text, err := json.Marshal(Stage{Colours: []Colour{0x0072b2, 0xffffff}})
	var back Stage
	if err != nil || json.Unmarshal(text, &back) != nil || len(back.Colours) != 2 || back.Colours[0] != 0x0072b2 ||
		back.Colours[1] != 0xffffff {
		t.Errorf("%s (%v) is read as %v", text, err, back.Colours)
	}
	for _, bad := range []string{"", "#12345", "#1234567", "0072b2", "#00gg00"} {
		if err := new(Colour).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is a colour", bad)
		}
	}
}
