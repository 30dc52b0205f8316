// Prefix sums as in textbooks, and algorithms built on them.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_120a -arch=sm_120a -O3 -fmad=false
#include "host/kernel.h"

constexpr unsigned every = 0xffffffff;

/** Hillis and Steele: every thread adds the value 1, 2, 4, … positions before it; two buffers alternate. */
KERNEL hillis_steele(const int *x, int *out, int n) {
  DYNAMIC_SHARED(int, buffers);
  const int i = threadIdx.x;
  int from = 0;
  buffers[i] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    const int to = 1 - from;
    int sum = buffers[from * blockDim.x + i];
    if (i >= distance) sum += buffers[from * blockDim.x + i - distance];
    buffers[to * blockDim.x + i] = sum;
    from = to;
    __syncthreads();
  }
  if (i < n) out[i] = buffers[from * blockDim.x + i];
}

/** One word of padding after every 32 avoids bank conflicts. */
__device__ inline int padded(int i) { return i + i / 32; }

/** Blelloch: up a tree and down again, which gives an exclusive sum of floats in a fixed order. */
KERNEL blelloch(const float *x, float *out, int n) {
  DYNAMIC_SHARED(float, tree);
  const int i = threadIdx.x;
  tree[padded(2 * i)] = x[2 * i];
  tree[padded(2 * i + 1)] = x[2 * i + 1];
  int offset = 1;
  for (int nodes = n / 2; nodes > 0; nodes /= 2) {
    __syncthreads();
    if (i < nodes) tree[padded(offset * (2 * i + 2) - 1)] += tree[padded(offset * (2 * i + 1) - 1)];
    offset *= 2;
  }
  if (i == 0) tree[padded(n - 1)] = 0;
  for (int nodes = 1; nodes < n; nodes *= 2) {
    offset /= 2;
    __syncthreads();
    if (i < nodes) {
      const int left = padded(offset * (2 * i + 1) - 1), right = padded(offset * (2 * i + 2) - 1);
      const float held = tree[left];
      tree[left] = tree[right];
      tree[right] += held;
    }
  }
  __syncthreads();
  out[2 * i] = tree[padded(2 * i)];
  out[2 * i + 1] = tree[padded(2 * i + 1)];
}

template <typename T>
__device__ T warp_inclusive(T value) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(every, value, distance);
    if (threadIdx.x % 32 >= distance) value += other;
  }
  return value;
}

/** The inclusive sum of a block; `total` is that of all its threads. */
template <typename T>
__device__ T block_inclusive(T value, T &total) {
  __shared__ T warps[32];
  const int warp = threadIdx.x / 32, count = blockDim.x / 32;
  value = warp_inclusive(value);
  if (threadIdx.x % 32 == 31) warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const T sum = warp_inclusive(threadIdx.x < count ? warps[threadIdx.x] : T(0));
    __syncwarp();
    if (threadIdx.x < count) warps[threadIdx.x] = sum;
  }
  __syncthreads();
  total = warps[count - 1];
  const T before = warp > 0 ? warps[warp - 1] : T(0);
  __syncthreads();
  return value + before;
}

KERNEL scan_long(const long long *x, long long *out) {
  long long total;
  const long long sum = block_inclusive(x[threadIdx.x], total);
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) out[blockDim.x] = total;
}

constexpr unsigned absent = 0, partial = 1, whole = 2;

/**
 * One pass over memory with look-back: blocks take tiles from a counter, publish their sum, then their prefix. A word
 * holds the state in the upper half and the sum in the lower, so both arrive together.
 */
KERNEL look_back(const unsigned *x, unsigned *out, volatile unsigned long long *tiles, unsigned *counter, int n) {
  __shared__ unsigned tile, before;
  if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
  __syncthreads();
  const int i = tile * blockDim.x + threadIdx.x;
  unsigned total;
  const unsigned sum = block_inclusive(i < n ? x[i] : 0, total);
  if (threadIdx.x == 0) {
    unsigned prefix = 0;
    if (tile > 0) {
      tiles[tile] = (unsigned long long)partial << 32 | total;
      __threadfence();
      for (int at = tile - 1;; at--) {
        unsigned long long word;
        do word = tiles[at];
        while (word >> 32 == absent);
        prefix += (unsigned)word;
        if (word >> 32 == whole) break;
      }
    }
    __threadfence();
    tiles[tile] = (unsigned long long)whole << 32 | (prefix + total);
    before = prefix;
  }
  __syncthreads();
  if (i < n) out[i] = before + sum;
}

/** Keeps the odd values in order: ballots count within a warp, a scan across warps. */
KERNEL compact(const int *x, int *out, int *count, int n) {
  __shared__ int base[8];
  int start = 0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x;
    const bool keeps = i < n && (x[i] & 1);
    const unsigned votes = __ballot_sync(every, keeps);
    if (lane == 0) base[warp] = __popc(votes);
    __syncthreads();
    int at = start;
    for (int w = 0; w < blockDim.x / 32; w++) {
      if (w < warp) at += base[w];
      start += base[w];
    }
    if (keeps) out[at + __popc(votes & ((1u << lane) - 1))] = x[i];
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = start;
}

struct Flagged {
  float sum;
  int head;
};

/** Sums that restart at every head. */
KERNEL segmented(const float *x, const int *heads, float *out) {
  Flagged value = {x[threadIdx.x], heads[threadIdx.x] == 0};
  for (int distance = 1; distance < 32; distance *= 2) {
    const float sum = __shfl_up_sync(every, value.sum, distance);
    const int head = __shfl_up_sync(every, value.head, distance);
    if (threadIdx.x % 32 < distance) continue;
    if (!value.head) value.sum += sum;
    value.head |= head;
  }
  out[threadIdx.x] = value.sum;
}

/** The running maximum of doubles: any associative operation will do. */
KERNEL running_maximum(const double *x, double *out) {
  __shared__ double values[64];
  values[threadIdx.x] = x[threadIdx.x];
  for (int distance = 1; distance < 64; distance *= 2) {
    __syncthreads();
    const double before = threadIdx.x >= distance ? values[threadIdx.x - distance] : -INFINITY;
    __syncthreads();
    values[threadIdx.x] = fmax(values[threadIdx.x], before);
  }
  out[threadIdx.x] = values[threadIdx.x];
}

#ifdef PTXLAB_HOST
CASES {
  RUN(hillis_steele, Shape{{1}, {128}, 1024}, bits<int>(120, 1), zeros<int>(120), 120);
  RUN(blelloch, Shape{{1}, {64}, 132 * 4}, floats(128, 2, -1, 1), zeros<float>(128), 128);
  RUN(scan_long, Shape{{1}, {128}}, bits<long long>(128, 3), zeros<long long>(129));
  RUN(look_back, Shape{{9}, {64}}, bits<unsigned>(550, 4), zeros<unsigned>(550), zeros<unsigned long long>(9),
      zeros<unsigned>(1), 550);
  RUN(compact, Shape{{1}, {96}}, bits<int>(250, 5), zeros<int>(250), zeros<int>(1), 250);
  RUN(segmented, Shape{{1}, {64}}, floats(64, 6, -2, 2), ints(64, 7, 6), zeros<float>(64));
  std::vector<double> x(64);
  for (int i = 0; i < 64; i++) x[i] = i * 37 % 64 / 3.0 - i / 64.0;
  RUN(running_maximum, Shape{{1}, {64}}, of(x), zeros<double>(64));
}
#endif
