"""Tests of Triton kernels that run on ptxlab. They are skipped if Triton or torch is not installed."""

import multiprocessing
import os
import pathlib
import re
import runpy
import threading

import pytest

triton = pytest.importorskip("triton", minversion="3.6")
torch = pytest.importorskip("torch")

import triton.language as tl  # noqa: E402
from triton.runtime.errors import OutOfResources  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

import ptxlab  # noqa: E402
import ptxlab.triton  # noqa: E402

GPUS = ["sm_80", "sm_90", "sm_100", "sm_120"]


@pytest.fixture(params=GPUS)
def gpu(request):
    with ptxlab.triton.activate(request.param):
        yield request.param


@pytest.fixture
def hopper():
    with ptxlab.triton.activate("sm_90"):
        yield


@triton.jit
def add(x, y, out, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n) * scale, mask=at < n)


def test_adds_with_a_mask(gpu):
    x, y = torch.rand(1000), torch.rand(1000)
    out = torch.full((1024,), -1.0)
    add[(4,)](x, y, out, 1000, 0.5, BLOCK=256)
    assert torch.equal(out[:1000], x + y * 0.5)
    assert out[1000:].tolist() == [-1.0] * 24


@triton.jit
def double(x, rows, columns, row, column, BLOCK: tl.constexpr):
    r, c = tl.program_id(0), tl.arange(0, BLOCK)
    at = x + r * row + c * column
    tl.store(at, tl.load(at, mask=c < columns) * 2, mask=c < columns)


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[1:4, ::2], lambda x: x.view(5, 2, 6)[:, 1], lambda x: x])
def test_tensors_with_strides_are_changed_in_place(hopper, view):
    x = torch.arange(60, dtype=torch.int32).view(5, 12)
    expected = x.clone()
    view(expected).mul_(2)
    part = view(x)
    double[(part.shape[0],)](part, *part.shape, *part.stride(), BLOCK=16)
    assert torch.equal(x, expected)


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at - 1, mask=at < n), mask=at < n)


def test_a_kernel_may_read_before_a_view_of_its_storage(hopper):
    x = torch.arange(8, dtype=torch.float32)
    out = torch.empty(7)
    shift[(1,)](x[1:], out, 7, BLOCK=8)
    assert out.tolist() == [0, 1, 2, 3, 4, 5, 6]


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float8_e4m3fn])
def test_multiplies_matrices(gpu, dtype):
    if gpu == "sm_80" and dtype == torch.float8_e4m3fn:
        pytest.skip("sm_80 has no e4m3")
    a, b = torch.randn(128, 128).to(dtype), torch.randn(128, 128).to(dtype)
    c = torch.empty(128, 128)
    matmul[(2, 2)](a, b, c, 128, 128, 128, BM=64, BN=64, BK=64)
    assert torch.allclose(c, a.float() @ b.float(), rtol=1e-3, atol=1e-2)


