// Sums, scans and maxima: trees in shared memory, shuffles within a warp, atomics across blocks.
// build: sm_80 -arch=sm_80 -O3 -fmad=false
// build: sm_100a -arch=sm_100a -O3 -fmad=false -lineinfo
#include "host/kernel.h"

constexpr unsigned every = 0xffffffff;

KERNEL sum_tree(const float *x, float *sums, int n) {
  __shared__ float partial[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

KERNEL sum_down(const float *x, float *y) {
  float value = x[threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(every, value, delta);
  y[threadIdx.x] = value;
}

KERNEL max_xor(const int *x, int *y) {
  int value = x[threadIdx.x];
  for (int bit = 1; bit < 32; bit *= 2) value = max(value, __shfl_xor_sync(every, value, bit));
  y[threadIdx.x] = value;
}

KERNEL scan_warp(const int *x, int *y) {
  const int lane = threadIdx.x % 32;
  int value = x[threadIdx.x];
  for (int delta = 1; delta < 32; delta *= 2) {
    const int other = __shfl_up_sync(every, value, delta);
    if (lane >= delta) value += other;
  }
  y[threadIdx.x] = value;
}

__device__ double warp_sum(double value) {
  for (int bit = 16; bit > 0; bit /= 2) value += __shfl_xor_sync(every, value, bit);
  return value;
}

KERNEL dot_double(const double *x, const double *y, double *out, int n) {
  __shared__ double sums[8];
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum = fma(x[i], y[i], sum);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
  sum = warp_sum(sum);
  if (threadIdx.x == 0) *out = sum;
}

/** Two passes of Blelloch's exclusive scan in dynamic shared memory. */
KERNEL scan_block(const uint32_t *x, uint32_t *y, uint32_t *total, int n) {
  DYNAMIC_SHARED(uint32_t, tree);
  const int i = threadIdx.x;
  tree[2 * i] = x[2 * i];
  tree[2 * i + 1] = x[2 * i + 1];
  int stride = 1;
  for (int d = n / 2; d > 0; d /= 2, stride *= 2) {
    __syncthreads();
    if (i < d) tree[stride * (2 * i + 2) - 1] += tree[stride * (2 * i + 1) - 1];
  }
  if (i == 0) {
    *total = tree[n - 1];
    tree[n - 1] = 0;
  }
  for (int d = 1; d < n; d *= 2) {
    stride /= 2;
    __syncthreads();
    if (i < d) {
      const uint32_t left = tree[stride * (2 * i + 1) - 1];
      tree[stride * (2 * i + 1) - 1] = tree[stride * (2 * i + 2) - 1];
      tree[stride * (2 * i + 2) - 1] += left;
    }
  }
  __syncthreads();
  y[2 * i] = tree[2 * i];
  y[2 * i + 1] = tree[2 * i + 1];
}

/** The value in the upper word and its position in the lower, so that one 64-bit maximum finds both. */
KERNEL argmax(const int *x, unsigned long long *best, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long key = 0;
  if (i < n) key = (unsigned long long)(unsigned)(x[i] ^ 0x80000000) << 32 | (unsigned)~i;
  for (int bit = 16; bit > 0; bit /= 2) key = max(key, __shfl_xor_sync(every, key, bit));
  if (threadIdx.x % 32 == 0) atomicMax(best, key);
}

KERNEL redux(const unsigned *x, unsigned *y) {
  const unsigned value = x[threadIdx.x];
  unsigned *out = y + threadIdx.x * 6;
  out[0] = __reduce_add_sync(every, value);
  out[1] = __reduce_min_sync(every, (int)value);
  out[2] = __reduce_max_sync(every, value);
  out[3] = __reduce_and_sync(every, value | 0xff00);
  out[4] = __reduce_or_sync(every, value & 0x10010);
  out[5] = __reduce_xor_sync(every, value);
}

__device__ unsigned blocks_done;

/** The last block to finish adds up what the others left in memory. */
KERNEL sum_last_block(const int *x, volatile int *partial, int *sum, int n) {
  __shared__ int block_sum;
  __shared__ bool last;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&block_sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = block_sum;
    __threadfence();
    last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += partial[b];
  *sum = total;
}

KERNEL segmented_sum(const int *x, int *y) {
  int value = x[threadIdx.x];
  for (int delta = 4; delta > 0; delta /= 2) value += __shfl_down_sync(every, value, delta, 8);
  y[threadIdx.x] = __shfl_sync(every, value, 0, 8);
}

#ifdef PTXLAB_HOST
CASES {
  RUN(sum_tree, Shape{{3}, {128}}, floats(300, 1, 0, 8), zeros<float>(3), 300);
  RUN(sum_down, Shape{{1}, {64}}, floats(64, 2, -2, 2), zeros<float>(64));
  RUN(max_xor, Shape{{1}, {96}}, bits<int>(96, 3), zeros<int>(96));
  RUN(scan_warp, Shape{{1}, {64}}, bits<int>(64, 4), zeros<int>(64));
  std::vector<double> x, y;
  for (int i = 0; i < 100; i++) x.push_back(1.0 / (i + 1)), y.push_back(i % 7 - 2.9);
  RUN(dot_double, Shape{{1}, {96}}, of(x), of(y), zeros<double>(1), 100);
  RUN(scan_block, Shape{{1}, {64}, 512}, bits<uint32_t>(128, 5), zeros<uint32_t>(128), zeros<uint32_t>(1), 128);
  RUN(argmax, Shape{{3}, {64}}, bits<int>(150, 6), zeros<unsigned long long>(1), 150);
  RUN(redux, Shape{{1}, {64}}, bits<unsigned>(64, 7), zeros<unsigned>(384));
  RUN(sum_last_block, Shape{{5}, {48}}, bits<int>(230, 8), zeros<int>(5), zeros<int>(1), 230);
  RUN(segmented_sum, Shape{{1}, {64}}, bits<int>(64, 9), zeros<int>(64));
}
#endif
