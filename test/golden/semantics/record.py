"""Records what ml_dtypes (with numpy) and torch make of chosen inputs: python record.py > recorded.json

Inputs are given once for each format; results are hex in the same order. All 256 patterns of the formats of 8 bits or
fewer; of the others, patterns around every boundary of the narrow formats, specials, NaNs, and random ones.
"""
import json
import warnings

import ml_dtypes
import numpy as np
import torch

warnings.simplefilter('ignore')
NAMES = {
    'f16': 'float16', 'bf16': 'bfloat16', 'f32': 'float32', 'f64': 'float64', 'e4m3': 'float8_e4m3fn',
    'e5m2': 'float8_e5m2', 'ue8m0': 'float8_e8m0fnu', 'e2m3': 'float6_e2m3fn', 'e3m2': 'float6_e3m2fn',
    'e2m1': 'float4_e2m1fn',
}
WIDTH = {'f16': 16, 'bf16': 16, 'f32': 32, 'f64': 64, 'e2m3': 6, 'e3m2': 6, 'e2m1': 4}
TORCH = ['f16', 'bf16', 'f32', 'f64', 'e4m3', 'e5m2', 'ue8m0']


def container(name):
    return max(8, WIDTH.get(name, 8))


def unsigned(name):
    return np.dtype(f'uint{container(name)}')


def np_type(name):
    return np.dtype(getattr(ml_dtypes, NAMES[name], None) or getattr(np, NAMES[name]))


def inputs(name):
    if container(name) == 8:
        return np.arange(2 ** WIDTH.get(name, 8), dtype=np.uint8)
    rng = np.random.default_rng(7)
    limits = [448, 464, 480, 57344, 61440, 65504, 65520, 6, 5, 28, 30, 7.5, 7.75, 0.25, 1.25, 2.5, 2 ** -10, 2 ** -17, 2 ** -127,
              1.5 * 2.0 ** 127, 2.0 ** 127, 2.0 ** -126, 1.5 * 2.0 ** -126, 0.0, 1.0, 1.5, 3.0, float('inf')]
    center = np.array(limits).astype(np_type(name)).view(unsigned(name)).astype(np.uint64)
    near = np.concatenate([center, center + np.uint64(1), np.maximum(center, np.uint64(1)) - np.uint64(1)])
    random = rng.integers(0, 2 ** 63, 80, dtype=np.uint64) >> np.uint64(64 - container(name))
    top = np.array([2 ** (container(name) - 1) - 1], dtype=np.uint64)
    spread = rng.normal(0, 20, 60).astype(np_type(name)).view(unsigned(name)).astype(np.uint64)
    quiet = {16: {'f16': 0x7e00, 'bf16': 0x7fc0}.get(name), 32: 0x7fc00000, 64: 0x7ff8000000000000}[container(name)]
    low = {16: {'f16': 0x7d55, 'bf16': 0x7f95}.get(name), 32: 0x7fa55555, 64: 0x7ff5555555555555}[container(name)]
    nans = np.array([quiet, low], dtype=np.uint64)
    half = np.unique(np.concatenate([near, random, top, spread, nans]) & np.uint64(2 ** (container(name) - 1) - 1))
    both = np.concatenate([half, half | np.uint64(2 ** (container(name) - 1))])
    return both.astype(unsigned(name))


def by_ml_dtypes(source, to):
    return source.astype(np_type(to)).view(unsigned(to))


def by_torch(bits, name, to):
    signed = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
    whole = {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
    # The last elements of a tensor go through other code than the rest, with other bits of NaNs.
    whole_vectors = np.resize(bits, -(-len(bits) // 64) * 64)
    tensor = torch.from_numpy(whole_vectors.view(signed[container(name)])).view(getattr(torch, NAMES[name]))
    result = tensor.to(getattr(torch, NAMES[to])).view(whole[container(to)]).numpy().view(unsigned(to))
    return result[: len(bits)]


def text(values):
    return ' '.join(f'{int(v):x}' for v in values)


chosen = {name: inputs(name) for name in NAMES}
rows = []
for name in NAMES:
    for to in NAMES:
        try:
            rows.append(['ml_dtypes', name, to, text(by_ml_dtypes(chosen[name].view(np_type(name)), to))])
        except TypeError:
            pass
        if name in TORCH and to in TORCH:
            rows.append(['torch', name, to, text(by_torch(chosen[name], name, to))])
versions = {'ml_dtypes': ml_dtypes.__version__, 'numpy': np.__version__, 'torch': torch.__version__}
print(json.dumps({'versions': versions, 'inputs': {k: text(v) for k, v in chosen.items()}, 'results': rows}, indent=0))