@triton.jit
def copy_box(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
    target.store([row, column], source.load([row, column]) + 1)


def test_tensor_descriptors(gpu):
    source = torch.arange(64 * 96, dtype=torch.float16).view(64, 96) / 16
    target = torch.zeros(64, 96, dtype=torch.float16)
    box = [16, 32]
    descriptors = [TensorDescriptor.from_tensor(one, box) for one in (source, target)]
    copy_box[(4, 3)](*descriptors, ROWS=16, COLUMNS=32)
    assert torch.equal(target, source + 1)


@triton.autotune([triton.Config({"SIZE": size}) for size in (256, 64, 32)], ["n"])
@triton.jit
def squared(x, n, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    value = tl.load(x + at, mask=at < n)
    tl.store(x + at, tl.dot(value, value) + SIZE, mask=at < n)


def test_autotuning_takes_the_first_configuration_that_fits_on_each_gpu():
    x = torch.zeros(1000, dtype=torch.float16)
    for gpu, size in (("sm_90", 256), ("sm_120", 64), ("sm_90", 256)):
        with ptxlab.triton.activate(gpu):
            squared[(1,)](x.zero_(), 1000)
        assert x.tolist() == [size] * 1000


def set_box(args):
    args["source"].block_shape = [args["SIZE"]]


@triton.autotune([triton.Config({"SIZE": size}, pre_hook=set_box) for size in (32, 64)], ["n"])
@triton.jit
def copy_start(source, out, n, SIZE: tl.constexpr):
    tl.static_assert(SIZE >= 64)
    tl.store(out + tl.arange(0, SIZE), source.load([0]))


def test_autotuning_calls_hooks_and_skips_configurations_that_cannot_be_compiled(hopper):
    source, out = torch.rand(64), torch.zeros(64)
    copy_start[(1,)](TensorDescriptor.from_tensor(source, [16]), out, 64)
    assert torch.equal(out, source)


@triton.jit
def half_scalar(out, a, b: tl.float16, c: tl.bfloat16, d: tl.float64, flag: tl.int1):
    tl.store(out, a)
    tl.store(out + 1, b.to(tl.float32))
    tl.store(out + 2, c.to(tl.float32))
    tl.store(out + 3, d.to(tl.float32))
    tl.store(out + 4, flag.to(tl.float32))


def test_numbers_have_the_types_of_their_parameters(hopper):
    out = torch.zeros(5)
    half_scalar[(1,)](out, 0.1, 1.5, -2.0, 0.25, True)
    assert out.tolist() == [pytest.approx(0.1), 1.5, -2.0, 0.25, 1.0]


def test_kernels_that_need_too_much_shared_memory_are_refused():
    with ptxlab.triton.activate("sm_120"), pytest.raises(OutOfResources):
        squared.fn[(1,)](torch.zeros(1000, dtype=torch.float16), 1000, SIZE=256)


def test_faults_are_reported(hopper):
    with pytest.raises(ptxlab.Fault) as raised:
        add[(8,)](torch.rand(1024), torch.rand(1024), torch.empty(1024), 2000, 1.0, BLOCK=256)
    assert raised.value.code == "PTX6001"


@triton.jit
def print_and_read(x, at):
    tl.device_print("at", at)
    tl.store(x, tl.load(x + at))


def test_what_a_kernel_printed_before_a_fault_is_not_lost(capsys):
    with ptxlab.triton.activate("sm_90") as activation:
        add[(1,)](*[torch.ones(16)] * 3, 16, 1.0, BLOCK=16)
        assert activation.result["ok"]
        with pytest.raises(ptxlab.Fault, match=r"test_triton.py:\d+, line \d+ of the PTX, kernel print_and_read"):
            print_and_read[(1,)](torch.zeros(1), 1 << 20, num_warps=1)
        assert activation.result is None
    assert "at: 1048576" in capsys.readouterr().out


@triton.jit
def make_map(x, out):
    tl.store(out + tl.arange(0, 16), tl.make_tensor_descriptor(x, [16], [1], [16]).load([0]))


def test_kernels_that_make_descriptors_need_an_allocator(hopper):
    x, out = torch.rand(16), torch.zeros(16)
    with pytest.raises(RuntimeError, match="no allocator was set"):
        make_map[(1,)](x, out)
    before = triton.runtime._allocation._allocator.get()
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    try:
        make_map[(1,)](x, out)
    finally:
        triton.set_allocator(before)
    assert torch.equal(out, x)


def test_occupancy_can_be_computed_but_times_cannot_be_measured(hopper):
    x = torch.ones(16)
    kernel = add.warmup(x, x, x, 16, 1.0, BLOCK=16, grid=(1,))
    kernel._init_handles()
    assert 65536 // (kernel.n_regs * 128) == 2
    with pytest.raises(ptxlab.PtxlabError, match="cannot measure"):
        triton.testing.do_bench(lambda: None)


@triton.jit
def sum_listed(addresses, sizes, out, BLOCK: tl.constexpr):
    which, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(addresses + which).to(tl.pointer_type(tl.float32))
    value = tl.load(x + at, mask=at < tl.load(sizes + which), other=0.0)
    tl.store(x + at, value + 1, mask=at < tl.load(sizes + which))
    tl.store(out + which, tl.sum(value))


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint64])
def test_addresses_in_tensors_become_addresses_on_the_device(hopper, dtype):
    parts = [torch.ones(5), torch.full((16,), 2.0), torch.arange(10.0)[7:]]
    listed = torch.tensor([part.data_ptr() for part in parts]).to(dtype)
    before = listed.clone()
    out = torch.zeros(3)
    sum_listed[(3,)](listed, torch.tensor([len(part) for part in parts]), out, BLOCK=16)
    assert out.tolist() == [5, 32, 7 + 8 + 9]
    assert [part[-1].item() for part in parts] == [2, 3, 10]
    assert torch.equal(listed, before)


