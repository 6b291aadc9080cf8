"""Inputs of a layer that takes a dict of them."""


def table(keys, tensors):
    """A key "outer/inner" stands for a nested dict."""
    whole = {}
    for key, tensor in zip(keys, tensors):
        *outer, inner = key.split("/")
        (whole.setdefault(outer[0], {}) if outer else whole)[inner] = tensor
    return whole
