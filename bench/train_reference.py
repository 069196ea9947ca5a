#!/usr/bin/python3
"""SimpleCNN as the article writes it in Python, for bench/train-speed to compare ebb-train with.

The same model, data, optimizer and batch size on Debian's python3-torch, so on the same LibTorch. A DataLoader with two
workers turns one image at a time into a normalised tensor, as torchvision's ToTensor and Normalize do (torchvision is not
in Debian, so the data set is written plainly; it has less to do per item than torchvision's). Prints one line of JSON.
"""

import argparse
import json
import time

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


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


def train_epoch(model, loader, optimizer, criterion, precision):
    """Returns the mean loss and the samples per second, counted from the first batch that the workers deliver."""
    model.train()
    loss_sum, samples, counted, begin = 0.0, 0, 0, None
    for images, labels in loader:
        if begin is None:
            begin = time.perf_counter()
        counted += len(labels)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16"):
            loss = criterion(model(images).float(), labels)
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(labels)
        samples += len(labels)
    return loss_sum / samples, counted / (time.perf_counter() - begin)


def evaluate(model, loader, criterion):
    model.eval()
    loss_sum, correct, total = 0.0, 0, 0
    with torch.no_grad():
        for images, labels in loader:
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--evaluate", metavar="MODEL", help="evaluate this safetensors file instead of training")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    train = DataLoader(IdxDataset(options.data_dir, "train"), batch_size=options.batch_size, shuffle=True, num_workers=2)
    test = DataLoader(IdxDataset(options.data_dir, "t10k"), batch_size=2 * options.batch_size, num_workers=2)
    model, criterion = SimpleCNN(), nn.CrossEntropyLoss()
    if options.evaluate:
        model.load_state_dict(load_safetensors(options.evaluate))
        print(json.dumps(evaluate(model, test, criterion)))
        return
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    speeds = []
    for _ in range(options.epochs):
        loss, speed = train_epoch(model, train, optimizer, criterion, options.precision)
        speeds.append(speed)
    print(json.dumps({"samples_per_second": sorted(speeds)[len(speeds) // 2], "final_loss": loss,
                      **evaluate(model, test, criterion)}))


if __name__ == "__main__":
    main()
