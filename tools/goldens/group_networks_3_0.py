"""The same networks as Keras 3.0 writes them. Requires an environment with keras==3.0.5 and dm-tree."""
import keras

from group_networks import add
from network_cases import NETWORKS
from store import Group

# Networks that 3.0 cannot create or save; layers created with trainable=False, which it trains; and attention to
# completely masked steps, which it computes differently.
LATER = ["nested_ends", "slices", "attention_by_name", "shared_beyond", "mixed_precision", "frozen_layers",
         "transformer"]


def make():
    assert keras.__version__.startswith("3.0."), keras.__version__
    group = Group()
    for build in NETWORKS:
        if build.__name__ not in LATER:
            add(group, build)
    return group
