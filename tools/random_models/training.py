"""Optimizers, schedules and how fit is called."""
from source import obj


def schedule(d):
    rate, steps = d.real(0.005, 0.05), d.int(1, 6)
    name = d.pick(["ExponentialDecay", "CosineDecay", "CosineDecayRestarts", "InverseTimeDecay", "PiecewiseConstantDecay", "PolynomialDecay"])
    args = {"ExponentialDecay": {"initial_learning_rate": rate, "decay_steps": steps, "decay_rate": 0.8} | d.some({"staircase": [True]}),
            "CosineDecay": {"initial_learning_rate": rate, "decay_steps": steps + 3} | d.some({"alpha": [0.1]}) | d.some({
                "warmup_target": [2 * rate]}) | {"warmup_steps": 2},
            "CosineDecayRestarts": {"initial_learning_rate": rate, "first_decay_steps": steps} | d.some({"t_mul": [1.5], "m_mul": [0.8]}),
            "InverseTimeDecay": {"initial_learning_rate": rate, "decay_steps": steps, "decay_rate": 0.5} | d.some({"staircase": [True]}),
            "PiecewiseConstantDecay": {"boundaries": [2, 4], "values": [rate, rate / 2, rate / 4]},
            "PolynomialDecay": {"initial_learning_rate": rate, "decay_steps": steps + 2} | d.some({"power": [2.0], "cycle": [True]})}[name]
    return obj(f"keras.optimizers.schedules.{name}", **args)


OWN = {"SGD": {"momentum": [0.9, 0.5], "nesterov": [True]}, "Adam": {"amsgrad": [True], "beta_1": [0.8], "epsilon": [1e-4]},
       "AdamW": {"amsgrad": [True], "weight_decay": [0.01]}, "RMSprop": {"momentum": [0.9], "centered": [True], "rho": [0.8]},
       "Adagrad": {"initial_accumulator_value": [0.2]}, "Adadelta": {"rho": [0.9]}, "Adamax": {"beta_2": [0.99]},
       "Nadam": {"beta_1": [0.8]}, "Ftrl": {"l1_regularization_strength": [0.01], "l2_regularization_strength": [0.01]},
       "Lion": {"beta_1": [0.8]}, "Lamb": {"beta_1": [0.8]}, "Adafactor": {"relative_step": [False], "clip_threshold": [0.5]},
       "Muon": {"momentum": [0.9], "ns_steps": [3]}, "ScheduleFreeAdamW": {"warmup_steps": [3]}}
WEIGHTS = {"SGD": 4, "Adam": 5, "AdamW": 2, "RMSprop": 2, "Lion": 0.7, "Lamb": 0.7, "Adafactor": 0.7, "Muon": 0.7, "ScheduleFreeAdamW": 0.5}


def optimizer(d):
    name = d.weighted({name: WEIGHTS.get(name, 1) for name in OWN})
    if d.chance(0.1) and name not in ("Muon", "ScheduleFreeAdamW"):
        return name.lower()
    args = {"learning_rate": d.real(0.005, 0.05) if d.chance(0.8) or name == "ScheduleFreeAdamW" else schedule(d)} | d.some(OWN[name])
    args |= d.some({"weight_decay": [0.004]}, 0.1) | d.pick([{}] * 8 + [{"clipnorm": 0.5}, {"clipvalue": 0.1}, {"global_clipnorm": 1.0}])
    args |= d.some({"use_ema": [True]}, 0.06) | d.some({"gradient_accumulation_steps": [2]}, 0.05) | d.some({"loss_scale_factor": [4.0]}, 0.03)
    if args.get("use_ema"):
        args |= d.some({"ema_momentum": [0.9], "ema_overwrite_frequency": [2]}, 0.5)
    chosen = obj(f"keras.optimizers.{name}", **args)
    if d.chance(0.04):
        chosen = obj("keras.optimizers.LossScaleOptimizer", inner_optimizer=chosen, **d.some({"initial_scale": [64.0], "dynamic_growth_steps": [2]}, 0.6))
    return chosen


def draw_fit(d, heads, samples):
    fit = {"batch_size": d.pick([4, 5, samples]), "epochs": d.pick([1, 1, 2]), "before": d.int(0, 1)}
    if d.chance(0.1):
        fit["validation_split"] = 0.34
    return fit


def weigh(d, fit, heads, samples):
    """Weights of samples, or of classes if there is a single output of classes."""
    if len(heads) == 1 and heads[0]["classes"] and d.chance(0.5):
        fit["class_weight"] = {k: d.real(0.3, 2) for k in range(heads[0]["classes"])}
    else:
        fit["sample_weight"] = [f"np.random.default_rng({d.int(0, 999)}).random({samples}).astype('float32')" for _ in heads]
