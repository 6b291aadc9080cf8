"""Add, Multiply, Concatenate."""
from declare import layer


def cases():
    for name in ["Add", "Multiply"]:
        yield layer(name, (3, 4), (3, 4))
        yield layer(name, (2, 3, 4), (2, 3, 4), (2, 3, 4))
        yield layer(name, (2, 3, 4), (2, 1, 4))
        yield layer(name, (2, 3, 4), (2, 3, 4), _masks=[(2, 3), (2, 3)])
    yield layer("Concatenate", (3, 4), (3, 2))
    yield layer("Concatenate", (2, 3, 4), (2, 2, 4), axis=1)
    yield layer("Concatenate", (2, 3, 4), (2, 3, 1), (2, 3, 5), axis=-1)
    yield layer("Concatenate", (2, 3, 4), (2, 2, 4), axis=1, _masks=[(2, 3), (2, 2)])
