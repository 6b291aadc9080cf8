"""Operations as parts of functional models: those that depend on the order of numbers."""
from declare import integers, operation


def orders():
    for name in ["sort", "argsort"]:
        yield operation(name, (2, 5, 3), axis=0)
        yield operation(name, (2, 5, 3), axis=-2)
        yield operation(name, (2, 300))
        yield operation(name, (3, 4), axis=None)
        yield operation(name, integers((3, 40), -3, 4))
        yield operation(name, integers((3, 40), -3, 4, "int64"), axis=0)
        yield operation(name, integers((3, 40), 0, 4, "uint8"))
        yield operation(name, integers((3, 40), -9, 9, "float16"))


def largest():
    yield operation("top_k", (2, 3, 7), k=4)
    yield operation("top_k", (3, 200), k=200)
    yield operation("top_k", (3, 7), k=1, sorted=False)
    yield operation("top_k", integers((3, 20), 0, 4), k=9)


def shares():
    yield operation("median", (4, 6), axis=1)
    yield operation("median", integers((3, 6), 0, 50), axis=1)
    yield operation("median", (2, 301), axis=-1)
    for share in [0.0, 0.25, 0.9, 1.0]:
        yield operation("quantile", (4, 6), _then=[share], axis=1)
        yield operation("quantile", (2, 3, 4), _then=[share], axis=(0, 2), keepdims=True)
    yield operation("quantile", (2, 3, 4), _then=[0.4])
    yield operation("quantile", (4, 6), _then=[[0.1, 0.75, 0.5]], axis=1)
    yield operation("quantile", (4, 6), _then=[0.3], axis=1, method="lower")
    for method in ["linear", "lower", "higher", "midpoint", "nearest"]:
        for name in ["percentile", "nanpercentile"]:
            yield operation(name, (4, 8), _then=[30], axis=1, method=method)
            yield operation(name, (4, 8), _then=[[90, 15, 50]], axis=1, method=method)
        yield operation("nanquantile", (4, 8), _then=[0.6], axis=1, method=method)
    for name in ["nanmedian", "nanquantile"]:
        share = {"_then": [0.35]} if name == "nanquantile" else {}
        yield operation(name, (2, 3, 4), axis=(0, 2), keepdims=True, **share)
        yield operation(name, (2, 3, 4), **share)
        yield operation(name, (2, 5), axis=-1, **share)


def cases():
    yield from orders()
    yield from largest()
    yield from shares()
