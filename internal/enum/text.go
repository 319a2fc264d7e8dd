package enum

// Text is an enumeration that is written as a word: in JSON, in flags and in errors. N
// has the names of the enumeration and of its values:
//
//	type Shape = enum.Text[shapes]
//
//	const (
//		Cross Shape = iota
//		Square
//	)
//
//	type shapes struct{}
//
//	func (shapes) Names() (string, []string) { return "blast_shape", []string{"cross", "square"} }
type Text[N Named] uint8

// Named has the name of an enumeration, for errors, and the name of each of its values.
type Named interface {
	Names() (what string, names []string)
}

// Names lists the names of all values.
func (Text[N]) Names() []string {
	_, names := (*new(N)).Names()
	return names
}

// Known reports whether the value has a name.
func (v Text[N]) Known() bool { return int(v) < len(v.Names()) }

func (v Text[N]) String() string { return Name(v.Names(), v) }

// MarshalText writes the name.
func (v Text[N]) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Text[N]) UnmarshalText(text []byte) error {
	what, names := (*new(N)).Names()
	return Read(what, names, text, v)
}
