package env

import (
	"fmt"
	"strconv"
	"strings"
)

// Colour is 0xRRGGBB.
type Colour uint32

// Colours that people with any of the usual forms of colour blindness can tell apart
// (after Okabe and Ito).
var seatPaint = [8]Colour{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0xf0e442, 0x4a4f57}

// SeatColour is the colour of a seat that plays for itself.
func SeatColour(seat int) Colour { return seatPaint[seat%len(seatPaint)] }

// Hue is a colour and shades of it, for the members of a team.
type Hue [3]Colour

// The hues of teams. Blue can be told from both of the others.
var (
	Blue       = Hue{0x0072b2, 0x56b4e9, 0x00446b}
	Vermillion = Hue{0xd55e00, 0xe69f00, 0x803900}
	Green      = Hue{0x627f0a, 0xd0f25c, 0x6ff0ba}
)

// Bright reports whether dark text can be read on the colour, else light text can.
func (c Colour) Bright() bool { return 3*(c>>16&0xff)+6*(c>>8&0xff)+c&0xff > 1280 }

// MarshalText writes the colour as web pages do: #rrggbb.
func (c Colour) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "#%06x", uint32(c)), nil }

// UnmarshalText reads what MarshalText wrote.
func (c *Colour) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(string(text), "#"), 16, 24)
	if err != nil || len(text) != 7 || text[0] != '#' {
		return fmt.Errorf("the colour is %q, want one such as #0072b2", text)
	}
	*c = Colour(n)
	return nil
}
