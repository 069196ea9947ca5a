#!/usr/bin/python3
"""SimpleCNN as the article writes it in Python, for bench/train-speed and bench/gpu to compare ebb-train with.

The same model, data, optimizer and batch size; for bench/train-speed on Debian's python3-torch, so on the same LibTorch. A
DataLoader turns one image at a time into a normalised tensor, as torchvision's ToTensor and Normalize do (torchvision is
not in Debian, so the data set is written plainly; it has less to do per item than torchvision's). On a GPU the loader pins
its memory, Adam is fused and no update waits for its loss; with --data-on device there is no loader, and batches are
gathered from bytes on the GPU. Prints a line of JSON for each setting.
"""

import argparse
import json
import time

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from reference_settings import each_setting


class SimpleCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout2d(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = self.dropout2(x)
        return F.log_softmax(self.fc2(x), dim=1)


class IdxDataset(Dataset):
    def __init__(self, directory, split):
        images = np.fromfile(f"{directory}/{split}-images-idx3-ubyte", dtype=np.uint8, offset=16)
        labels = np.fromfile(f"{directory}/{split}-labels-idx1-ubyte", dtype=np.uint8, offset=8)
        self.images = torch.from_numpy(images).reshape(-1, 28, 28)
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index].unsqueeze(0).to(torch.float32).div(255)
        return image.sub_(0.1307).div_(0.3081), int(self.labels[index])


class DeviceBatches:
    """The data set as bytes on a device, gathered and normalised there."""

    def __init__(self, data, batch_size, device):
        self.images = data.images.unsqueeze(1).to(device)
        self.labels = torch.from_numpy(data.labels).long().to(device)
        self.batch_size = batch_size

    def __iter__(self):
        for chosen in torch.randperm(len(self.labels), device=self.labels.device).split(self.batch_size):
            images = self.images[chosen].float().div_(255)
            yield images.sub_(0.1307).div_(0.3081), self.labels[chosen]


def train_epoch(model, batches, optimizer, criterion, options):
    """Samples per second and seconds, both counted from the first batch that the workers deliver, when that was
    (time.time()), and the mean loss."""
    model.train()
    losses, loss_sum, counted, begin = [], 0.0, 0, None
    for images, labels in batches:
        if begin is None:
            begin, begin_clock = time.perf_counter(), time.time()
        images, labels = (each.to(options.device, non_blocking=True) for each in (images, labels))
        counted += len(labels)
        optimizer.zero_grad()
        with torch.autocast(options.device, dtype=torch.bfloat16, enabled=options.precision == "bf16"):
            loss = criterion(model(images).float(), labels)
        loss.backward()
        optimizer.step()
        if options.device == "cpu":
            loss_sum += loss.item() * len(labels)
        else:
            losses.append(loss.detach() * len(labels))
    if losses:
        loss_sum = torch.stack(losses).sum().item()  # waits for the device
    seconds = time.perf_counter() - begin
    return {"loss": loss_sum / counted, "samples_per_second": counted / seconds, "begin_s": begin_clock, "seconds": seconds}


def evaluate(model, loader, criterion, device):
    model.eval()
    loss_sum, correct, total = 0.0, 0, 0
    with torch.no_grad():
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            scores = model(images)
            loss_sum += criterion(scores, labels).item() * len(labels)
            correct += (scores.argmax(1) == labels).sum().item()
            total += len(labels)
    return {"test_loss": loss_sum / total, "test_accuracy_percent": 100 * correct / total}


def load_safetensors(path):
    """The tensors of a safetensors file of float32 (python3-safetensors is not in Debian 12)."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32).reshape(entry["shape"])
    return tensors


def measure(options):
    torch.manual_seed(options.seed)
    is_cuda = options.device == "cuda"
    data = IdxDataset(options.data_dir, "train")
    loader = {"num_workers": options.workers, "pin_memory": is_cuda}
    if options.data_on == "device":
        train = DeviceBatches(data, options.batch_size, options.device)
    else:
        train = DataLoader(data, batch_size=options.batch_size, shuffle=True, **loader)
    test = DataLoader(IdxDataset(options.data_dir, "t10k"), batch_size=2 * options.batch_size, **loader)
    model, criterion = SimpleCNN().to(options.device), nn.CrossEntropyLoss()
    if options.evaluate:
        model.load_state_dict(load_safetensors(options.evaluate))
        return evaluate(model, test, criterion, options.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, **({"fused": True} if is_cuda else {}))
    if is_cuda:
        torch.cuda.reset_peak_memory_stats()
    epochs = [train_epoch(model, train, optimizer, criterion, options) for _ in range(options.epochs)]
    speeds = sorted(epoch["samples_per_second"] for epoch in epochs)
    answer = {"samples_per_second": speeds[len(speeds) // 2], "final_loss": epochs[-1]["loss"], "epochs": epochs,
              **evaluate(model, test, criterion, options.device)}
    if is_cuda:
        answer["peak_tensor_bytes"] = torch.cuda.max_memory_allocated()
    return answer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", required=True)
    for name, value in dict(batch_size=64, epochs=3, threads=1, workers=2, seed=1).items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--data-on", choices=["host", "device"], default="host")
    parser.add_argument("--evaluate", metavar="MODEL", help="evaluate this safetensors file instead of training")
    for options in each_setting(parser):
        torch.set_num_threads(options.threads)
        print(json.dumps(measure(options)), flush=True)


if __name__ == "__main__":
    main()
