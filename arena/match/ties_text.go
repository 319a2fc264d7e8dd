package match

// MarshalText writes the rule's name.
func (t Ties) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a rule's name.
func (t *Ties) UnmarshalText(text []byte) error {
	var err error
	*t, err = ParseTies(string(text))
	return err
}
