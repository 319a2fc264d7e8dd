package match_test

func playLines(string) {}
