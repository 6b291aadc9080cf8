"""The optimizer cases: (class_name, config); a schedule is {"class_name", "config"}."""


def schedule(class_name, **config):
    return {"class_name": class_name, "config": config}


SCHEDULES = [
    schedule("ExponentialDecay", initial_learning_rate=0.1, decay_steps=5, decay_rate=0.7),
    schedule("ExponentialDecay", initial_learning_rate=0.1, decay_steps=5, decay_rate=0.7, staircase=True),
    schedule("CosineDecay", initial_learning_rate=0.1, decay_steps=15, alpha=0.1),
    schedule("CosineDecay", initial_learning_rate=0.01, decay_steps=12, warmup_target=0.1, warmup_steps=5),
    schedule("CosineDecayRestarts", initial_learning_rate=0.1, first_decay_steps=6, t_mul=1.5, m_mul=0.8, alpha=0.05),
    schedule("PiecewiseConstantDecay", boundaries=[4, 10], values=[0.1, 0.03, 0.01]),
    schedule("PolynomialDecay", initial_learning_rate=0.1, decay_steps=12, end_learning_rate=0.01, power=2.0),
    schedule("PolynomialDecay", initial_learning_rate=0.1, decay_steps=6, end_learning_rate=0.01, cycle=True),
    schedule("InverseTimeDecay", initial_learning_rate=0.1, decay_steps=4, decay_rate=0.5),
    schedule("InverseTimeDecay", initial_learning_rate=0.1, decay_steps=4, decay_rate=0.5, staircase=True),
]

EXTRAS = [{"clipnorm": 0.1}, {"clipvalue": 0.02}, {"global_clipnorm": 0.1}, {"weight_decay": 0.05}]

VARIANTS = {
    "SGD": [{"learning_rate": 0.1}, {"learning_rate": 0.1, "momentum": 0.9},
            {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}, {}],
    "Adam": [{"learning_rate": 0.01}, {"learning_rate": 0.01, "amsgrad": True},
             {"learning_rate": 0.02, "beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-4}, {}],
    "AdamW": [{"learning_rate": 0.01}, {"learning_rate": 0.01, "weight_decay": 0.1}, {}],
    "RMSprop": [{"learning_rate": 0.01}, {"learning_rate": 0.01, "momentum": 0.5},
                {"learning_rate": 0.01, "centered": True}, {"learning_rate": 0.01, "rho": 0.8, "epsilon": 1e-5}, {}],
    "Adagrad": [{"learning_rate": 0.1}, {"learning_rate": 0.1, "initial_accumulator_value": 0.01}, {}],
}

CASES = [(name, config) for name, configs in VARIANTS.items() for config in configs]
CASES += [(name, {**VARIANTS[name][0], **extra}) for name in VARIANTS for extra in EXTRAS
          if name != "AdamW" or "weight_decay" not in extra]
CASES += [("SGD", {**VARIANTS["SGD"][2], **extra}) for extra in EXTRAS]
CASES += [("SGD", {"learning_rate": rate, "momentum": 0.5}) for rate in SCHEDULES]
CASES += [(name, {"learning_rate": SCHEDULES[0]}) for name in ["AdamW", "RMSprop", "Adagrad"]]
CASES += [("Adam", {"learning_rate": SCHEDULES[3], "clipnorm": 0.5})]

# Accumulated steps count, so a schedule changes within one accumulation; 20 steps end inside an accumulation of 3.
ACCUMULATED = [{"gradient_accumulation_steps": 4}, {"gradient_accumulation_steps": 3, "clipnorm": 0.1},
               {"gradient_accumulation_steps": 2, "weight_decay": 0.05}]
CASES += [(name, {**VARIANTS[name][0], **extra}) for name in VARIANTS for extra in ACCUMULATED]
CASES += [("SGD", {"learning_rate": SCHEDULES[0], "momentum": 0.5, "gradient_accumulation_steps": 3})]

AVERAGED = [{"use_ema": True}, {"use_ema": True, "ema_momentum": 0.8, "ema_overwrite_frequency": 3},
            {"use_ema": True, "ema_momentum": 0.7, "ema_overwrite_frequency": 2, "gradient_accumulation_steps": 3}]
CASES += [(name, {**VARIANTS[name][0], **extra}) for name in ["SGD", "Adam"] for extra in AVERAGED]
