"""The Python package, over a real server."""

import gc
import pathlib
import re

import numpy as np
import pytest

import ptxlab

pytest_plugins = ["ptxlab.pytest_plugin"]

ADD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r1, %r4;
  @%p ret;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd1, %rd1, %rd4;
  add.u64 %rd2, %rd2, %rd4;
  add.u64 %rd3, %rd3, %rd4;
  ld.global.f32 %f1, [%rd1];
  ld.global.f32 %f2, [%rd2];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd3], %f3;
  ret;
}
"""


def test_adds_two_vectors(ptx_device):
    x = np.arange(1000, dtype=np.float32)
    y = np.full(1000, 0.5, dtype=np.float32)
    z = np.zeros(1000, dtype=np.float32)
    result = ptx_device.module(ADD).kernel("add")[8, 128](x, y, z, 1000)
    assert result["ok"]
    np.testing.assert_array_equal(z, x + y)
    np.testing.assert_array_equal(x, np.arange(1000))


BOX = """
.version 8.4
.target sm_90
.address_size 64
.visible .entry box(.param .align 64 .b8 map[128], .param .u64 out)
{
  .shared .align 128 .b8 tile[32];
  .shared .align 8 .b64 object;
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd3, %rd1;
  ld.param.u64 %rd2, [out];
  mbarrier.init.shared::cta.b64 [object], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 32;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd3, {4, 1}], [object];
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0;
  @!%p bra wait;
  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [tile];
  ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [tile+16];
  st.global.v4.b32 [%rd2], {%r0, %r1, %r2, %r3};
  st.global.v4.b32 [%rd2+16], {%r4, %r5, %r6, %r7};
  ret;
}
"""


COPY = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 image, .param .u64 out)
{
  .reg .b32 %x, %y, %at;
  .reg .f32 %fx, %fy, %f<4>;
  .reg .b64 %image, %out;
  ld.param.u64 %image, [image];
  ld.param.u64 %out, [out];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  cvt.rn.f32.u32 %fx, %x;
  cvt.rn.f32.u32 %fy, %y;
  tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%image, {%fx, %fy}];
  shl.b32 %at, %x, 2;
  sust.b.2d.b32.trap [%out, {%at, %y}], {%f0};
  ret;
}
"""


