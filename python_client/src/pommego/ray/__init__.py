"""pommego on a Ray cluster: environments, data sets and tournaments on all of its nodes.

    import ray
    import pommego.ray

    ray.init()  # or ray.init("auto") in a cluster
    envs = pommego.ray.make_vec("PommeFFACompetition-v0", 1024, 4, opponents=["simple"] * 3)
    obs, info = envs.reset(seed=0)  # and so on, as with `pommego.make_vec`

`generate` and `tournament` are the commands of these names, shared out over the cluster, with the
results of one machine.

Needs the extra ``pommego[ray]``, on all nodes, with the same version of pommego.
"""

from pommego.ray.commands import generate, tournament
from pommego.ray.games import make_vec

__all__ = ["generate", "make_vec", "tournament"]
