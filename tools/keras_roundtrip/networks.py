"""Whole networks: those of keras.applications, and an encoder as large as BERT, with random weights.

With batch normalisation and random weights, each layer may amplify differences of its input: 1e-7 in the images becomes a
tenth of the weights' changes after a few steps, in Keras alone as well. So they are trained in float64, where the same
amplification leaves seven digits, and in float32 compared with the effect of such differences on Keras itself.
"""
import keras
from compare import Case
from data import labels, normal
from keras import layers, optimizers
from sequences import encoder

CLASSES = 10


def with_policy(policy, build):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        return build()
    finally:
        keras.config.set_dtype_policy(before)


def without_dropout(network):
    for layer in network.layers:
        if isinstance(layer, layers.Dropout):
            layer.rate = 0.0


def calibrate(network, x):
    """Moving means as after a long training: with the initial ones the outputs of all images would be nearly equal."""
    normalizations = [layer for layer in network.layers if isinstance(layer, layers.BatchNormalization)]
    usual = [layer.momentum for layer in normalizations]
    for layer in normalizations:
        layer.momentum = 0.0
    network(x, training=True)
    for layer, momentum in zip(normalizations, usual):
        layer.momentum = momentum


def application(build, size, samples, learning_rate=0.01, policy="float32", **options):
    def make():
        network = with_policy(policy, lambda: build(weights=None, input_shape=(size, size, 3),
                                                    classes=CLASSES))
        without_dropout(network)
        x = normal(size, size, 3, samples=samples)
        calibrate(network, x)
        network.compile(optimizers.SGD(learning_rate), "sparse_categorical_crossentropy",
                        metrics=["accuracy"])
        return Case(network, [x], [labels(CLASSES, samples=samples)], **options)
    return make


def predicts(build):
    return application(build, size=224, samples=4, trains=False)


def trains(build, learning_rate, policy):
    return application(build, 64, 32, learning_rate, policy, epochs=3, learns=True,
                       unsteady=policy == "float32")


MobileNet, ResNet, EfficientNet = (keras.applications.MobileNetV2, keras.applications.ResNet50,
                                   keras.applications.EfficientNetB0)
MODELS = {
    "mobilenet_v2": predicts(MobileNet),
    "mobilenet_v2_float32": trains(MobileNet, 1e-5, "float32"),
    "mobilenet_v2_float64": trains(MobileNet, 1e-4, "float64"),
    "resnet50": predicts(ResNet),
    "resnet50_float64": trains(ResNet, 1e-5, "float64"),
    "efficientnet_b0": predicts(EfficientNet),
    "efficientnet_b0_float32": trains(EfficientNet, 1e-4, "float32"),
    "efficientnet_b0_float64": trains(EfficientNet, 1e-4, "float64"),
    "bert_encoder": encoder(length=32, width=768, heads=12, depth=12, vocabulary=2000, hidden=3072,
                            rate=2e-5, samples=16, batch=4, epochs=2, learns=True),
}
