package terminal

import "testing"

func TestCrop(t *testing.T) {
	const picture = "title\n\x1b[31mabc\x1b[0mdefgh\näöü\n"
	for _, tc := range []struct {
		reason     string
		picture    string
		cols, rows int
		want       string
	}{
		{"it fits", picture, 8, 4, picture},
		{"no size is known", picture, 0, 0, picture},
		{"too high", picture, 80, 3, "title\n(cut: needs 8x4, has 80x3)\n"},
		{"too wide: colours end", picture, 2, 24, "ti\n\x1b[31mab\x1b[0m\näö\n(c\n"},
		{"one row", picture, 80, 1, picture},
	} {
		if got := string(Crop([]byte(tc.picture), tc.cols, tc.rows)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
		}
	}
}
