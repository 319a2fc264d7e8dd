"""Prints the folder that makes ``import pommerman`` mean this package.

PYTHONPATH=$(python -m pommego.pommerman) python a_program_for_the_original.py
"""

from pommego.pommerman import IMPORT_PATH

if __name__ == "__main__":
    print(IMPORT_PATH)