@triton.jit
def move_listed(addresses):
    tl.store(addresses, tl.load(addresses) + 4)


def test_addresses_that_a_kernel_moves_are_addresses_of_the_host(hopper):
    x, out = torch.arange(4.0), torch.zeros(1)
    listed = torch.tensor([x.data_ptr()])
    for moved in (1, 2):
        move_listed[(1,)](listed)
        assert listed.item() == x.data_ptr() + 4 * moved
        sum_listed[(1,)](listed, torch.tensor([4 - moved]), out, BLOCK=4)
    assert (out.item(), x.tolist()) == ((2 + 1) + (3 + 1), [0, 2, 4, 5])


@triton.jit
def load_nested(tables, out):
    inner = tl.load(tables).to(tl.pointer_type(tl.int64))
    tl.store(out, tl.load(tl.load(inner + 1).to(tl.pointer_type(tl.float32))))


def test_tables_may_hold_addresses_of_tables(hopper):
    x, out = torch.tensor([5.0]), torch.zeros(1)
    inner = torch.tensor([0, x.data_ptr(), 0])
    inner[0], inner[2] = inner.data_ptr(), inner.data_ptr() + 24
    load_nested[(1,)](torch.tensor([inner.data_ptr()]), out)
    assert out.item() == 5


def test_other_large_integers_in_tensors_are_not_changed(hopper):
    large = torch.empty(10_000)
    x = torch.tensor([2**40, -1, 2**62, 0x1234_5678_9ABC, 2**50, large.data_ptr() + 8])
    expected = (x * 2).tolist()
    double[(1,)](x, 1, 6, 6, 1, BLOCK=8)
    assert x.tolist() == expected


def test_tensors_without_memory_do_not_disturb_the_search_for_addresses(hopper):
    without = [torch.nn.LazyLinear(4), torch.empty(4, device="meta"), torch.eye(2).to_sparse()]
    x, out = torch.ones(4), torch.zeros(1)
    torch.set_default_device("meta")
    try:
        sum_listed[(1,)](torch.tensor([x.data_ptr()], device="cpu"), torch.tensor([4], device="cpu"), out, BLOCK=4)
    finally:
        torch.set_default_device(None)
    assert out.item() == len(without) + 1


def test_faults_at_addresses_of_the_host_say_so(hopper):
    memory = bytearray(64)
    address = torch.frombuffer(memory, dtype=torch.uint8).data_ptr()
    with pytest.raises(ptxlab.Fault, match="may be an address of the host"):
        load_nested[(1,)](torch.tensor([address]), torch.zeros(1))


