"""Kernels in Gluon, Triton's language for one GPU, that test_triton.py runs."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

shared_layout = gl.NVMMASharedLayout(swizzle_byte_width=64, element_bitwidth=16, rank=2)


@gluon.jit
def copy_pixels(images, out, DOWN: gl.constexpr, RIGHT: gl.constexpr):
    pixels = gl.allocate_shared_memory(images.dtype, images.block_shape, images.layout)
    barrier = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(barrier, count=1)
    mbarrier.expect(barrier, images.block_type.nbytes)
    tma.async_load_im2col(images, [0, -1, -1, 0], [DOWN, RIGHT], barrier, pixels)
    mbarrier.wait(barrier, 0)
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    row = gl.arange(0, 32, gl.SliceLayout(1, layout))
    channel = gl.arange(0, 32, gl.SliceLayout(0, layout))
    gl.store(out + row[:, None] * 32 + channel[None, :], pixels.load(layout))
