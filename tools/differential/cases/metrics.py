"""Metrics over several updates."""
from declare import integers, metric, normal, one_hot, probabilities, uniform


def twice(name, y_true, y_pred, **arguments):
    """Without and with sample weights."""
    weight = uniform(y_pred.shape[:1], 0.1, 2)
    yield metric(name, (y_true, y_pred), (y_true, y_pred), **arguments)
    yield metric(name, (y_true, y_pred, weight), (y_true, y_pred), (y_true, y_pred, weight), **arguments)


def cases():
    for name in ["MeanSquaredError", "MeanAbsoluteError", "RootMeanSquaredError"]:
        yield from twice(name, normal((6, 3)), normal((6, 3)))
    yield from twice("CategoricalAccuracy", one_hot((8, 4)), probabilities((8, 4)))
    yield from twice("SparseCategoricalAccuracy", integers((8,), 0, 4), probabilities((8, 4)))
    yield from twice("BinaryAccuracy", integers((8, 3), 0, 2, "float32"), uniform((8, 3)))
    yield from twice("BinaryAccuracy", integers((8, 3), 0, 2, "float32"), uniform((8, 3)), threshold=0.7)
    yield from twice("TopKCategoricalAccuracy", one_hot((8, 6)), probabilities((8, 6)), k=2)
    yield from twice("SparseTopKCategoricalAccuracy", integers((8,), 0, 6), probabilities((8, 6)), k=3)
    yield from twice("CategoricalCrossentropy", one_hot((8, 4)), probabilities((8, 4)))
    yield from twice("BinaryCrossentropy", integers((8, 3), 0, 2, "float32"), uniform((8, 3), 0.1, 0.9))
    yield from twice("SparseCategoricalCrossentropy", integers((8,), 0, 4), normal((8, 4)), from_logits=True)
    for name in ["Mean", "Sum"]:
        yield metric(name, (normal((4, 3)),), (normal((5,)),))
        yield metric(name, (normal((4,)), uniform((4,))), (normal((5,)),))
    for name in ["MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "LogCoshError", "CosineSimilarity", "Poisson",
                 "PearsonCorrelation", "ConcordanceCorrelation"]:
        yield from twice(name, uniform((6, 4), 0.1, 3), uniform((6, 4), 0.1, 3))
    for name in ["PearsonCorrelation", "ConcordanceCorrelation", "CosineSimilarity"]:
        yield metric(name, (normal((6, 4)), normal((6, 4))), axis=0)
    for name in ["Hinge", "SquaredHinge"]:
        yield from twice(name, integers((6, 3), 0, 2, "float32"), normal((6, 3)))
    yield from twice("CategoricalHinge", one_hot((6, 4)), normal((6, 4)))
    yield from twice("KLDivergence", probabilities((6, 4)), probabilities((6, 4)))
    yield from twice("Accuracy", integers((8, 2), 0, 3, "float32"), integers((8, 2), 0, 3, "float32"))
    yield from twice("CategoricalCrossentropy", one_hot((8, 4)), normal((8, 4)), from_logits=True, label_smoothing=0.1)
    yield from twice("BinaryCrossentropy", integers((8, 3), 0, 2, "float32"), normal((8, 3)), from_logits=True,
                     label_smoothing=0.2)
    yield from twice("SparseCategoricalCrossentropy", integers((8,), 0, 4), probabilities((8, 4)), ignore_class=2)
    yield from twice("SparseTopKCategoricalAccuracy", integers((8,), 0, 6), integers((8, 4), 0, 6), k=2, from_sorted_ids=True)
    yield from twice("MeanSquaredError", normal((6, 3)), normal((6, 3)), dtype="float64")
    yield from confusion_cases()
    yield from overlap_cases()
    yield from score_cases()


def binary(shape):
    return integers(shape, 0, 2, "float32")


