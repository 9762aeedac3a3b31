"""One thread: these models are so small that several only wait for each other."""

import torch

torch.set_num_threads(1)
