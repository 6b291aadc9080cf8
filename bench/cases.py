"""What is measured: one training step of each model at each batch size."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    batch: int
    shape: tuple  # of one sample
    max_steps: int  # in one repetition; bounds the data set
    classes: int = 10

    @property
    def label(self):
        return f"{self.name} b{self.batch}"


CASES = [
    Case("mlp128", 1, (784,), 4096),
    Case("mlp128", 32, (784,), 2048),
    Case("mlp128", 1024, (784,), 64),
    Case("mlp1024x3", 32, (784,), 256),
    Case("mlp1024x3", 1024, (784,), 16),
    Case("cnn28", 64, (28, 28, 1), 512),
    Case("cnn28", 1024, (28, 28, 1), 32),
    Case("cnn128", 32, (128, 128, 3), 32),
]
NOT_YET = [Case("lstm", 64, (128, 64), 8)]
HIDDEN = {"mlp128": [128], "mlp1024x3": [1024, 1024, 1024]}
SGEMM_BOUND = ("mlp1024x3", 1024)


def mlp_step_flops(case):
    """Matrix products of one step: forward, weight gradients, input gradients of all layers but the first."""
    sizes = [*case.shape, *HIDDEN[case.name], case.classes]
    products = [inputs * outputs for inputs, outputs in zip(sizes, sizes[1:])]
    return 2 * case.batch * (3 * sum(products) - products[0])


def find(name, batch):
    return next(case for case in CASES if (case.name, case.batch) == (name, batch))


def select(wanted):
    """Cases named `mlp128` (all batch sizes) or `mlp128:32`; all of them for an empty list."""
    def matches(case):
        return not wanted or case.name in wanted or f"{case.name}:{case.batch}" in wanted

    known = {case.name for case in CASES + NOT_YET} | {f"{case.name}:{case.batch}" for case in CASES + NOT_YET}
    for name in wanted:
        if name not in known:
            raise SystemExit(f"unknown case {name}; the cases are {', '.join(c.name + ':' + str(c.batch) for c in CASES)}")
    return [case for case in CASES if matches(case)], [case for case in NOT_YET if matches(case)]
