"""The end of a model: an output layer, a suitable loss, targets and metrics."""
from grow import Refused
from source import obj

REGRESSION = {  # loss: (its arguments, what the output's activation has to be, targets)
    "MeanSquaredError": ({}, None, "real"), "MeanAbsoluteError": ({}, None, "real"), "Huber": ({"delta": [0.5, 2.0]}, None, "real"),
    "LogCosh": ({}, None, "real"), "MeanAbsolutePercentageError": ({}, None, "apart"), "MeanSquaredLogarithmicError": ({}, "softplus", "positive"),
    "CosineSimilarity": ({"axis": [-1]}, None, "real"), "Poisson": ({}, "softplus", "positive"),
    "Hinge": ({}, None, "signs"), "SquaredHinge": ({}, None, "signs")}
BINARY = {"BinaryCrossentropy": ({"label_smoothing": [0.1]}, "sigmoid", "bits"), "Dice": ({}, "sigmoid", "bits"),
          "BinaryFocalCrossentropy": ({"gamma": [1.0, 3.0], "apply_class_balancing": [True], "alpha": [0.3]}, "sigmoid", "bits"),
          "Tversky": ({"alpha": [0.3], "beta": [0.6]}, "sigmoid", "bits"), "Hinge": ({}, None, "bits")}
CATEGORICAL = {"CategoricalCrossentropy": ({"label_smoothing": [0.1]}, "softmax", "one_hot"),
               "SparseCategoricalCrossentropy": ({}, "softmax", "classes"), "KLDivergence": ({}, "softmax", "shares"),
               "CategoricalFocalCrossentropy": ({"gamma": [1.0], "alpha": [0.5]}, "softmax", "one_hot"),
               "CategoricalHinge": ({}, None, "one_hot"), "CategoricalGeneralizedCrossEntropy": ({"q": [0.7]}, "softmax", "classes")}
