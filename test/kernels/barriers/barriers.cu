// Kernels that wait for asynchronous copies with cuda::barrier and cuda::pipeline, built for sm_80 and sm_90:
// nvcc -std=c++17 -ptx -arch=sm_80 -O3 barriers.cu
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

#define KERNEL extern "C" __global__ void

/** Two tiles in turn: while one is used, the next one is copied. */
KERNEL double_buffer(const int *in, int *out, int steps) {
  __shared__ int tiles[2][64];
  __shared__ barrier full[2];
  const auto group = cg::this_thread_block();
  if (threadIdx.x == 0) {
    init(&full[0], 64);
    init(&full[1], 64);
  }
  group.sync();
  cuda::memcpy_async(group, tiles[0], in, sizeof(tiles[0]), full[0]);
  int sum = 0;
  for (int step = 0; step < steps; step++) {
    const int now = step & 1;
    if (step + 1 < steps)
      cuda::memcpy_async(group, tiles[now ^ 1], in + (step + 1) * 64, sizeof(tiles[0]), full[now ^ 1]);
    full[now].arrive_and_wait();
    sum = sum * 3 + tiles[now][(threadIdx.x + 1) % 64];
    group.sync();
  }
  out[threadIdx.x] = sum;
}

/** One warp copies, the other one computes. */
KERNEL two_roles(const int *in, int *out, int steps) {
  __shared__ int tiles[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const bool copies = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
                                  copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int step = 0; step < steps; step++) {
    if (copies) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tiles[step & 1][threadIdx.x], in + step * 32 + threadIdx.x, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum = sum * 7 + tiles[step & 1][(threadIdx.x + 5) % 32];
      pipe.consumer_release();
    }
  }
  if (!copies) out[threadIdx.x - 32] = sum;
}

#if __CUDA_ARCH__ >= 900
/** A thread starts bulk copies into four tiles and counts their bytes; a warp adds up the tiles. */
KERNEL bulk(const int4 *in, int4 *out, int steps) {
  __shared__ alignas(128) int4 tiles[4][32];
  __shared__ barrier full[4], empty[4];
  if (threadIdx.x == 0) {
    for (int tile = 0; tile < 4; tile++) {
      init(&full[tile], 1);
      init(&empty[tile], 32);
    }
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  int4 sum = {0, 0, 0, 0};
  for (int step = 0; step < steps; step++) {
    const int tile = step % 4, round = step / 4;
    if (threadIdx.x == 32) {
      if (round > 0) empty[tile].wait_parity((round - 1) & 1);
      cuda::device::memcpy_async_tx(tiles[tile], in + step * 32, cuda::aligned_size_t<16>(sizeof(tiles[0])), full[tile]);
      (void)cuda::device::barrier_arrive_tx(full[tile], 1, sizeof(tiles[0]));
    }
    if (threadIdx.x < 32) {
      full[tile].wait_parity(round & 1);
      const int4 value = tiles[tile][(threadIdx.x + step) % 32];
      sum.x += value.x;
      sum.y = max(sum.y, value.y);
      sum.z += value.z * step;
      sum.w ^= value.w;
      (void)empty[tile].arrive();
    }
  }
  if (threadIdx.x < 32) out[threadIdx.x] = sum;
}
#endif
