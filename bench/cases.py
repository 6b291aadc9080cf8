"""What is measured: one training step of each model at each batch size."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    batch: int
    shape: tuple  # of one sample
    max_steps: int  # in one repetition; bounds the data set
    classes: int = 10
    precision: str = ""  # "bf16": products in bfloat16, weights in float32

    @property
    def label(self):
        return " ".join(filter(None, [self.name, f"b{self.batch}", self.precision]))

    @property
    def key(self):
        return ":".join(filter(None, [self.name, str(self.batch), self.precision]))


CASES = [
    Case("mlp128", 1, (784,), 4096),
    Case("mlp128", 32, (784,), 2048),
    Case("mlp128", 1024, (784,), 64),
    Case("mlp1024x3", 32, (784,), 256),
    Case("mlp1024x3", 1024, (784,), 16),
    Case("cnn28", 64, (28, 28, 1), 512),
    Case("cnn28", 1024, (28, 28, 1), 32),
    Case("cnn128", 32, (128, 128, 3), 32),
    Case("lstm", 64, (128, 64), 8),
]
CUDA_CASES = [
    Case("mlp128", 1, (784,), 16384),
    Case("mlp128", 32, (784,), 2048),
    Case("mlp128", 1024, (784,), 64),
    Case("mlp1024x3", 32, (784,), 2048),
    Case("mlp1024x3", 4096, (784,), 16),
    Case("mlp1024x3", 4096, (784,), 16, precision="bf16"),
    Case("cnn28", 64, (28, 28, 1), 1024),
    Case("cnn28", 1024, (28, 28, 1), 64),
    Case("cnn128", 32, (128, 128, 3), 64),
    Case("cnn128", 256, (128, 128, 3), 8, precision="bf16"),
    Case("lstm", 64, (128, 64), 64),
    Case("resnet50", 256, (224, 224, 3), 4, classes=1000, precision="bf16"),
    Case("gpt2", 16, (1024,), 4, classes=50257, precision="bf16"),
]
HIDDEN = {"mlp128": [128], "mlp1024x3": [1024, 1024, 1024]}
SGEMM_BOUND = ("mlp1024x3", 1024)


def mlp_step_flops(case):
    """Matrix products of one step: forward, weight gradients, input gradients of all layers but the first."""
    sizes = [*case.shape, *HIDDEN[case.name], case.classes]
    products = [inputs * outputs for inputs, outputs in zip(sizes, sizes[1:])]
    return 2 * case.batch * (3 * sum(products) - products[0])


def find(key):
    """The case `mlp128:32` or `cnn128:256:bf16`."""
    return next(case for case in CASES + CUDA_CASES if case.key == key)


def select(wanted, known=None):
    """Cases named `mlp128` (all batch sizes) or `mlp128:32`; all of them for an empty list."""
    known = CASES if known is None else known
    names = {case.name for case in known} | {case.key for case in known}
    for name in wanted:
        if name not in names:
            raise SystemExit(f"unknown case {name}; the cases are {', '.join(case.key for case in known)}")
    return [case for case in known if not wanted or case.name in wanted or case.key in wanted]
