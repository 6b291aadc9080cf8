"""GPT-2 of 124 million weights in PyTorch, without dropout."""
import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, units, heads):
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm(units), nn.LayerNorm(units)
        self.projections, self.output = nn.Linear(units, 3 * units), nn.Linear(units, units)
        self.wide, self.narrow = nn.Linear(units, 4 * units), nn.Linear(4 * units, units)

    def forward(self, x):
        batch, places, units = x.shape
        parts = self.projections(self.first_norm(x)).view(batch, places, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.output(attended.transpose(1, 2).reshape(batch, places, units))
        return x + self.narrow(functional.gelu(self.wide(self.second_norm(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, vocabulary, places, units=768, heads=12, blocks=12):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, units), nn.Embedding(places, units)
        self.blocks = nn.Sequential(*[Block(units, heads) for _ in range(blocks)])
        self.last_norm = nn.LayerNorm(units)

    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.shape[1], device=x.device))
        h = self.last_norm(self.blocks(h))
        return functional.linear(h, self.tokens.weight).flatten(0, 1)
