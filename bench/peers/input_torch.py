"""torch's DataLoader: torchvision's transforms on Pillow images in worker processes; arrays without workers, which is faster."""
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import transforms

import input_measure as m


class Files(Dataset):
    def __init__(self, files):
        self.files = files
        self.transform = transforms.Compose([
            transforms.RandomResizedCrop(m.SIDE, scale=m.AREA, ratio=m.ASPECT), transforms.RandomHorizontalFlip(),
            transforms.ToTensor(), transforms.Normalize([v / 255 for v in m.MEAN], [v / 255 for v in m.STDDEV])])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.transform(Image.open(self.files[i]).convert("RGB"))


def images(folder, threads):
    torch.set_num_threads(1)
    loader = DataLoader(Files(m.files_of(folder) * 50), m.IMAGE_BATCH, shuffle=True, num_workers=threads)
    return m.endless(lambda: loader)


def samples(_, threads):
    rows = TensorDataset(torch.zeros((m.SAMPLES, m.SAMPLE_BYTES), dtype=torch.uint8))
    loader = DataLoader(rows, m.SAMPLE_BATCH, shuffle=True)
    return (batch[0] for batch in m.endless(lambda: loader))


m.main({"images": images, "samples": samples})
