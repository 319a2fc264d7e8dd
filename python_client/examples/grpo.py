"""Train a language model by GRPO with TRL: it plays by calling tools, and its reward is that of the game.

    python grpo.py --model Qwen/Qwen3-1.7B --out runs/grpo                 # on one GPU of 80 GB
    python grpo.py --model Qwen/Qwen3-0.6B --out runs/small --group 4 --tokens 4096

Each step plays a group of games that start equal, opponents included: the rows of the data set are
seeds, and the same seed is the same game. The games are short: the board of one-vs-one, positions in
few words, and a tie after ``--ticks``. A tie counts as a loss, as does a game that the model leaves or for
which ``--tokens`` are too few. An order such as "hunt" plays for many ticks: a game has 10 to 40 calls.

The same command continues a stopped run; the last two checkpoints are kept. Needs TRL (``pip install
'trl>=1.16' 'transformers>=5.13' datasets``) and a model whose chat template has tools.
"""

from __future__ import annotations

import argparse
import math
from functools import partial
from pathlib import Path

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from pommego.llm import Environment

PROMPT = (
    "Play this game to its end by calling the tools, and win. Call one tool at a time. Orders of ten "
    "ticks or more are a good choice where nothing is near.\n\n"
)


class Duel(Environment):
    """A game in which a tie counts as a loss, also the one in which both die in the same tick."""

    def get_reward(self) -> float:
        """Return 1 for a win, NaN for a game that failed, otherwise -1."""
        reward = super().get_reward()
        return reward if math.isnan(reward) else 1.0 if reward > 0 else -1.0


def main(arguments: list[str] | None = None) -> GRPOTrainer:
    """Train, and save the model in the folder `--out`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="a name on the hub, or a folder")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="a new folder, or a stopped run's"
    )
    parser.add_argument("--opponent", default="static", help="a built-in agent (default: %(default)s)")
    parser.add_argument("--ticks", type=int, default=200, help="of a game (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=500, help="each with a group (default: %(default)s)")
    parser.add_argument("--group", type=int, default=8, help="games that start equal (default: %(default)s)")
    parser.add_argument("--tokens", type=int, default=8192, help="of a game at most (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=1e-6, help="of learning (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first game (default: %(default)s)")
    args = parser.parse_args(arguments)
    stopped = any(args.out.glob("checkpoint-*"))
    if not stopped and args.out.exists() and any(args.out.iterdir()):
        parser.error(f"--out {args.out} holds something else: name a new folder")

    games = range(args.seed, args.seed + args.steps)
    rows = [{"prompt": [{"role": "user", "content": PROMPT}], "seed": seed} for seed in games]
    on_gpu = torch.cuda.is_available()
    config = GRPOConfig(
        output_dir=str(args.out),
        max_steps=args.steps,
        num_generations=args.group,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=args.group,
        max_completion_length=args.tokens,
        learning_rate=args.rate,
        seed=args.seed,
        logging_steps=1,
        save_steps=max(1, args.steps // 10),
        save_total_limit=2,
        report_to="none",
        use_cpu=not on_gpu,
        bf16=on_gpu,
        chat_template_kwargs={"enable_thinking": False},
    )
    factory = partial(Duel, opponents=args.opponent, detail="short", rules={"max_steps": args.ticks})
    trainer = GRPOTrainer(
        model=args.model, args=config, train_dataset=Dataset.from_list(rows), environment_factory=factory
    )
    trainer.train(resume_from_checkpoint=stopped or None)
    trainer.save_model()
    return trainer


if __name__ == "__main__":
    main()
