"""Records NVFP4 and scaled arrays computed with torch's f32 and ml_dtypes' casts: python record.py > recorded.json

The steps are those that NVIDIA's TransformerEngine names in its NVFP4 reference and in its current scaling, one f32
operation after the other. Values and scales are given as bits in hex, codes one a byte.
"""
import itertools
import json

import ml_dtypes
import numpy as np
import torch

MOST = torch.tensor(torch.finfo(torch.float32).max)


def single(value):
    return torch.tensor(value, dtype=torch.float32)


def e4m3(values):
    return values.clamp(-448, 448).to(torch.float8_e4m3fn)


def nvfp4(x):
    amax = x.abs().max()
    encode = torch.minimum(single(448.0) * single(6.0) / amax, MOST)
    if amax == 0 or encode == 0:
        encode = single(1.0)
    decode = single(1.0) / encode
    blocks = x.view(-1, 16)
    scales = e4m3(torch.minimum(blocks.abs().amax(-1) * (encode * torch.reciprocal(single(6.0))), MOST))
    factor = torch.minimum(single(1.0) / (scales.to(torch.float32) * decode), MOST)
    scaled = (blocks * factor[:, None]).clamp(-6, 6).numpy()
    return {'tensorScale': hexes(decode.view(1)), 'scales': bytes(scales.view(torch.uint8).numpy()).hex(),
            'codes': bytes(scaled.astype(ml_dtypes.float4_e2m1fn).view(np.uint8).reshape(-1)).hex()}


def scaled(x, largest, cast):
    amax = x.abs().max()
    factor = torch.minimum(single(largest) / amax, MOST) if amax > 0 else single(1.0)
    return {'scales': hexes((single(1.0) / factor).view(1)), 'codes': bytes(cast(x * factor)).hex()}


def hexes(values):
    return ' '.join(f'{v:08x}' for v in values.numpy().view(np.uint32).tolist())


def to_int(low, high):
    return lambda v: torch.round(v).clamp(low, high).to(torch.int8).numpy().view(np.uint8) & (high - low)


def arrays():
    rng = np.random.default_rng(5)
    for spread in [1e-45, 1e-40, 1e-30, 1e-3, 1.0, 30.0, 1e10, 1e36]:
        shape = rng.normal(0, 1, 256).astype(np.float32) * np.exp(rng.normal(0, 2, 256)).astype(np.float32)
        yield (shape * np.float32(spread)).astype(np.float32)
    yield np.zeros(32, dtype=np.float32)
    yield np.repeat(np.array([1, 1e-30], dtype=np.float32), 16)
    yield np.repeat(np.array([2688, 6, 1.3], dtype=np.float32), 16) * np.tile(np.linspace(-1, 1, 16, dtype=np.float32), 3)
    yield np.arange(-64, 64, dtype=np.float32) / np.float32(8)
    yield np.arange(-254, 258, 2, dtype=np.float32) / np.float32(4)


def near_ties():
    """Arrays whose blocks' scales round otherwise if any f32 step is left out: near a tie of e4m3."""
    rng = np.random.default_rng(9)
    sixth = np.float32(1) / np.float32(6)
    while True:
        amax = np.float32(1 + rng.random())
        encode = np.float32(2688) / amax
        factors = [encode * sixth, np.float32(np.float64(encode) / 6)]
        found = []
        for tie in range(17, 32, 2):
            for step in range(-2, 3):
                block = np.float32(tie / factors[0]) * np.float32(1 + step * 2.0 ** -23)
                codes = [(block * f).astype(ml_dtypes.float8_e4m3fn).view(np.uint8) for f in factors]
                codes.append(np.float32(np.float64(block) / 6 * np.float64(encode)).astype(ml_dtypes.float8_e4m3fn).view(np.uint8))
                if len({int(c) for c in codes}) > 1:
                    found.append(block)
        if len(found) >= 2:
            yield np.repeat(np.array([amax, *found[:7]], dtype=np.float32), 16)


rows = []
for array in [*arrays(), *itertools.islice(near_ties(), 4)]:
    x = torch.from_numpy(array)
    rows.append({
        'values': hexes(x), 'nvfp4': nvfp4(x),
        'e4m3': scaled(x, 448.0, lambda v: e4m3(v).view(torch.uint8).numpy()),
        'e5m2': scaled(x, 57344.0, lambda v: v.clamp(-57344, 57344).to(torch.float8_e5m2).view(torch.uint8).numpy()),
        's8': scaled(x, 127.0, to_int(-128, 127)), 's4': scaled(x, 7.0, to_int(-8, 7)), 's2': scaled(x, 1.0, to_int(-2, 1)),
    })
versions = {'torch': torch.__version__, 'ml_dtypes': ml_dtypes.__version__}
print(json.dumps({'versions': versions, 'arrays': rows}, indent=0))
