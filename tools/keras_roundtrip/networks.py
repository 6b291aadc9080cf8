"""Whole networks of keras.applications, with random weights."""
import keras
from compare import Case
from data import labels, normal
from keras import optimizers

SAMPLES = 16


def application(make_network, size, trains=True, classes=10, samples=SAMPLES, learning_rate=1e-4):
    """With random weights the gradients are steep, and a step of usual size magnifies rounding: at 1e-4
    Keras alone turns 1e-7 in ResNet-50's inputs into 5e-3 in its weights within two steps."""
    def make():
        network = make_network(weights=None, input_shape=(size, size, 3), classes=classes)
        network.compile(optimizers.SGD(learning_rate), "sparse_categorical_crossentropy",
                        metrics=["accuracy"])
        return Case(network, [normal(size, size, 3, samples=samples)],
                    [labels(classes, samples=samples)], trains=trains, epochs=1)
    return make


MODELS = {
    "mobilenet_v2": application(keras.applications.MobileNetV2, 64),
    "mobilenet_v2_224": application(keras.applications.MobileNetV2, 224, trains=False, samples=2),
    "resnet50": application(keras.applications.ResNet50, 64, learning_rate=1e-6),
    "efficientnet_b0": application(keras.applications.EfficientNetB0, 64, trains=False),
}
