"""PyTorch on a GPU: the bare step on batches that are already there. --mode eager, compile, or graph: the compiled step
captured whole into a CUDA graph, which is what an expert writes by hand."""
import torch
from torch import nn

import measure
import torch_peer
from torch_gpt2 import Gpt2
from torch_resnet50 import resnet50

BATCHES = 4

torch.set_float32_matmul_precision("high")
torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True


NETWORKS = {**torch_peer.NETWORKS, "resnet50": lambda case: resnet50(case.classes),
            "gpt2": lambda case: Gpt2(case.classes, *case.shape)}


def make_model(case):
    model = measure.network_of(NETWORKS, case)(case).cuda()
    return model.to(memory_format=torch.channels_last) if len(case.shape) == 3 else model


def on_gpu(x, y):
    x, y = torch.from_numpy(x).cuda(), torch.from_numpy(y).cuda()
    return (x.permute(0, 3, 1, 2) if x.ndim == 4 else x), y  # a view: channels last


def capture(step, x, y):
    """A function that runs the recorded step on other data."""
    held_x, held_y = x.clone(), y.clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(held_x, held_y)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step(held_x, held_y)

    def replay(new_x, new_y):
        held_x.copy_(new_x)
        held_y.copy_(new_y)
        graph.replay()
        return loss

    return replay


def make_trainer(args, case, x, y):
    torch.manual_seed(1)
    torch._dynamo.reset()
    torch.cuda.empty_cache()
    model, (x, y) = make_model(case), on_gpu(x, y)
    optimizer = torch.optim.Adam(model.parameters(), fused=True, capturable=args.mode == "graph")

    def loss_of(inputs, targets):
        with torch.autocast("cuda", torch.bfloat16, enabled=case.precision == "bf16"):
            return nn.functional.cross_entropy(model(inputs).float(), targets.flatten())

    compiled = loss_of if args.mode == "eager" else torch.compile(loss_of)

    def step(inputs, targets):
        loss = compiled(inputs, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=args.mode != "graph")
        return loss.detach()

    batches = list(zip(x.split(case.batch), y.split(case.batch)))
    run = capture(step, *batches[0]) if args.mode == "graph" else step

    def train(steps):
        for i in range(steps):
            loss = run(*batches[i % BATCHES])
        return loss.item()  # waits for the GPU

    return train


if __name__ == "__main__":
    measure.main(make_trainer, BATCHES)