def test_threads_can_use_parts_of_one_tensor(hopper):
    x = torch.zeros(2, 16)
    one = torch.ones(16)

    def work(part):
        for _ in range(20):
            add[(1,)](part, one, part, 16, 1.0, BLOCK=16)

    threads = [threading.Thread(target=work, args=[x[i]]) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.tolist() == [[20.0] * 16] * 2


def halve_in_fork(answer):
    x = torch.full((16,), 4.0)
    add[(1,)](x, x, x, 16, -0.5, BLOCK=16)
    answer.put(x.tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_can_go_on_launching_kernels(hopper):
    add[(1,)](*[torch.ones(16)] * 3, 16, -0.5, BLOCK=16)
    context = multiprocessing.get_context("fork")
    answer = context.Queue()
    process = context.Process(target=halve_in_fork, args=[answer])
    process.start()
    assert answer.get(timeout=60) == [2.0] * 16
    process.join()


@triton.jit
def race(x):
    tl.store(x, tl.program_id(0).to(tl.float32))


def test_options_apply_to_each_launch():
    with ptxlab.triton.activate("sm_90", races="report") as activation:
        assert activation.result is None
        race[(2,)](torch.zeros(1))
    assert activation.result["stats"]["threads"] == 256
    assert len(activation.result["races"]) == 1


WRONG_OPTIONS = [{"timeuot": 5}, {"timeout": "5"}, {"races": "maybe"}, {"shared_bytes": 64}, {"sharedBytes": 64}]


@pytest.mark.parametrize("options", WRONG_OPTIONS)
def test_wrong_options_are_refused_at_once(options):
    before = triton.runtime.driver._active
    with pytest.raises(ptxlab.PtxlabError, match=next(iter(options))):
        ptxlab.triton.activate("sm_90", **options)
    assert triton.runtime.driver._active is before


def test_options_with_which_no_launch_can_end_are_refused():
    with pytest.raises(ptxlab.PtxlabError, match="no launch can end with these options") as caught:
        ptxlab.triton.activate("sm_90", timeout=0)
    assert caught.value.code == "bad-option"


def test_nested_activations_have_results_of_their_own():
    x = torch.ones(16)
    with ptxlab.triton.activate("sm_90") as outer:
        add[(1,)](x, x, x, 16, 1.0, BLOCK=16)
        with ptxlab.triton.activate("sm_90") as inner:
            assert inner.result is None
        assert outer.result["ok"]


def test_tensors_on_other_devices_are_refused(hopper):
    x = torch.empty(16, device="meta")
    with pytest.raises(ptxlab.PtxlabError, match="needs tensors on the CPU"):
        double[(1,)](x, 1, 16, 16, 1, BLOCK=16)


@triton.jit
def greet(x):
    tl.device_print("value", tl.load(x))


def test_kernels_can_print(hopper, capsys):
    greet[(1,)](torch.tensor([42], dtype=torch.int32), num_warps=1)
    assert "value: 42" in capsys.readouterr().out


def test_the_driver_of_before_is_active_again():
    before = triton.runtime.driver._active
    with ptxlab.triton.activate("sm_80"):
        assert triton.runtime.driver.active.get_current_target().arch == 80
        with ptxlab.triton.activate("sm_90"):
            assert triton.runtime.driver.active.get_current_target().arch == 90
        assert triton.runtime.driver.active.get_current_target().arch == 80
    assert triton.runtime.driver._active is before


def test_kernels_run_again_after_a_gpu_is_activated_again():
    x = torch.ones(16)
    for _ in range(2):
        with ptxlab.triton.activate("sm_90"):
            add[(1,)](x, x, x, 16, 1.0, BLOCK=16)
    ptxlab.close()
    with ptxlab.triton.activate("sm_90"):
        add[(1,)](x, x, x, 16, 1.0, BLOCK=16)
    assert x.tolist() == [8.0] * 16


def test_kernels_are_loaded_once(hopper):
    x = torch.ones(16)
    first, second = (add[(1,)](x, x, x, 16, 1.0, BLOCK=16).function for _ in range(2))
    assert second is first


def test_activations_may_end_in_any_order():
    before = triton.runtime.driver._active
    first, second = ptxlab.triton.activate("sm_80"), ptxlab.triton.activate("sm_90")
    first.deactivate()
    assert triton.runtime.driver.active.get_current_target().arch == 90
    first.deactivate()
    second.deactivate()
    assert triton.runtime.driver._active is before
    assert triton.knobs.runtime.add_stages_inspection_hook is None


@pytest.mark.parametrize("name", ["sm_1", "sm_90a", "H100", 90, None])
def test_other_names_of_gpus_are_refused(name):
    with pytest.raises(ptxlab.PtxlabError):
        ptxlab.triton.activate(name)


def test_descriptors_of_images(hopper):
    """Copies the pixels to which a 3 x 3 filter applies its upper right weight."""
    hopper_descriptors = pytest.importorskip("triton.experimental.gluon.nvidia.hopper")
    if not hasattr(hopper_descriptors, "TensorDescriptorIm2Col"):
        pytest.skip("Triton 3.6 has no such descriptors")
    from gluon_kernels import copy_pixels, shared_layout

    images = torch.arange(2 * 6 * 5 * 32, dtype=torch.float16).view(2, 6, 5, 32) % 2000
    corners = {"pixel_box_lower_corner": [-1, -1], "pixel_box_upper_corner": [-1, -1]}
    descriptor = hopper_descriptors.TensorDescriptorIm2Col.from_tensor(images, [32, 32], shared_layout, **corners)
    out = torch.empty(32, 32, dtype=torch.float16)
    copy_pixels[(1,)](descriptor, out, 0, 2)
    padded = torch.nn.functional.pad(images, (0, 0, 1, 1, 1, 1))
    assert torch.equal(out, padded[:, :6, 2:].reshape(-1, 32)[:32])


def test_the_example_of_the_readme_runs_as_it_is(tmp_path):
    text = (pathlib.Path(__file__).parents[2] / "python/README.md").read_text()
    example = tmp_path / "example.py"
    example.write_text(re.search(r"```py\n(.*?)```", text, re.S)[1])
    runpy.run_path(str(example))
