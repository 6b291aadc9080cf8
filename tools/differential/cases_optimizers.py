"""Optimizers: weights and slots after twenty steps."""
from declare import optimizer

OWN = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}],
    "RMSprop": [{}, {"rho": 0.8, "momentum": 0.5}, {"centered": True, "epsilon": 1e-3}],
    "Adagrad": [{}, {"initial_accumulator_value": 0.5, "epsilon": 1e-3}],
    "Adam": [{}, {"beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-4}, {"amsgrad": True}],
    "AdamW": [{}, {"weight_decay": 0.1}],
}
SHARED = [{"clipnorm": 0.5}, {"clipvalue": 0.3}, {"global_clipnorm": 0.7}, {"weight_decay": 0.02},
          {"use_ema": True, "ema_momentum": 0.9}, {"use_ema": True, "ema_overwrite_frequency": 3},
          {"gradient_accumulation_steps": 3}, {"loss_scale_factor": 8.0}]


def cases():
    for name, variants in OWN.items():
        for own in variants:
            yield optimizer(name, learning_rate=0.05, **own)
        for shared in SHARED:
            yield optimizer(name, learning_rate=0.05, **shared)
