"""The other merging layers, with broadcasting and masks."""
from itertools import product

from declare import layer


def cases():
    for name in ["Average", "Maximum", "Minimum"]:
        yield layer(name, (3, 4), (3, 4))
        yield layer(name, (2, 3, 4), (2, 3, 4), (2, 3, 4))
        yield layer(name, (2, 3, 4), (2, 1, 4))
    yield layer("Subtract", (3, 4), (3, 4))
    yield layer("Subtract", (2, 3, 4), (2, 1, 4))
    for name in ["Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"]:
        yield layer(name, (2, 3, 4), (2, 3, 4), _masks=[(2, 3), (2, 3)])
        yield layer(name, (2, 3, 4), (2, 3, 4), _masks=[(2, 3), None])
    for name, inputs in product(["Maximum", "Multiply"], [3]):
        yield layer(name, *[(2, 3, 4)] * inputs, _masks=[(2, 3)] * inputs)
    for masks in [[(2, 3), (2, 3)], [None, (2, 3)]]:
        yield layer("Concatenate", (2, 3, 4), (2, 3, 2), axis=-1, _masks=masks)
    yield layer("Concatenate", (2, 3, 4), (2, 2, 4), axis=1, _masks=[(2, 3), None])
    yield layer("Concatenate", (2, 3, 4, 2), (2, 3, 1, 2), axis=2)
    for axes, shapes in [(1, [(3, 4), (3, 4)]), (-1, [(3, 4), (3, 4)]), ((1, 2), [(2, 4), (2, 3, 4)]),
                         ((2, 1), [(2, 3, 4), (2, 4)]), (2, [(2, 3, 4), (2, 5, 4)]), ((1, 2), [(2, 3, 4), (2, 5, 3)]),
                         (1, [(2, 3, 4), (2, 3, 5)]), ((3, 1), [(2, 2, 3, 4), (2, 4, 5)]),
                         ((-1, -2), [(2, 3, 4), (2, 2, 4, 3)])]:
        for normalize in [False, True]:
            yield layer("Dot", *shapes, axes=axes, normalize=normalize)
    yield layer("Dot", (2, 3, 4), (2, 5, 4), axes=2, _masks=[(2, 3), (2, 5)])