SCALAR = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry scalar(.param .f32 x, .param .u64 out)
{
  .reg .f32 %x;
  .reg .b64 %out;
  ld.param.f32 %x, [x];
  ld.param.u64 %out, [out];
  st.global.f32 [%out], %x;
  ret;
}
"""


def test_numbers_that_are_not_finite(ptx_device):
    out = np.zeros(1, dtype=np.float32)
    kernel = ptx_device.module(SCALAR).kernel("scalar")
    for value in (float("inf"), float("-inf"), np.float32("nan"), float("nan")):
        kernel[1, 1](value, out)
        np.testing.assert_array_equal(out, np.float32(value))


def test_textures_and_surfaces(ptx_device):
    image = np.arange(12, dtype=np.float32).reshape(3, 4)
    kernel = ptx_device.module(COPY).kernel("copy")
    out = np.zeros((3, 4), dtype=np.float32)
    # Means of each pixel, its neighbors to the left and above, and the one between these.
    kernel[1, (4, 3)](ptxlab.Texture(image, filter="linear", address_mode="border"), ptxlab.Surface(out))
    padded = np.pad(image, ((1, 0), (1, 0)))
    np.testing.assert_array_equal(out, (padded[1:, 1:] + padded[:-1, 1:] + padded[1:, :-1] + padded[:-1, :-1]) / 4)
    flags = np.zeros((3, 4, 2), dtype=np.uint8)
    flags[..., 0] = 51
    with ptx_device.buffer(out) as buffer:
        surface = ptxlab.Surface(buffer, type="f32", size=[4, 3])
        kernel[1, (4, 3)](ptxlab.Texture(flags, channels=2, normalized_texels=True), surface)
        np.testing.assert_array_equal(buffer.read(np.float32), np.full(12, 0.2, dtype=np.float32))
    with pytest.raises(ValueError, match="does not have 4 channels"):
        ptxlab.Texture(flags, channels=4)
    with pytest.raises(ValueError, match="does not have 3 layers"):
        ptxlab.Texture(np.zeros((4, 2, 2), dtype=np.float32), layers=3)
    with pytest.raises(ptxlab.PtxlabError, match="numbers must be finite"):
        kernel[1, 1](ptxlab.Texture(image, border=[float("nan")] * 4), ptxlab.Surface(out))
    kernel[1, 1](ptxlab.Texture(image, levels=np.int64(1), normalized_coordinates=np.bool_(False)), ptxlab.Surface(out))
    assert out[0, 0] == image[0, 0]
    with pytest.raises(ptxlab.PtxlabError, match="channels of type u8 can be filtered only if they are normalized"):
        kernel[1, 1](ptxlab.Texture(flags, channels=2, filter="linear"), ptxlab.Surface(out))


NAMED = """
.version 8.0
.target sm_80, texmode_independent
.address_size 64
.global .texref image;
.visible .entry sample(.param .u64 out, .param .samplerref way) {
  .reg .b64 %rd<2>; .reg .f32 %f<6>;
  ld.param.u64 %rd1, [out];
  mov.f32 %f1, 0f3F800000;
  tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, way, {%f1}];
  st.global.f32 [%rd1], %f2;
  ret;
}
"""


def test_textures_and_samplers_by_name(ptx_device):
    kernel = ptx_device.module(NAMED).kernel("sample")
    out = np.zeros(1, dtype=np.float32)
    image = ptxlab.Texture(np.float32([10, 20, 30, 40]))
    kernel[1, 1](out, ptxlab.Sampler(filter="linear"), bind={"image": image})
    assert out[0] == 15
    with ptx_device.buffer(np.float32([1, 2, 3, 4])) as texels:
        kernel[1, 1](out, ptxlab.Sampler(), bind={"image": ptxlab.Texture(texels, type="f32", size=[4])})
        assert out[0] == 2
        kernel[1, 1](out, ptxlab.Sampler(filter="linear"))
        assert out[0] == 1.5
    with pytest.raises(ptxlab.PtxlabError, match="did you mean image"):
        kernel[1, 1](out, ptxlab.Sampler(), bind={"imag": image})
    with pytest.raises(ptxlab.PtxlabError, match="is a texture; it cannot be bound to a sampler"):
        kernel[1, 1](out, ptxlab.Sampler(), bind={"image": ptxlab.Sampler()})


POINTERS = """.version 7.5
.target sm_75
.address_size 64
.entry k(.param .u64 out, .param .u64 .ptr .const table, .param .u64 .ptr .shared part) {
  .reg .b64 %rd<4>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [table];
  ld.param.u64 %rd3, [part];
  ld.const.u32 %r1, [%rd2+4];
  st.shared.u32 [%rd3+12], %r1;
  ld.shared.u32 %r1, [%rd3+12];
  st.global.u32 [%rd1], %r1;
  ret;
}
"""


def test_pointers_to_constant_and_shared_memory(ptx_device):
    kernel = ptx_device.module(POINTERS).kernel("k")
    out = np.zeros(1, dtype=np.uint32)
    kernel[1, 1](out, np.uint32([3, 4]), ptxlab.Shared(16))
    assert out[0] == 4


def test_copies_a_box_of_a_tensor(ptx_device):
    matrix = np.arange(28, dtype=np.int32).reshape(4, 7)
    # A row must be a multiple of 16 bytes, so the matrix gets one more column.
    padded = np.pad(matrix, ((0, 0), (0, 1)))
    expected = np.pad(matrix[1:3, 4:], ((0, 0), (0, 1)))
    kernel = ptx_device.module(BOX).kernel("box")
    out = np.zeros((2, 4), dtype=np.int32)
    kernel[1, 1](ptxlab.TensorMap(padded, [4, 2], dimensions=[7, 4], strides=[32]), out)
    np.testing.assert_array_equal(out, expected)
    buffer = ptx_device.buffer(padded)
    out[...] = 0
    kernel[1, 1](ptxlab.TensorMap(buffer, [4, 2], type="s32", dimensions=[7, 4], strides=[32]), out)
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(ptxlab.PtxlabError, match="a row of the box must be a multiple of 16 bytes, not 12"):
        kernel[1, 1](ptxlab.TensorMap(padded, [3, 2]), out)


STRUCT = """.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 p[160]) {
.shared .align 128 .b8 tile[16]; .shared .align 8 .b64 object; .reg .pred %p;
.reg .b32 %r<5>; .reg .f32 %f<3>; .reg .b64 %rd<4>;
mov.b64 %rd1, p; cvta.param.u64 %rd3, %rd1;
ld.param.u64 %rd2, [p+128]; ld.param.f32 %f1, [p+136]; ld.param.u32 %r4, [p+140];
mbarrier.init.shared::cta.b64 [object], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 16;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd3, {4}], [object];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0; @!%p bra wait;
ld.shared.f32 %f2, [tile+4]; mul.f32 %f2, %f2, %f1; st.global.f32 [%rd2], %f2; st.global.b32 [%rd2+4], %r4; ret; }
"""


def test_structures_hold_tensor_maps_addresses_and_numbers(ptx_device):
    kernel = ptx_device.module(STRUCT).kernel("k")
    values, out = np.arange(8, dtype=np.float32), np.zeros(4, dtype=np.float32)
    box = ptxlab.TensorMap(values, [4])
    whole = np.zeros(40, dtype=np.uint32)
    whole[35] = 7
    kernel[1, 1](ptxlab.Struct(whole, {0: box, 128: ptxlab.Pointer(out, 8), 136: np.float32(1.5)}))
    np.testing.assert_array_equal(out[:3], [0, 0, 7.5])
    assert out[3:].view(np.uint32)[0] == 7
    buffer = ptx_device.buffer(8)
    kernel[1, 1](ptxlab.Struct(160, {0: box, 128: buffer, 136: b"\0\0\0@"}))
    np.testing.assert_array_equal(buffer.read(np.float32), [10, 0])


@pytest.mark.parametrize(
    "contents, parts, message",
    [
        (160, {136: 1.5}, "a Struct cannot hold float at 136; numbers need a type, as in numpy.float32"),
        (160, {0: ptxlab.Shared(4)}, "a Struct cannot hold Shared at 0"),
        (160, [1], "`parts` must be a dict, not list"),
        (160, {156: np.zeros(1)}, "the part at 156 ends at 164, but the structure at 160"),
        (160, {-4: np.float32(1)}, r"parts\[0\].at: must be a whole number from 0"),
        (152, {}, "160 bytes"),
        (-1, {}, "a structure cannot have -1 bytes"),
        (1 << 40, {}, "a structure cannot have 1099511627776 bytes"),
    ],
)
def test_refuses_parts_that_do_not_fit(ptx_device, contents, parts, message):
    kernel = ptx_device.module(STRUCT).kernel("k")
    with pytest.raises(ptxlab.PtxlabError, match=message):
        kernel[1, 1](ptxlab.Struct(contents, parts))


def test_pixels_of_images(ptx_device):
    image = np.arange(2 * 5 * 4, dtype=np.int32).reshape(2, 5, 4)
    text = (
        BOX.replace("2d", "3d")
        .replace(".tile", ".im2col")
        .replace("{4, 1}], [object]", "{0, 3, 0}], [object], {%h}")
        .replace(".reg .pred %p;", ".reg .pred %p; .reg .b16 %h; mov.b16 %h, 1;")
    )
    out = np.zeros((2, 4), dtype=np.int32)
    corners = {"lowerCorner": [0], "upperCorner": [-1], "channelsPerPixel": 4, "pixelsPerColumn": 2}
    ptx_device.module(text).kernel("box")[1, 1](ptxlab.TensorMap(image, im2col=corners), out)
    np.testing.assert_array_equal(out, [image[0, 4], image[1, 1]])


def test_arrays_with_gaps_and_read_only_arrays(ptx_device):
    x = np.arange(8, dtype=np.float32)
    x.flags.writeable = False
    z = np.zeros(16, dtype=np.float32)[::2]
    ptx_device.module(ADD).kernel()[1, 8](x, x[::-1], z, np.uint32(8))
    np.testing.assert_array_equal(z, np.full(8, 7))


def test_buffers_stay_on_the_device_and_are_freed_with_their_objects():
    with ptxlab.Device(gpu="sm_90", memory=1 << 20) as device, device.module(ADD) as module:
        for _ in range(10):
            buffer = device.buffer(np.ones(100_000, dtype=np.float32))
            module.kernel("add")[1, 128](buffer, buffer, buffer, 100)
            assert buffer.read(np.float32)[[0, 99, 100]].tolist() == [2, 2, 1]
            del buffer
            gc.collect()
        with device.buffer(4) as short:
            short.write(np.array([7], dtype=np.int32))
            assert short.read(np.int32).tolist() == [7]


def test_a_fault_says_where(ptx_device):
    x = np.zeros(4, dtype=np.float32)
    with pytest.raises(ptxlab.Fault) as caught:
        ptx_device.module(ADD).kernel()[1, 8](x, x, x, 8)
    assert caught.value.code == "PTX6001"
    assert caught.value.data["thread"] == [4, 0, 0]


def test_data_races(ptx_device):
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, dtype=np.float32)
    assert ptx_device.module(ADD).kernel()[1, 4](x, x, y, 4, races="report")["races"] == []
    everyone = ADD.replace("add.u64 %rd3, %rd3, %rd4;", "")
    (race,) = ptx_device.module(everyone).kernel()[1, 4](x, x, y, 4, races="report")["races"]
    assert (race["code"], race["first"]["line"], race["second"]["line"]) == ("PTX6038", 28, 28)


def test_check(ptx_check):
    ptx_check(ADD)
    report = ptxlab.check(ADD.replace("add.f32", "add.rx.f32"))
    assert not report
    assert report.findings[0].line == 27
    assert ptxlab.check("cvt", target="sm_90").ok is False


def test_a_refused_module_has_its_findings(ptx_device):
    with pytest.raises(ptxlab.PtxlabError) as caught:
        ptx_device.module("nonsense")
    assert caught.value.code == "refused-module"
    assert caught.value.data["diagnostics"]


def test_convert():
    values = np.array([[1, 2.7], [-500, np.pi]], dtype=np.float32)
    np.testing.assert_array_equal(ptxlab.convert(values, "f16"), values.astype(np.float16))
    codes = ptxlab.convert(values, "e4m3")
    assert codes.view(np.uint8).tolist() == [[0x38, 0x43], [0xFE, 0x45]]
    back = ptxlab.convert(codes, "f32", from_="e4m3")
    assert back.tolist() == [[1, 2.75], [-448, 3.25]]
    with pytest.raises(ptxlab.PtxlabError, match="could have several formats"):
        ptxlab.convert(np.zeros(3, dtype=np.uint8), "f32")


def test_convert_takes_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    halves = np.array([1.5, -2], dtype=ml_dtypes.bfloat16)
    assert ptxlab.convert(halves, "f32").tolist() == [1.5, -2]
    assert ptxlab.convert(np.float32([1.5]), "bf16").dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("name", ["float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4", "int2", "uint4", "uint2"])
def test_convert_takes_narrow_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.array([[1, 0, 1], [0, 1, 1]], np.float32)
    assert np.array_equal(ptxlab.convert(values.astype(getattr(ml_dtypes, name)), "f32"), values)


def test_convert_reads_both_byte_orders():
    values = np.array([1, 2.5, -3], np.float32)
    assert np.array_equal(ptxlab.convert(values.astype(">f4"), "f16"), values.astype(np.float16))
    swapped = values.astype(">f4").reshape(1, 3)
    assert np.array_equal(ptxlab.quantize(swapped, "mxfp8").dequantize(), values.reshape(1, 3))


def test_convert_names_formats_by_dtype():
    values = np.array([[1, 2.5], [-3, 0]], np.float32)
    assert np.array_equal(ptxlab.convert(values, np.float16), values.astype(np.float16))
    assert ptxlab.convert(np.float32(1.5), "float16").shape == ()
    for name, other in (("bfloat16", "bf16"), ("float8_e4m3fn", "e4m3")):
        assert np.array_equal(ptxlab.convert(values, name), ptxlab.convert(values, other))
        assert ptxlab.convert(values, name).shape == values.shape


def test_quantize_says_what_it_takes():
    with pytest.raises(ptxlab.PtxlabError, match="quantize takes float32, float16 and bfloat16, not uint8"):
        ptxlab.quantize(np.zeros((1, 4), np.uint8), "mxfp4")


def test_convert_takes_torch_tensors():
    torch = pytest.importorskip("torch")
    assert ptxlab.convert(torch.tensor([1.5, -2], dtype=torch.bfloat16), "f32").tolist() == [1.5, -2]


@pytest.mark.parametrize("scheme", ["mxfp8", "mxfp6", "mxfp4", "nvfp4", "e4m3", "s8"])
def test_quantize_and_read_back(scheme):
    values = np.random.default_rng(1).standard_normal((4, 64)).astype(np.float32)
    made = ptxlab.quantize(values, scheme)
    back = made.dequantize()
    assert back.shape == values.shape
    assert np.abs(back - values).max() <= 0.3 * np.abs(values).max()
    assert ptxlab.quantize(back, scheme).dequantize().shape == values.shape


def test_evaluate_is_vectorized():
    a = np.linspace(-500, 500, 1001, dtype=np.float32)
    packed = ptxlab.evaluate("cvt.rn.satfinite.e4m3x2.f32", a, np.float32(1))
    assert packed.dtype == np.uint16 and packed.shape == a.shape
    np.testing.assert_array_equal(packed >> 8, ptxlab.convert(a, "e4m3").view(np.uint8))
    sums = ptxlab.evaluate("add.f32", a.reshape(7, 143), np.float32(0.5)).view(np.float32)
    np.testing.assert_array_equal(sums, a.reshape(7, 143) + np.float32(0.5))


def test_explain():
    assert "add" in ptxlab.explain("add.s32")


def test_triton_ptx():
    class Compiled:
        asm = {"ptx": ADD}

    assert ptxlab.check(ptxlab.triton_ptx(Compiled()))


def test_without_node_it_says_so(monkeypatch):
    monkeypatch.delenv("PTXLAB_NODE", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ptxlab.PtxlabError, match="needs Node 20.19") as caught:
        ptxlab.Server()
    assert caught.value.code == "no-node"


def test_the_readme_runs_as_it_is(monkeypatch):
    root = pathlib.Path(__file__).parents[2]
    monkeypatch.chdir(root)
    code = re.search(r"```python\n(.*?)```", (root / "README.md").read_text(), re.S)[1]
    *_, converted = code.strip().splitlines()
    found = {}
    exec(code, found)
    assert found["z"].tolist() == [4, 6]
    assert eval(converted, found).tolist() == [0x38, 0x43, 0xFE]


def passed(device, type, value):
    """What a kernel gets for a number."""
    dtype = np.dtype({"b": "u", "s": "i"}.get(type[0], type[0]) + str(int(type[1:]) // 8))
    bits = f".b{8 * dtype.itemsize}"
    text = SCALAR.replace(".f32", bits).replace(f".param {bits} x", f".param .{type} x")
    out = np.zeros(1, dtype=dtype)
    device.module(text).kernel()[1, 1](value, out)
    return out[0].item()


@pytest.mark.parametrize(
    "type, value, expected",
    [
        ("f32", np.int32(7), 7),
        ("f32", np.float64(0.1), float(np.float32(0.1))),
        ("f32", 2**60 + 2**36 + 1, float(2**60 + 2**37)),
        ("f32", True, 1),
        ("f64", np.int64(7), 7),
        ("f64", 2**53 + 1, float(2**53)),
        ("f64", -(2**53) - 3, float(-(2**53) - 4)),
        ("f64", np.float32(1.5), 1.5),
        ("f16", 1.5, 1.5),
        ("f16", np.float32(float("inf")), float("inf")),
        ("u32", np.float32(3), 3),
        ("u32", np.int64(-1), 2**32 - 1),
        ("u32", np.bool_(True), 1),
        ("s32", -(2**31), -(2**31)),
        ("u64", 2**64 - 1, 2**64 - 1),
        ("s64", np.uint8(200), 200),
        ("b32", np.float32(1.5), 0x3FC00000),
        ("b16", np.float16(1.5), 0x3E00),
        ("b64", np.float64(1.5), 0x3FF8 << 48),
        ("b64", np.int32(-1), 2**64 - 1),
    ],
)
def test_numbers_are_converted_to_the_types_of_their_parameters(ptx_device, type, value, expected):
    assert passed(ptx_device, type, value) == expected


def test_a_scalar_of_ml_dtypes_is_a_number(ptx_device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert passed(ptx_device, "f32", ml_dtypes.bfloat16(1.5)) == 1.5
    assert passed(ptx_device, "b16", ml_dtypes.bfloat16(1.5)) == 0x3FC0


@pytest.mark.parametrize(
    "type, value, code",
    [
        ("u32", np.float32(1.5), "argument-type"),
        ("u64", float("nan"), "argument-type"),
        ("s32", float("inf"), "argument-type"),
        ("b32", 1.5, "argument-type"),
        ("f32", "1", "argument-type"),
        ("f32", None, "argument-type"),
        ("u32", 1j, "argument-type"),
        ("f32", np.complex64(1), "argument-type"),
        ("u32", 2**40, "argument-size"),
        ("u32", np.float64(2**40), "argument-size"),
        ("s32", 2**31, "argument-size"),
        ("u64", 2**64, "argument-size"),
        ("u16", -40000, "argument-size"),
        ("f32", 1e300, "argument-size"),
        ("f16", 65520, "argument-size"),
        pytest.param("f64", 10**400, "argument-size", id="10**400"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(ptx_device, type, value, code):
    with pytest.raises(ptxlab.PtxlabError, match=f"argument 0 is .*; parameter .{type} x") as caught:
        passed(ptx_device, type, value)
    assert caught.value.code == code


AXPY = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry axpy(.param .u64 y, .param .u64 x, .param .f32 a)
{
  .reg .f32 %f<4>;
  .reg .b64 %rd<4>;
  .reg .b32 %r;
  ld.param.u64 %rd1, [y];
  ld.param.u64 %rd2, [x];
  ld.param.f32 %f3, [a];
  mov.u32 %r, %tid.x;
  mul.wide.u32 %rd3, %r, 4;
  add.u64 %rd1, %rd1, %rd3;
  add.u64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd1];
  ld.global.f32 %f2, [%rd2];
  fma.rn.f32 %f1, %f2, %f3, %f1;
  st.global.f32 [%rd1], %f1;
  ret;
}
"""


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.reshape(2, 2), lambda x: x.view(np.uint32), lambda x: x[:3]])
def test_the_same_memory_is_one_buffer(ptx_device, view):
    kernel = ptx_device.module(AXPY).kernel()
    for order in (1, -1):
        x = np.arange(4, dtype=np.float32)
        y, scale = (x, view(x))[::order], 2.0
        kernel[1, view(x).size](*y, scale)
        expected = np.arange(4) * 3
        expected[view(x).size :] = np.arange(4)[view(x).size :]
        np.testing.assert_array_equal(x, expected)


