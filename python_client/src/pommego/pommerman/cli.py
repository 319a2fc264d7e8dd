"""Where the original has the command line, which is not here."""

raise ImportError(
    "pommego.pommerman has no cli module: "
    "`pommego play` plays matches on screen or recorded, `pommego tournament` many of them"
)
