// Products of two blocks in tensor memory, as kernels for Blackwell compute them.
// nvcc -arch=sm_100a -ptx -o block-pairs.sm_100a.ptx block-pairs.cu
#include <cooperative_groups.h>
#include <cuda/ptx>
#include <cuda_fp16.h>

#include <cstdint>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// Each block has half of the columns of B.
constexpr int columns = 64, own_columns = columns / 2, depth = 64;

// A matrix whose rows are 128 bytes long, with a swizzle of 128 bytes.
__device__ uint64_t descriptor(const void* matrix) {
  uint64_t start = static_cast<uint32_t>(__cvta_generic_to_shared(matrix)) & 0x3ffff;
  return start >> 4 | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 46 | uint64_t{2} << 61;
}

__device__ void load_tile(__half* tile, const __half* matrix, int count, int stride) {
  for (int i = threadIdx.x; i < count * 8; i += blockDim.x) {
    int row = i / 8, chunk = i % 8;
    auto from = reinterpret_cast<const uint4*>(matrix + static_cast<size_t>(row) * stride + chunk * 8);
    *reinterpret_cast<uint4*>(tile + row * depth + (chunk ^ (row & 7)) * 8) = *from;
  }
}

// Arrives at an object of the first block of the pair. Both blocks have it at the same place.
__device__ void arrive_at_first(uint64_t* object) {
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(object)) & 0xfeffffff;
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
}

// C = A * B, where the rows of A and the columns of B lie along k. A pair computes 2 * rows rows and 64 columns.
template <int rows>
__device__ void multiply_pair(const __half* a, const __half* b, float* c, int n, int k) {
  __shared__ alignas(1024) __half tile_a[rows * depth];
  __shared__ alignas(1024) __half tile_b[own_columns * depth];
  __shared__ uint32_t base;
  __shared__ uint64_t ready, done;
  auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  if (threadIdx.x < 32) {
    ptx::tcgen05_alloc(ptx::cta_group_2, &base, 64);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_2);
  }
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&ready, 2);
    ptx::mbarrier_init(&done, 1);
  }
  cluster.sync();
  uint32_t sum = base;
  constexpr uint32_t instruction = 1u << 4 | columns / 8 << 17 | 2 * rows / 16 << 24;
  const int first_row = blockIdx.x * rows;
  const int first_column = blockIdx.y * columns;
  for (int at = 0, phase = 0; at < k; at += depth, phase ^= 1) {
    load_tile(tile_a, a + static_cast<size_t>(first_row) * k + at, rows, k);
    load_tile(tile_b, b + static_cast<size_t>(first_column + rank * own_columns) * k + at, own_columns, k);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) arrive_at_first(&ready);
    if (rank == 0 && threadIdx.x == 0) {
      while (!ptx::mbarrier_try_wait_parity(&ready, phase)) {
      }
      for (int step = 0; step < depth / 16; step++) {
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, sum, descriptor(tile_a) + 2 * step,
                         descriptor(tile_b) + 2 * step, instruction, at + step > 0);
      }
      ptx::tcgen05_commit_multicast(ptx::cta_group_2, &done, uint16_t{3});
    }
    while (!ptx::mbarrier_try_wait_parity(&done, phase)) {
    }
  }
  ptx::tcgen05_fence_after_thread_sync();
  uint32_t words[columns];
  ptx::tcgen05_ld_32x32b(words, sum + (threadIdx.x / 32 << 21));
  ptx::tcgen05_wait_ld();
  // With 64 rows in each block, a row takes two lanes, each with half of its columns.
  const int row = first_row + threadIdx.x % rows;
  const int parts = 128 / rows, part = threadIdx.x / rows;
  for (int i = 0; i < columns / parts; i++)
    c[static_cast<size_t>(row) * n + first_column + part * (columns / parts) + i] = __uint_as_float(words[i]);
  cluster.sync();
  if (threadIdx.x < 32) ptx::tcgen05_dealloc(ptx::cta_group_2, sum, 64);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128)
    multiply_256(const __half* a, const __half* b, float* c, int n, int k) {
  multiply_pair<128>(a, b, c, n, k);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128)
    multiply_128(const __half* a, const __half* b, float* c, int n, int k) {
  multiply_pair<64>(a, b, c, n, k);
}
