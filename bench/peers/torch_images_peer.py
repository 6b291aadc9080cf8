"""PyTorch compiled, ResNet-50 in bfloat16, from JPEG files through its DataLoader: FOLDER BATCH SECONDS WORKERS.

Workers decode with Pillow (or torchvision's decoder, where there is no Pillow), crop, resize and flip; batches of uint8 are
page-locked and sent concurrently with the steps. One JSON line: images a second, the loader's alone, and with a batch in GPU memory."""
import json
import math
import os
import random
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from input_measure import AREA, ASPECT, SIDE, files_of
from torch_resnet50 import resnet50

try:
    import numpy as np
    from PIL import Image
    DECODER = "Pillow"
except ImportError:
    from torchvision.io import ImageReadMode, decode_jpeg, read_file
    DECODER = "torchvision"


def random_box(width, height):
    """Left, top, width and height."""
    for _ in range(10):
        area = width * height * random.uniform(*AREA)
        aspect = math.exp(random.uniform(math.log(ASPECT[0]), math.log(ASPECT[1])))
        w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, width - w), random.randint(0, height - h), w, h
    return 0, 0, width, height


def by_pillow(path):
    image = Image.open(path).convert("RGB")
    x, y, w, h = random_box(*image.size)
    image = image.resize((SIDE, SIDE), Image.BILINEAR, box=(x, y, x + w, y + h))
    return torch.from_numpy(np.array(image)).permute(2, 0, 1)


def by_torchvision(path):
    image = decode_jpeg(read_file(path), ImageReadMode.RGB)
    x, y, w, h = random_box(image.shape[2], image.shape[1])
    crop = image[None, :, y:y + h, x:x + w].float()
    return nn.functional.interpolate(crop, (SIDE, SIDE), mode="bilinear").byte()[0]


class Files(Dataset):
    def __init__(self, folder):
        files = files_of(folder)
        self.files = files * (1 + 50000 // len(files))  # a long epoch: its end is not measured

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        path = self.files[i]
        image = by_pillow(path) if DECODER == "Pillow" else by_torchvision(path)
        return (image.flip(2) if random.random() < 0.5 else image), int(os.path.basename(os.path.dirname(path)))


def batches(loader):
    while True:
        for x, y in loader:
            yield x, y


def make_step():
    torch.backends.cudnn.benchmark = True
    model = resnet50(1000).cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)

    @torch.compile
    def loss_of(x, y):
        with torch.autocast("cuda", torch.bfloat16):
            x = x.to(torch.bfloat16, memory_format=torch.channels_last) / 255
            return nn.functional.cross_entropy(model(x).float(), y)

    def step(x, y):
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    return step


def rate_of(count, seconds, run):
    """Images a second of run(), each of `count`; waits for the GPU at both ends."""
    torch.cuda.synchronize()
    begin, runs = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        run()
        runs += 1
    torch.cuda.synchronize()
    return runs * count / (time.perf_counter() - begin)


def main():
    folder, batch, seconds, workers = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    step = make_step()
    loader = DataLoader(Files(folder), batch, shuffle=True, num_workers=workers, pin_memory=True, drop_last=True,
                        persistent_workers=True, prefetch_factor=4)
    source = batches(loader)

    def from_files():
        x, y = next(source)
        step(x.cuda(non_blocking=True), y.cuda(non_blocking=True))

    for _ in range(8):  # compiles, and starts the workers
        from_files()
    files = rate_of(batch, seconds, from_files)
    alone = rate_of(batch, min(seconds, 5), lambda: next(source))
    x, y = (part.cuda() for part in next(source))
    resident = rate_of(batch, min(seconds, 4), lambda: step(x, y))
    print(json.dumps({"images_per_second": files, "loader_alone": alone, "resident": resident, "decoder": DECODER,
                      "workers": workers}), flush=True)


if __name__ == "__main__":
    main()
