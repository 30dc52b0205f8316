"""Tests the example that runs what torch.compile has compiled for a GPU. Skipped if Triton or torch is not installed."""

import pathlib
import sys

import pytest

pytest.importorskip("triton", minversion="3.6")
torch = pytest.importorskip("torch", minversion="2.13")

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))

from torch._inductor import config  # noqa: E402
from torch_compile import inductor_for, main  # noqa: E402


def attention(q, k, v):
    return torch.softmax(q @ k.T / 8, dim=-1) @ v


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_compiled_functions_and_their_gradients_agree_with_torch(gpu):
    before = config.cpu_backend
    given = [torch.randn(32, 64, requires_grad=True) for _ in range(3)]
    expected = attention(*given)
    gradients = torch.autograd.grad(expected.sum(), given)
    with inductor_for(gpu, timeout=60) as activation:
        found = torch.compile(attention)(*given)
        assert activation.result["ok"]
        assert torch.allclose(found, expected, atol=1e-5)
        for one, other in zip(torch.autograd.grad(found.sum(), given), gradients):
            assert torch.allclose(one, other, atol=1e-4)
    assert config.cpu_backend == before


def test_the_example_runs(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["torch_compile.py"])
    main()
    assert "sm_90: the largest difference from torch on the CPU is" in capsys.readouterr().out
