package picture

// InTexts reports whether texts have characters for a sprite that is not a seat's.
func InTexts(sprite string) bool { return words[sprite].text != "" }
