"""Optimizers: weights and slots after twenty steps.

ScheduleFreeAdamW has a test of its own: on TensorFlow Keras reads the iterate after it moved, on JAX before, as it says.
"""
from declare import optimizer

OWN = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}],
    "RMSprop": [{}, {"rho": 0.8, "momentum": 0.5}, {"centered": True, "epsilon": 1e-3}],
    "Adagrad": [{}, {"initial_accumulator_value": 0.5, "epsilon": 1e-3}],
    "Adam": [{}, {"beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-4}, {"amsgrad": True}],
    "AdamW": [{}, {"weight_decay": 0.1}],
    "Adadelta": [{}, {"rho": 0.8, "epsilon": 1e-3}],
    "Adamax": [{}, {"beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-4}],
    "Nadam": [{}, {"beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-4}],
    "Ftrl": [{}, {"learning_rate_power": -0.7, "initial_accumulator_value": 0.3, "beta": 0.2},
             {"l1_regularization_strength": 0.5, "l2_regularization_strength": 0.3,
              "l2_shrinkage_regularization_strength": 0.1}],
    "Lion": [{}, {"beta_1": 0.8, "beta_2": 0.95}],
    "Lamb": [{}, {"beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-4}],
    "Adafactor": [{}, {"beta_2_decay": -0.6, "epsilon_1": 1e-3, "epsilon_2": 0.1, "clip_threshold": 0.5},
                  {"relative_step": False}],
    "Muon": [{}, {"nesterov": False, "momentum": 0.8, "ns_steps": 3, "rms_rate": None},
             {"exclude_layers": ["kern"], "adam_lr_ratio": 0.5, "adam_beta_1": 0.8, "adam_beta_2": 0.99, "epsilon": 1e-4},
             {"muon_a": 3.0, "muon_b": -4.0, "muon_c": 1.5, "adam_weight_decay": 0.1, "weight_decay": 0.2}],
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
