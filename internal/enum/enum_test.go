package enum

import (
	"encoding/json"
	"strings"
	"testing"
)

type colour uint8

var colours = []string{"red", "blue"}

func (c *colour) UnmarshalText(text []byte) error { return Read("colour", colours, text, c) }

func TestNames(t *testing.T) {
	var c colour
	if err := json.Unmarshal([]byte(`"blue"`), &c); err != nil || c != 1 || Name(colours, c) != "blue" {
		t.Errorf("blue is %d (error %v)", c, err)
	}
	if got := Name(colours, colour(2)); got != "enum.colour(?)" {
		t.Errorf("there is a colour %q", got)
	}
	if err := json.Unmarshal([]byte(`"green"`), &c); err == nil || c != 1 || !strings.Contains(err.Error(), `colour is "green", want one of red, blue`) {
		t.Errorf("green is %d (error %v)", c, err)
	}
}
