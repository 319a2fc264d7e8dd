package web

// Listing is the games that a page offers, and what there is to say of all of them.
type Listing struct {
	Kind  string   `json:"kind"` // games, dataset or tournament
	Title string   `json:"title"`
	Env   string   `json:"env,omitzero"`
	Notes []string `json:"notes,omitzero"`
	Games []Entry  `json:"games"`

	// Ratings and Pairs are a tournament's, as its results have them.
	Ratings any `json:"ratings,omitzero"`
	Pairs   any `json:"pairs,omitzero"`
}

// Entry is one game of a listing.
type Entry struct {
	Game    int      `json:"game"`
	Agents  []string `json:"agents,omitzero"` // by seat
	Steps   int      `json:"steps"`
	Result  string   `json:"result,omitzero"`
	Winners []int    `json:"winners,omitzero"` // seats
	Seed    uint64   `json:"seed,omitzero"`
	Note    string   `json:"note,omitzero"`
}