FAMILIES = {"regression": REGRESSION, "binary": BINARY, "categorical": CATEGORICAL}
LOGITS = {"BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "CategoricalFocalCrossentropy"}
PER_BATCH = {"Dice", "Tversky"}  # one loss for the batch, which no weights of samples fit
SHORT = {"MeanSquaredError": "mse", "MeanAbsoluteError": "mae", "BinaryCrossentropy": "binary_crossentropy", "KLDivergence": "kl_divergence",
         "CategoricalCrossentropy": "categorical_crossentropy", "SparseCategoricalCrossentropy": "sparse_categorical_crossentropy",
         "Huber": "huber", "LogCosh": "log_cosh", "Poisson": "poisson", "CosineSimilarity": "cosine_similarity"}


def metric_options(d, family, targets, vector, units, logits):
    def m(name, **args):
        return obj(f"keras.metrics.{name}", **args)
    if family == "regression" or targets == "shares":
        options = ["mae", "mse", "MeanSquaredLogarithmicError", m("RootMeanSquaredError"), m("CosineSimilarity"), m("LogCoshError"),
                   m("MeanAbsolutePercentageError"), "poisson", m("SquaredHinge")] + ([m("KLDivergence")] if targets == "shares" else [])
        return options + ([m("R2Score"), m("PearsonCorrelation"), m("ConcordanceCorrelation")] if vector else [])
    if family == "binary":
        rates = [m(name, **{rate: 0.5}) for name, rate in (("PrecisionAtRecall", "recall"), ("RecallAtPrecision", "precision"), (
            "SensitivityAtSpecificity", "specificity"), ("SpecificityAtSensitivity", "sensitivity"))]
        shares = [] if logits else [m("AUC", num_thresholds=d.pick([20, 200])), m("AUC", curve="PR", from_logits=False), "Precision", m(
            "Recall", thresholds=0.4), "TruePositives", "FalsePositives", m("TrueNegatives", thresholds=[0.3, 0.6]), "FalseNegatives", *rates]
        return ["accuracy", m("BinaryAccuracy", threshold=0.4), m("BinaryCrossentropy", from_logits=logits), "hinge", m("SquaredHinge"), *shares] + (
            [m("BinaryIoU", threshold=0.5)] if not logits else []) + ([m("F1Score", threshold=0.5)] if vector and not logits else [])
    sparse = targets == "classes"
    options = ["accuracy"] + (["sparse_categorical_accuracy", m("SparseTopKCategoricalAccuracy", k=2)] if sparse else [
        "categorical_accuracy", m("TopKCategoricalAccuracy", k=2), "categorical_crossentropy" if not logits else "acc", m("CategoricalHinge")])
    one_class = {"num_classes": units, "target_class_ids": [d.int(0, units - 1)]}
    if not sparse and not logits:
        options += [m("KLDivergence")]
    if not sparse and vector and not logits:
        options += [m("F1Score", average="macro"), m("FBetaScore", beta=2.0), m("OneHotMeanIoU", num_classes=units), m("OneHotIoU", **one_class)]
    if sparse:
        options += [m("MeanIoU", num_classes=units, sparse_y_pred=False), m("IoU", sparse_y_pred=False, **one_class), m("SparseCategoricalCrossentropy", from_logits=logits)]
    return options


def target_expression(kind, shape, seed, units, samples):
    full = (samples, *shape)
    rng = f"np.random.default_rng({seed})"
    return {"real": f"{rng}.normal(size={full}).astype('float32')", "apart": f"({rng}.random({full}) + 0.5).astype('float32')",
            "positive": f"{rng}.random({full}).astype('float32') * 2", "signs": f"({rng}.integers(0, 2, size={full}) * 2 - 1).astype('float32')",
            "bits": f"{rng}.integers(0, 2, size={full}).astype('float32')",
            "classes": f"{rng}.integers(0, {units}, size={full[:-1]})",
            "one_hot": f"np.eye({units}, dtype='float32')[{rng}.integers(0, {units}, size={full[:-1]})]",
            "shares": f"{rng}.dirichlet(np.ones({units}), size={full[:-1]}).astype('float32')"}[kind]


def to_vector(grower, on):
    rank = len(grower.shape(on))
    if rank == 1:
        return on
    if rank == 0:
        return grower.layer("Reshape", {"target_shape": [1]}, on)
    names = {2: ["GlobalAveragePooling1D", "GlobalMaxPooling1D", "Flatten", "LSTM"], 3: ["GlobalAveragePooling2D", "Flatten"],
             4: ["GlobalMaxPooling3D", "Flatten"]}
    name = grower.d.pick(names.get(rank, ["Flatten"]))
    return grower.layer(name, {"units": 2} if name == "LSTM" else {}, on)


def to_float(grower, on):
    return on if grower.is_float(on) else grower.add(code=f"ops.cast({on}, 'float32')")


def draw_head(grower, on, samples, mixed, weighted):
    """The head's output, loss, metrics and targets, as a dict."""
    d = grower.d
    on = to_float(grower, on)
    if not (len(grower.shape(on)) == 2 and d.chance(0.25)):
        on = to_vector(grower, on)
    vector = len(grower.shape(on)) == 1
    if vector and not mixed and d.chance(0.03):
        return circle(grower, on, samples)
    if not vector and not mixed and grower.shape(on)[0] >= 3 and d.chance(0.1) and not weighted:
        return ctc(grower, on, samples)
    family = d.weighted({"regression": 4, "binary": 2, "categorical": 2.5})
    name = d.pick([loss for loss in FAMILIES[family] if not (loss in PER_BATCH and (weighted or not vector))])
    options, activation, targets = FAMILIES[family][name]
    units = d.int(2, 4) if family == "categorical" else d.int(1, 3)
    args = d.some(options)
    logits = name in LOGITS and d.chance(0.4)
    if logits:
        args["from_logits"] = True
        activation = None
    dense = {"units": units} | ({"activation": activation} if activation else {}) | ({"dtype": "float32"} if mixed and d.chance(0.7) else {})
    output = grower.layer("Dense", dense, on)
    shape = grower.shape(output)
    short = name in SHORT and not args and d.chance(0.4)
    loss = SHORT[name] if short else obj(f"keras.losses.{name}", **args, **({} if weighted or d.chance(0.85) else {
        "reduction": d.pick(["sum", "mean", "mean_with_sample_weight"])}))
    choice = metric_options(d, family, targets, vector, units, logits)
    metrics = [d.pick(choice) for _ in range(d.int(0, 2))]
    if len(metrics) == 2 and str(metrics[0]) == str(metrics[1]):
        metrics.pop()
    return {"output": output, "loss": loss, "metrics": metrics, "classes": units if targets in ("classes", "one_hot") and vector else 0,
            "y": target_expression(targets, shape, d.int(0, 9999), units, samples)}


def circle(grower, on, samples):
    dense = grower.layer("Dense", {"units": 3}, on)
    output = grower.layer("UnitNormalization", {}, dense)
    y = f"np.random.default_rng({grower.d.int(0, 999)}).integers(0, 3, size=({samples},))"
    return {"output": output, "loss": obj("keras.losses.Circle", **grower.d.some({"gamma": [10.0], "margin": [0.3]})), "metrics": [],
            "classes": 0, "y": y}


def ctc(grower, on, samples):
    output = grower.layer("Dense", {"units": 4}, on)
    y = f"np.random.default_rng({grower.d.int(0, 999)}).integers(1, 4, size=({samples}, 1))"
    return {"output": output, "loss": obj("keras.losses.CTC"), "metrics": [], "classes": 0, "y": y}
