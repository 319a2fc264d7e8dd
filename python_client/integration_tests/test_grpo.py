"""examples/grpo.py: TRL trains a tiny random model, whose tokenizer and chat template are made here."""

from __future__ import annotations

import importlib.util
import inspect
import json
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("trl")

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PhiConfig, PhiForCausalLM, PreTrainedTokenizerFast
from transformers.utils import get_json_schema

from pommego.llm import Environment

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "grpo.py"

TEMPLATE = """
{%- if tools %}{% for tool in tools %}[tool]{{ tool | tojson }}[end]{% endfor %}{% endif %}
{%- for m in messages %}
{%- if m.role == 'assistant' %}[assistant]{% generation %}{{ m.content }}
{%- for call in m.tool_calls or [] %}<call>{{ call.function | tojson }}</call>{% endfor %}[end]
{%- endgeneration %}
{%- else %}[{{ m.role }}]{{ m.content }}[end]{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}[assistant]{% endif %}"""
PARSED = {
    "defaults": {"role": "assistant"},
    "start_anchor": "[assistant]",
    "fields": {
        "tool_calls": {
            "open": "<call>",
            "close_pattern": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"\[end\]", "content": "text"},
    },
}
CALLS = [
    {"name": "move", "arguments": {"moves": "up, right"}},
    {"name": "move", "arguments": {"moves": "bomb"}},
    {"name": "order", "arguments": {"order": "hide", "ticks": 12}},
    {"name": "order", "arguments": {"order": "hunt"}},
    {"name": "say", "arguments": {"message": "2"}},
]


@pytest.fixture(scope="module")
def model(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of random weights that says little else than calls, each one token."""
    folder = tmp_path_factory.mktemp("model")
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    raw.train_from_iterator([Environment(detail="short").reset(seed=0)], trainer)
    text = raw.get_vocab_size()
    raw.add_special_tokens(["[end]", "[assistant]", "[user]", "[tool]"])
    raw.add_tokens([AddedToken(f"<call>{json.dumps(call)}</call>", normalized=False) for call in CALLS])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="[end]", pad_token="[end]")
    tokenizer.chat_template, tokenizer.response_template = TEMPLATE, PARSED
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = PhiConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=8192,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    made = PhiForCausalLM(config)
    with torch.no_grad():
        made.lm_head.bias[:text] = -12.0
        made.lm_head.bias[
            [tokenizer.convert_tokens_to_ids(f"[{w}]") for w in ("assistant", "user", "tool")]
        ] = -12.0
        made.lm_head.bias[tokenizer.eos_token_id] = 1.0
    made.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def grpo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("grpo", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_example(grpo: ModuleType, model: Path, tmp_path: Path) -> None:
    """The model plays by tools, whose failures are few, and is changed by what the games pay."""
    out = tmp_path / "run"
    options = [
        "--model",
        str(model),
        "--out",
        str(out),
        "--group",
        "4",
        "--tokens",
        "3000",
        "--rate",
        "0.003",
    ]
    options += ["--opponent", "random", "--ticks", "100"]
    trainer = grpo.main([*options, "--steps", "3"])
    logs = [line for line in trainer.state.log_history if "tools/call_frequency" in line]
    assert len(logs) == 3
    assert all(line["tools/call_frequency"] > 1 and line["tools/failure_frequency"] == 0 for line in logs), (
        logs
    )
    assert any(line["rewards/Duel/std"] > 0 for line in logs), logs
    assert any(line["grad_norm"] > 0 for line in logs), logs
    before, after = (PhiForCausalLM.from_pretrained(at).state_dict() for at in (model, out))
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert len(trainer.state.log_history) < len(grpo.main([*options, "--steps", "4"]).state.log_history), (
        "it goes on"
    )
    assert sorted(at.name for at in out.glob("checkpoint-*")) == ["checkpoint-3", "checkpoint-4"]
    with pytest.raises(SystemExit):
        grpo.main(["--model", str(model), "--out", str(model)])


def test_a_tie_counts_as_a_loss(grpo: ModuleType) -> None:
    """The game pays 0 where both die in the same tick, as in a few of a hundred games of two that bomb."""
    env, paid = grpo.Duel(opponents="random", rules={"max_steps": 100}), None
    for seed in range(1000):
        env.reset(seed=seed)
        env.move("bomb")
        while env.move("stop, " * 20) != "The game is over.":
            pass
        if (paid := Environment.get_reward(env)) == 0:
            break
        assert env.get_reward() == paid
    assert (paid, env.get_reward()) == (0, -1)


def test_probing(model: Path) -> None:
    """TRL finds the tools and the reward, and their docstrings make schemas; a group starts equal."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    trainer = GRPOTrainer(
        model=str(model),
        args=GRPOConfig(
            output_dir="unused", num_generations=2, per_device_train_batch_size=2, use_cpu=True, bf16=False
        ),
        train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": "Play. "}], "seed": 3}]),
        environment_factory=partial(Environment, opponents="static"),
    )
    assert {tool.__name__ for tool in trainer.tools} == {"move", "order", "say"}
    assert trainer.reward_func_names == ["Environment"]
    for tool in trainer.tools:
        schema = get_json_schema(tool)["function"]
        assert schema["description"]
        parameters = schema["parameters"]["properties"]
        assert set(parameters) == set(inspect.signature(tool).parameters)
        assert all(one["description"] for one in parameters.values())
