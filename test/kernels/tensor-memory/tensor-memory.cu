// Products in tensor memory, as CUDA programmers write them with cuda::ptx.
// nvcc -arch=sm_100a -ptx -o tensor-memory.sm_100a.ptx tensor-memory.cu
#include <cuda/ptx>
#include <cuda_fp16.h>

#include <cstdint>

namespace ptx = cuda::ptx;

constexpr int rows = 128, columns = 32, depth = 64;

// A matrix whose rows are 128 bytes long, with a swizzle of 128 bytes.
__device__ uint64_t descriptor(const void* matrix) {
  uint64_t start = static_cast<uint32_t>(__cvta_generic_to_shared(matrix));
  return start >> 4 | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 46 | uint64_t{2} << 61;
}

__device__ void load_tile(__half* tile, const __half* matrix, int count, int stride) {
  for (int i = threadIdx.x; i < count * 8; i += blockDim.x) {
    int row = i / 8, chunk = i % 8;
    auto from = reinterpret_cast<const uint4*>(matrix + static_cast<size_t>(row) * stride + chunk * 8);
    *reinterpret_cast<uint4*>(tile + row * depth + (chunk ^ (row & 7)) * 8) = *from;
  }
}

// C = A * B, where the rows of A and the columns of B lie along k. A block computes 128 rows and 32 columns.
extern "C" __global__ void __launch_bounds__(128) multiply(const __half* a, const __half* b, float* c, int n, int k) {
  __shared__ alignas(1024) __half tile_a[rows * depth];
  __shared__ alignas(1024) __half tile_b[columns * depth];
  __shared__ uint32_t base;
  __shared__ uint64_t done;
  if (threadIdx.x < 32) {
    ptx::tcgen05_alloc(ptx::cta_group_1, &base, 32);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
  }
  if (threadIdx.x == 0) ptx::mbarrier_init(&done, 1);
  __syncthreads();
  uint32_t sum = base;
  constexpr uint32_t instruction = 1u << 4 | columns / 8 << 17 | rows / 16 << 24;
  const __half* from_a = a + static_cast<size_t>(blockIdx.y) * rows * k;
  const __half* from_b = b + static_cast<size_t>(blockIdx.x) * columns * k;
  for (int at = 0, phase = 0; at < k; at += depth, phase ^= 1) {
    load_tile(tile_a, from_a + at, rows, k);
    load_tile(tile_b, from_b + at, columns, k);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int step = 0; step < depth / 16; step++) {
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, sum, descriptor(tile_a) + 2 * step,
                         descriptor(tile_b) + 2 * step, instruction, at + step > 0);
      }
      ptx::tcgen05_commit(ptx::cta_group_1, &done);
    }
    while (!ptx::mbarrier_try_wait_parity(&done, phase)) {
    }
  }
  ptx::tcgen05_fence_after_thread_sync();
  uint32_t words[columns];
  ptx::tcgen05_ld_32x32b(words, sum + (threadIdx.x / 32 << 21));
  ptx::tcgen05_wait_ld();
  size_t row = static_cast<size_t>(blockIdx.y) * rows + threadIdx.x;
  for (int i = 0; i < columns; i++) c[row * n + blockIdx.x * columns + i] = __uint_as_float(words[i]);
  __syncthreads();
  if (threadIdx.x < 32) ptx::tcgen05_dealloc(ptx::cta_group_1, sum, 32);
}