def test_the_same_array_with_gaps_is_one_buffer(ptx_device):
    whole = np.zeros((4, 4), dtype=np.float32)
    whole[:, 1] = np.arange(4)
    ptx_device.module(AXPY).kernel()[1, 4](whole[:, 1], whole[:, 1], 2.0)
    np.testing.assert_array_equal(whole[:, 1], np.arange(4) * 3)
    assert whole.sum() == 18


def test_overlapping_arrays_are_parts_of_one_buffer(ptx_device):
    kernel = ptx_device.module(AXPY).kernel()
    for count in (6, 6000):
        x = np.arange(count, dtype=np.float32)
        expected = x.copy()
        kernel[1, 4](x[:-2], x[2:], 1.0)
        expected[:4] += expected[2:6]
        np.testing.assert_array_equal(x, expected)
        kernel[1, 2](x[2:], x[:4], 1.0)
        expected[2:4] += expected[:2]
        np.testing.assert_array_equal(x, expected)


def test_neighboring_arrays_are_apart(ptx_device):
    x = np.arange(8, dtype=np.float32)
    with pytest.raises(ptxlab.Fault):
        ptx_device.module(AXPY).kernel()[1, 5](x[:4], x[4:], 1.0)


def test_a_texture_and_a_surface_of_the_same_array(ptx_device):
    kernel = ptx_device.module(COPY).kernel()
    image = np.arange(12, dtype=np.float32).reshape(3, 4)
    kernel[1, (4, 3)](ptxlab.Texture(image), ptxlab.Surface(image))
    np.testing.assert_array_equal(image, np.arange(12).reshape(3, 4))


