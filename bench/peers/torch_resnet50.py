"""ResNet-50 in PyTorch, with the stride in the 3x3 convolutions."""
from torch import nn
from torch.nn.functional import relu


def normal_conv(inputs, filters, size, stride=1):
    conv = nn.Conv2d(inputs, filters, size, stride, padding=size // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(filters))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.narrow = normal_conv(inputs, width, 1)
        self.middle = normal_conv(width, width, 3, stride)
        self.wide = normal_conv(width, 4 * width, 1)
        widens = inputs != 4 * width
        self.shortcut = normal_conv(inputs, 4 * width, 1, stride) if widens else nn.Identity()

    def forward(self, x):
        return relu(self.wide(relu(self.middle(relu(self.narrow(x))))) + self.shortcut(x))


def resnet50(classes):
    parts, inputs = [normal_conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1)], 64
    for stage, depth in enumerate((3, 4, 6, 3)):
        for i in range(depth):
            parts.append(Bottleneck(inputs, 64 << stage, 2 if stage and not i else 1))
            inputs = 4 * (64 << stage)
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))
