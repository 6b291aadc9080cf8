"""Random choices."""
import random


class Draw:
    def __init__(self, *seed):
        self.rng = random.Random(repr(seed))

    def int(self, low, high):
        """Both included."""
        return self.rng.randint(low, high)

    def real(self, low, high):
        return round(self.rng.uniform(low, high), 3)

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, options):
        return self.rng.choice(list(options))

    def some(self, options, probability=0.3):
        """A few of these arguments: a list has values to choose from, a function draws one."""
        return {key: option() if callable(option) else self.pick(option)
                for key, option in options.items() if self.chance(probability)}

    def weighted(self, options):
        """A key of {key: weight}."""
        return self.rng.choices(list(options), list(options.values()))[0]
