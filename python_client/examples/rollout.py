"""Play 64 four-player games with random legal moves, and see how they end."""

import pommego

with pommego.make_vec("PommeFFACompetition-v0", num_envs=64) as envs:
    obs, info = envs.reset(seed=0)
    print(obs["planes"].shape, [plane.name for plane in envs.encoding["planes"].names])
    for _ in range(100):
        actions = envs.sample_actions(info["action_mask"])  # your policy goes here
        obs, reward, terminated, truncated, info = envs.step(actions)
        if "game" in info:
            print("episodes ended after", info["game"]["length"][info["_game"]][:: envs.learners], "steps")
