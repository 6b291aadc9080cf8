"""Learning-rate schedules."""
from declare import schedule


def cases():
    for staircase in [False, True]:
        yield schedule("ExponentialDecay", initial_learning_rate=0.1, decay_steps=10, decay_rate=0.9, staircase=staircase)
        yield schedule("InverseTimeDecay", initial_learning_rate=0.1, decay_steps=7, decay_rate=0.5, staircase=staircase)
    yield schedule("PiecewiseConstantDecay", boundaries=[10, 100], values=[1.0, 0.5, 0.1])
    for cycle, power in [(False, 1.0), (True, 1.0), (False, 2.0)]:
        yield schedule("PolynomialDecay", initial_learning_rate=0.1, decay_steps=50, end_learning_rate=0.01, power=power,
                       cycle=cycle)
    yield schedule("CosineDecay", initial_learning_rate=0.1, decay_steps=100, alpha=0.1)
    yield schedule("CosineDecay", initial_learning_rate=0.01, decay_steps=100, warmup_target=0.1, warmup_steps=10)
    yield schedule("CosineDecayRestarts", initial_learning_rate=0.1, first_decay_steps=20, t_mul=2.0, m_mul=0.9, alpha=0.05)