def test_overlapping_arrays_of_other_strides_must_not_be_written(ptx_device):
    kernel = ptx_device.module(AXPY).kernel()
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, dtype=np.float32)
    add = ptx_device.module(ADD).kernel()
    add[1, 4](x, x[::-1], y, 4)
    assert y.tolist() == [3, 3, 3, 3]
    with pytest.raises(ptxlab.PtxlabError, match="overlaps another argument") as caught:
        kernel[1, 4](x, x[::-1], 1.0)
    assert caught.value.code == "overlapping-arrays"
    np.testing.assert_array_equal(x, np.arange(4))
    # These have no element in common.
    kernel[1, 2](x[::2], x[1::2], 1.0)
    assert x.tolist() == [1, 1, 5, 3]


def test_arrays_that_are_only_read_are_not_written(ptx_device):
    class Counted(np.ndarray):
        def __setitem__(self, *_):
            pytest.fail("the array was written")

    x, z = np.arange(4, dtype=np.float32), np.zeros(4, dtype=np.float32)
    ptx_device.module(ADD).kernel()[1, 4](x.view(Counted), x, z, 4)
    assert z.tolist() == [0, 2, 4, 6]


def test_an_array_is_not_a_number(ptx_device):
    kernel = ptx_device.module(SCALAR).kernel()
    for array in (np.array(1.5, np.float32), ptx_device.buffer(4)):
        with pytest.raises(ptxlab.PtxlabError, match="argument 0 is an? .*; parameter .f32 x takes a number") as caught:
            kernel[1, 1](array, np.zeros(1, np.float32))
        assert caught.value.code == "argument-type"