def confusion_cases():
    thresholds = [{}, {"thresholds": 0.3}, {"thresholds": [0.2, 0.5, 0.9]}, {"thresholds": [0.0, 0.25, 0.5, 0.75, 1.0]}]
    for name in ["TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives", "Precision", "Recall"]:
        for own in thresholds:
            yield from twice(name, binary((9, 3)), uniform((9, 3)), **own)
        yield from twice(name, binary((9,)), uniform((9,)))
        yield metric(name, (binary((5, 3)), uniform((5, 3)), uniform((5, 3))))
    for name in ["Precision", "Recall"]:
        for own in [{"top_k": 2}, {"class_id": 1}, {"top_k": 2, "class_id": 3}, {"top_k": 3, "thresholds": 0.4},
                    {"class_id": 2, "thresholds": [0.2, 0.6]}]:
            yield from twice(name, binary((9, 5)), uniform((9, 5)), **own)
    for name, own in [("SensitivityAtSpecificity", {"specificity": 0.4}), ("SpecificityAtSensitivity", {"sensitivity": 0.6}),
                      ("PrecisionAtRecall", {"recall": 0.5}), ("RecallAtPrecision", {"precision": 0.6})]:
        for more in [{}, {"num_thresholds": 5}, {"num_thresholds": 1}, {"class_id": 1, "num_thresholds": 20}]:
            yield from twice(name, binary((12, 3)), uniform((12, 3)), **own, **more)
    for curve in ["ROC", "PR", "PRGAIN"]:
        for method in ["interpolation", "minoring", "majoring"]:
            yield from twice("AUC", binary((12,)), uniform((12,)), curve=curve, summation_method=method)
        yield from twice("AUC", binary((9, 3)), uniform((9, 3)), curve=curve, multi_label=True, num_thresholds=30)
    yield from twice("AUC", binary((9, 3)), uniform((9, 3)), multi_label=True, num_labels=3, label_weights=[0.2, 1.0, 0.5])
    yield from twice("AUC", binary((9, 3)), uniform((9, 3)), label_weights=[0.2, 1.0, 0.5])
    yield from twice("AUC", binary((12,)), normal((12,)), from_logits=True, num_thresholds=11)
    yield from twice("AUC", binary((12,)), uniform((12,)), thresholds=[0.7, 0.1, 0.35])
    yield from twice("AUC", binary((12,)), uniform((12,)), thresholds=[0.25, 0.5, 0.75])


def overlap_cases():
    for own in [{}, {"ignore_class": 2}]:
        yield from twice("IoU", integers((20,), 0, 4), integers((20,), 0, 4), num_classes=4, target_class_ids=[0, 3], **own)
        yield from twice("MeanIoU", integers((20,), 0, 4), integers((20,), 0, 4), num_classes=4, **own)
        yield from twice("OneHotIoU", one_hot((9, 4)), probabilities((9, 4)), num_classes=4, target_class_ids=[1, 2], **own)
        yield from twice("OneHotMeanIoU", one_hot((9, 4)), probabilities((9, 4)), num_classes=4, **own)
    yield from twice("MeanIoU", integers((20,), -1, 6), integers((20,), -1, 6), num_classes=4, dtype="float32")
    yield metric("IoU", (integers((6,), 0, 3), probabilities((6, 3))), num_classes=3, target_class_ids=[0, 1],
                 sparse_y_pred=False)
    yield metric("OneHotMeanIoU", (one_hot((6, 3)), integers((6,), 0, 3)), num_classes=3, sparse_y_pred=True)
    yield metric("MeanIoU", (integers((12,), 0, 3), integers((12,), 0, 3), integers((12,), 0, 4)), num_classes=3)
    for own in [{}, {"threshold": 0.3}, {"target_class_ids": [1]}]:
        yield from twice("BinaryIoU", integers((10,), 0, 2), uniform((10,)), **own)


def score_cases():
    for average in [None, "micro", "macro", "weighted"]:
        for own in [{}, {"threshold": 0.4}]:
            yield from twice("F1Score", one_hot((9, 4)), probabilities((9, 4)), average=average, **own)
        yield from twice("FBetaScore", binary((9, 4)), uniform((9, 4)), average=average, beta=2.0, threshold=0.6)
    for how in ["uniform_average", "variance_weighted_average", None]:
        yield from twice("R2Score", normal((9, 3)), normal((9, 3)), class_aggregation=how)
    yield from twice("R2Score", normal((9, 1)), normal((9, 1)), num_regressors=2)
    yield from twice("R2Score", normal((3, 1)), normal((3, 1)), num_regressors=20)
