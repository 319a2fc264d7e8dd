"""Where the original has the network of matches, which is not here."""

raise ImportError(
    "pommego.pommerman has no network module: "
    "`pommego serve` serves games, and pommego.make_vec(address=...) joins one"
)
