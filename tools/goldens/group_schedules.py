"""Learning rates at given steps."""
import keras
import numpy as np

from optimizer_cases import SCHEDULES, schedule
from store import Group

STEPS = [*range(0, 30), 50, 99, 100, 101, 250, 1000, 10000]
MORE = [
    schedule("ExponentialDecay", initial_learning_rate=0.5, decay_steps=100, decay_rate=0.96),
    schedule("CosineDecay", initial_learning_rate=0.0, decay_steps=100, warmup_target=0.5, warmup_steps=20, alpha=0.01),
    schedule("CosineDecay", initial_learning_rate=0.3, decay_steps=100),
    schedule("CosineDecayRestarts", initial_learning_rate=0.3, first_decay_steps=20),
    schedule("CosineDecayRestarts", initial_learning_rate=0.3, first_decay_steps=20, t_mul=1.0, m_mul=0.9),
    schedule("PiecewiseConstantDecay", boundaries=[1], values=[1.0, 0.5]),
    schedule("PolynomialDecay", initial_learning_rate=0.2, decay_steps=100),
    schedule("PolynomialDecay", initial_learning_rate=0.2, decay_steps=20, end_learning_rate=0.05, power=0.5, cycle=True),
    schedule("InverseTimeDecay", initial_learning_rate=0.2, decay_steps=100, decay_rate=2.0),
]


def make():
    group = Group()
    for entry in SCHEDULES + MORE:
        case = group.case(entry["class_name"], entry["config"])
        rate = getattr(keras.optimizers.schedules, entry["class_name"])(**entry["config"])
        values = [float(rate(step)) for step in STEPS]
        case.set(steps=STEPS, values=case.put("values", np.array(values, np.float32)))
    return group
