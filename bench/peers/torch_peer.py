"""PyTorch with a hand-written loop that does what fit does: shuffle, gather, step, loss and accuracy of the epoch."""
import torch
from torch import nn

import measure
from cases import HIDDEN


class LastState(nn.Module):
    """An LSTM's output after the last step."""

    def __init__(self, features, units):
        super().__init__()
        self.lstm = nn.LSTM(features, units, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[1][0][0]


def dense(case):
    sizes = [*case.shape, *HIDDEN[case.name]]
    return [part for pair in zip(sizes, sizes[1:]) for part in (nn.Linear(*pair), nn.ReLU())], sizes[-1]


def lstm(case):
    return [LastState(case.shape[-1], 256)], 256


def cnn(case):
    height, width, channels = case.shape
    pooling = [nn.MaxPool2d(2)] if case.name == "cnn28" else []
    shrink = 2 if pooling else 1
    features = 32 * ((height - 2) // shrink) * ((width - 2) // shrink)
    return [nn.Conv2d(channels, 32, 3), nn.ReLU(), *pooling, nn.Flatten()], features


# The layers before the last, and how many features they end with.
BEFORE_THE_LAST = {"mlp128": dense, "mlp1024x3": dense, "cnn28": cnn, "cnn128": cnn, "lstm": lstm}


def sequential(case):
    parts, features = measure.network_of(BEFORE_THE_LAST, case)(case)
    return nn.Sequential(*parts, nn.Linear(features, case.classes))


NETWORKS = {name: sequential for name in BEFORE_THE_LAST}


def make_trainer(args, case, x, y):
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = measure.network_of(NETWORKS, case)(case)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    if x.ndim == 4:
        x = x.permute(0, 3, 1, 2).contiguous()  # channels first is what its users have

    def forward(inputs, targets):
        logits = model(inputs)
        return nn.functional.cross_entropy(logits, targets), (logits.detach().argmax(1) == targets).sum()

    step = torch.compile(forward) if args.mode == "compile" else forward

    def train(steps):
        order = torch.randperm(steps * case.batch)
        total_loss, correct = torch.zeros(()), torch.zeros((), dtype=torch.long)
        for chosen in order.split(case.batch):
            loss, hits = step(x[chosen], y[chosen])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            total_loss += loss.detach()
            correct += hits
        return total_loss.item() / steps

    return train


if __name__ == "__main__":
    measure.main(make_trainer)
