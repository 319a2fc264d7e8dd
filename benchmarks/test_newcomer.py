"""The measurement of a newcomer's first minutes takes the tutorial's own code."""

from __future__ import annotations

import newcomer


def test_the_code_is_the_tutorials() -> None:
    code = newcomer.training(5)
    assert "total_timesteps=5)" in code
    assert 'sb3.make_vec("OneVsOne-v0"' in code
    assert 'opponents=["random"]' in code
    for program in (code, newcomer.ROLLOUT, newcomer.EVALUATE):
        compile(program, "newcomer", "exec")
