"""The original trains with TensorForce here, which is not supported."""

raise ImportError(
    "pommego.pommerman.cli has no train_with_tensorforce: "
    "for training see pommego.make_vec and the adapters to current frameworks"
)
