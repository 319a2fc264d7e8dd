"""The module `pommerman`, where its folder is on the path: see `pommego.pommerman.alias`."""

import sys

from pommego.pommerman import alias

del sys.modules[__name__]  # what is installed takes this module's place
alias.install()
