"""The module `pommerman`, where its folder is on the path: see `pommego.pommerman.alias`."""

import sys

from pommego.pommerman import alias

del sys.modules[__name__]  # the real package replaces this module
alias.install()