def test_arrays_of_all_sizes(ptx_device):
    kernel = ptx_device.module(ADD).kernel()
    for count in (1, 1024, 1025, 100_000):
        x, z = np.arange(count, dtype=np.float32), np.zeros(count, dtype=np.float32)
        kernel[-(-count // 256), 256](x, x, z, count)
        np.testing.assert_array_equal(z, x + x)
        with ptx_device.buffer(z) as buffer:
            np.testing.assert_array_equal(buffer.read(np.float32), z)
            buffer.write(x)
            np.testing.assert_array_equal(buffer.read(np.float32), x)


@pytest.mark.parametrize(
    "value, expected",
    [
        (1.5, 0x3E00),
        (0.1, 0x2E66),
        (np.float64(1.5), 0x3E00),
        (np.float16(1.5), 0x3E00),
        (np.float32(1.5), 0x3E00),
        (np.array([1.5, -2.5]), [0x3E00, 0xC100]),
        ([1.5, 2.5], [0x3E00, 0x4100]),
        (np.array([1.5], dtype=">f4"), [0x3E00]),
        (float("inf"), 0x7C00),
        (0x3FC00000, 0x3E00),
        (np.uint64([0x3FC00000]), [0x3E00]),
        (np.int32(0x3FC00000), 0x3E00),
        (np.zeros((0, 2)), np.zeros((0, 2))),
    ],
)
def test_evaluate_takes_floats_as_values_and_integers_as_bits(value, expected):
    result = ptxlab.evaluate("cvt.rn.f16.f32", value)
    np.testing.assert_array_equal(result, expected)
    assert result.shape == np.shape(value)


def test_evaluate_knows_the_types_of_operands():
    assert ptxlab.evaluate("cvt.f32.bf16", 1 + 2**-8 + 2**-40).view(np.float32) == 1 + 2**-7
    assert ptxlab.evaluate("add.f64", 1.5, np.float32(2)).view(np.float64) == 3.5
    assert ptxlab.evaluate("selp.f32", 1.5, 2.5, [True, False]).view(np.float32).tolist() == [1.5, 2.5]
    assert ptxlab.evaluate("mov.b32", np.float16(1), np.uint16(2)) == 0x23C00
    assert ptxlab.evaluate("mov.b64", 1.5) == 0x3FF8 << 48
    assert ptxlab.evaluate("add.s32", np.int8(-1), -2).view(np.int32) == -3
    assert ptxlab.evaluate("mov.b128", 2**64 - 1) == 2**64 - 1


@pytest.mark.parametrize(
    "inst, values, code",
    [
        ("cvt.rn.f16.f32", [2**40], "argument-size"),
        ("cvt.rn.f16.f32", [1e300], "argument-size"),
        ("cvt.f32.bf16", [3.4e38], "argument-size"),
        ("add.u32", [1.5, 1], "argument-type"),
        ("add.f16x2", [np.float64(1.5), 1], "argument-type"),
        ("mov.b32", [1.5], "argument-type"),
        ("add.u32", ["1", 1], "argument-type"),
        ("add.u32", [2**70, 1], "argument-type"),
        ("selp.f32", [1.5, 2.5, 2], "argument-size"),
        ("add.f32", [], "PTX3002"),
        ("add.f32", [1.5], "PTX3002"),
        ("nonsense.f32", [1.5], "PTX2001"),
    ],
)
def test_evaluate_refuses_what_does_not_fit(inst, values, code):
    with pytest.raises(ptxlab.PtxlabError) as caught:
        ptxlab.evaluate(inst, *values)
    assert caught.value.code == code


def test_evaluate_takes_many_elements():
    values = np.arange(300_000, dtype=np.uint32)
    results = ptxlab.evaluate("add.u32", values, np.uint32(1))
    np.testing.assert_array_equal(results, values + np.uint32(1))
    below, _ = ptxlab.evaluate("setp.lt.f32", np.arange(10_000, dtype=np.float32), 5000.0)
    assert below.sum() == 5000


def test_the_readme_of_the_package_runs_as_it_is(ptx_device, ptx_check):
    text = (pathlib.Path(__file__).parents[2] / "python/README.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))
    found = {}
    exec(code, found)
    found["test_axpy"](ptx_device, ptx_check)
    found["device"].close()


def test_pointers_are_addresses_inside_of_arrays_and_buffers(ptx_device):
    kernel = ptx_device.module(AXPY).kernel()
    both = np.float32([10, 20, 1, 2])
    kernel[1, 2](both, ptxlab.Pointer(both, 8), 2)
    assert both.tolist() == [12, 24, 1, 2]
    with ptx_device.buffer(both) as held:
        kernel[1, 2](ptxlab.Pointer(held, 8), ptxlab.Pointer(held), 1)
        assert held.read(np.float32).tolist() == [12, 24, 13, 26]
    with pytest.raises(ptxlab.PtxlabError, match="argument 2 is a pointer"):
        kernel[1, 1](both, both, ptxlab.Pointer(both))


# Adds y[i] to x[i] for arrays whose addresses are in a list: x is the first, y the second.
ADD_LISTED = """
.version 8.0
.target sm_90
.address_size 64
.entry add_listed(.param .u64 list)
{
    .reg .u32 %t;
    .reg .u64 %l, %x, %y;
    .reg .f32 %a, %b;
    ld.param.u64 %l, [list];
    ld.global.u64 %x, [%l];
    ld.global.u64 %y, [%l+8];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %x, %t, 4, %x;
    mad.wide.u32 %y, %t, 4, %y;
    ld.global.f32 %a, [%x];
    ld.global.f32 %b, [%y];
    add.f32 %a, %a, %b;
    st.global.f32 [%x], %a;
    st.global.u32 [%l+16], %t;
    ret;
}
"""


def test_an_array_can_hold_addresses_of_arrays_buffers_and_pointers(ptx_device):
    kernel = ptx_device.module(ADD_LISTED).kernel()
    both, listed = np.float32([10, 20, 1, 2]), np.uint64([7, 8, 9])
    kernel[1, 2](ptxlab.Pointer(listed, addresses={0: both, 8: ptxlab.Pointer(both, 8)}))
    assert both.tolist() == [11, 22, 1, 2]
    assert listed.tolist()[:2] == [7, 8], "unchanged addresses are not copied back"
    assert listed[2] < 2
    with ptx_device.buffer(both) as held:
        kernel[1, 2](ptxlab.Pointer(listed, addresses={0: both, 8: held}))
        assert both.tolist() == [22, 44, 1, 2]
        with pytest.raises(ptxlab.PtxlabError, match="not a Buffer"):
            kernel[1, 2](ptxlab.Pointer(held, addresses={0: both}))


def test_wrong_addresses_are_refused(ptx_device):
    kernel = ptx_device.module(ADD_LISTED).kernel()
    x, y, listed = np.float32([1]), np.float32([2]), np.zeros(3, np.uint64)
    for at in (-8, 17, 24, 2**70):
        with pytest.raises(ptxlab.PtxlabError, match=f"24 bytes has no address at {at}"):
            kernel[1, 1](ptxlab.Pointer(listed, addresses={at: x}))
    for wrong in (None, 5, "x", [1.0], {}):
        with pytest.raises(ptxlab.PtxlabError, match="must be an array, a Buffer or a Pointer, not"):
            ptxlab.Pointer(listed, addresses={0: wrong})
    with pytest.raises(ptxlab.PtxlabError, match="must be a dict, not list"):
        ptxlab.Pointer(listed, addresses=[x])
    with pytest.raises(ptxlab.PtxlabError, match="two addresses at 4"):
        kernel[1, 1](ptxlab.Pointer(listed, addresses={0: x, 4: y}))
    with pytest.raises(ptxlab.PtxlabError, match="two addresses at 0"):
        kernel[1, 1](ptxlab.Pointer(listed, addresses={0: x, 8: ptxlab.Pointer(listed, addresses={0: y})}))
    with pytest.raises(ptxlab.PtxlabError, match="argument 0: the offset"):
        kernel[1, 1](ptxlab.Pointer(listed, 2**70))
    assert x.tolist() == [1]


def test_buffers_of_other_devices_are_refused(ptx_device):
    kernel = ptx_device.module(ADD_LISTED).kernel()
    listed = np.zeros(3, np.uint64)
    with ptxlab.Device() as other:
        foreign = other.buffer(64)
        for argument in (foreign, ptxlab.Pointer(foreign), ptxlab.Pointer(listed, addresses={0: foreign})):
            with pytest.raises(ptxlab.PtxlabError, match="belongs to another device"):
                kernel[1, 1](argument)


# Moves the address in the list by four bytes.
MOVE_LISTED = """
.version 8.0
.target sm_90
.address_size 64
.entry move_listed(.param .u64 list)
{
    .reg .u64 %l, %x;
    ld.param.u64 %l, [list];
    ld.global.u64 %x, [%l];
    add.u64 %x, %x, 4;
    st.global.u64 [%l], %x;
    ret;
}
"""


def test_addresses_that_a_kernel_moves_are_addresses_of_the_host(ptx_device):
    kernel = ptx_device.module(MOVE_LISTED).kernel()
    x, listed = np.float32([1, 2]), np.zeros(1, np.uint64)
    listed[0] = x.ctypes.data
    for moved in (4, 8):
        kernel[1, 1](ptxlab.Pointer(listed, addresses={0: ptxlab.Pointer(x, moved - 4)}))
        assert listed[0] == x.ctypes.data + moved


def test_addresses_lead_from_array_to_array(ptx_device):
    kernel = ptx_device.module(ADD_LISTED).kernel()
    x, y, table = np.float32([1]), np.float32([2]), np.zeros(4, np.uint64)
    inner = ptxlab.Pointer(table, 8, addresses={8: x, 16: y})
    kernel[1, 1](inner)
    assert x.tolist() == [3]
    # The array may be part of the list itself: its own first word is added to x.
    table[0] = 0x3F800000
    kernel[1, 1](ptxlab.Pointer(table, 8, addresses={8: x, 16: table}))
    assert x.tolist() == [4]
    ring = ptxlab.Pointer(table, 8)
    ring.addresses = {8: x, 16: y, 24: ring}
    table.resize(5, refcheck=False)
    kernel[1, 1](ring)
    assert x.tolist() == [6]


def test_the_message_of_a_fault_says_where_it_happened():
    place = {"source": {"file": "a.cu", "line": 7}, "line": 30, "kernel": "k", "block": [1, 0, 0], "thread": [2, 0, 0]}
    expected = "out of bounds (a.cu:7, line 30 of the PTX, kernel k, block [1, 0, 0], thread [2, 0, 0])"
    assert str(ptxlab.Fault("PTX6001", "out of bounds", place)) == expected
    assert str(ptxlab.Fault("PTX6001", "out of bounds", {"source": None, "line": None})) == "out of bounds"
