"""Makes `import pommerman` mean `pommego.pommerman`, where this folder is on the path."""

import sys

import pommego.pommerman  # noqa: F401, to load it

# Each loaded module gets a second name, so that its classes are the same under both.
for _name, _module in list(sys.modules.items()):
    if f"{_name}.".startswith("pommego.pommerman."):
        sys.modules[_name.removeprefix("pommego.")] = _module
