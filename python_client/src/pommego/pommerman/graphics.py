"""Where the original has the window, which is not here."""

raise ImportError(
    "pommego.pommerman has no graphics module: "
    "render() draws in the terminal, `pommego replay --gif` and `--html` make videos"
)
