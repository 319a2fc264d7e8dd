"""Where the original trains with TensorForce, which is not here."""

raise ImportError(
    "pommego.pommerman.cli has no train_with_tensorforce: "
    "for training see pommego.make_vec and the adapters to current frameworks"
)
