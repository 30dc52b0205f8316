// Barriers beyond __syncthreads: named ones, arrivals, counting barriers; exited threads; odd block sizes.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_100a -arch=sm_100a -O3 -fmad=false
#include "host/kernel.h"

/** Two groups of warps meet independently of each other. */
KERNEL two_groups(const int *x, int *out) {
  __shared__ int values[128];
  const int group = threadIdx.x / 64, member = threadIdx.x % 64;
  values[threadIdx.x] = x[threadIdx.x];
  for (int round = 0; round <= group; round++) {
    named_barrier(1 + group, 64);
    const int next = values[group * 64 + (member + 33) % 64];
    named_barrier(1 + group, 64);
    values[threadIdx.x] += next;
  }
  __syncthreads();
  out[threadIdx.x] = values[127 - threadIdx.x];
}

/** The first warp produces, the second consumes: a full and an empty barrier for each of two buffers. */
KERNEL producer_consumer(const int *x, int *out, int rounds) {
  __shared__ int buffers[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; round++) {
      const int buffer = round % 2;
      if (round >= 2) named_barrier(3 + buffer, 64);
      buffers[buffer][lane] = x[round * 32 + lane] * 3;
      __threadfence_block();
      named_arrive(1 + buffer, 64);
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
      const int buffer = round % 2;
      named_barrier(1 + buffer, 64);
      sum += buffers[buffer][31 - lane] * (round + 1);
      if (round + 2 < rounds) named_arrive(3 + buffer, 64);
    }
    out[lane] = sum;
  }
}

KERNEL counting_barriers(const int *x, int *out) {
  const int v = x[threadIdx.x];
  int result = __syncthreads_count(v % 3 == 0);
  result = result * 2 + __syncthreads_and(v >= 0);
  result = result * 2 + __syncthreads_or(v > 990);
  result = result * 2 + __syncthreads_and(v > 500);
  out[threadIdx.x] = result;
}

/** Whole warps exit before the others meet. */
KERNEL early_exit(const int *x, int *out) {
  __shared__ int values[96];
  if (threadIdx.x >= 64) return;
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}

KERNEL dynamic_shared_parts(const int *x, int *out, int n) {
  DYNAMIC_SHARED(unsigned char, pool);
  int *words = reinterpret_cast<int *>(pool);
  short *halves = reinterpret_cast<short *>(pool + 4 * n);
  unsigned char *bytes = pool + 6 * n;
  const int i = threadIdx.y * blockDim.x + threadIdx.x;
  if (i < n) {
    words[i] = x[i];
    halves[n - 1 - i] = (short)(x[i] >> 3);
    bytes[(i * 7) % n] = (unsigned char)x[i];
  }
  __syncthreads();
  if (i < n) out[i] = words[n - 1 - i] + halves[i] * 3 - bytes[i];
}

KERNEL odd_block_sum(const int *x, int *out, int n) {
  __shared__ int partial[77];
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x * n + i];
  partial[threadIdx.x] = sum;
  for (int left = blockDim.x; left > 1; left = (left + 1) / 2) {
    __syncthreads();
    const int half = (left + 1) / 2;
    if (threadIdx.x < left / 2) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

/** A barrier in a loop whose length the whole block decides. */
KERNEL relax_until_steady(int *values, int *rounds) {
  const int left = threadIdx.x == 0 ? 0 : threadIdx.x - 1;
  const int right = threadIdx.x == blockDim.x - 1 ? threadIdx.x : threadIdx.x + 1;
  int count = 0;
  while (true) {
    const int next = max(values[left], max(values[threadIdx.x], values[right]));
    const int changed = next != values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = next;
    if (!__syncthreads_or(changed)) break;
    count++;
  }
  if (threadIdx.x == 0) *rounds = count;
}

/** A queue in shared memory that the whole block fills and drains, level by level. */
KERNEL breadth_first(const int *starts, const int *edges, int *levels, int n) {
  __shared__ int changed;
  for (int level = 0;; level++) {
    __syncthreads();
    if (threadIdx.x == 0) changed = 0;
    __syncthreads();
    for (int node = threadIdx.x; node < n; node += blockDim.x) {
      if (levels[node] != level) continue;
      for (int e = starts[node]; e < starts[node + 1]; e++)
        if (atomicCAS(&levels[edges[e]], -1, level + 1) == -1) changed = 1;
    }
    __syncthreads();
    if (!changed) break;
  }
}

#ifdef PTXLAB_HOST
CASES {
  RUN(two_groups, Shape{{1}, {128}}, ints(128, 1, 1000), zeros<int>(128));
  RUN(producer_consumer, Shape{{1}, {64}}, ints(160, 2, 1000), zeros<int>(32), 5);
  RUN(counting_barriers, Shape{{1}, {75}}, ints(75, 3, 1000), zeros<int>(75));
  RUN(early_exit, Shape{{1}, {96}}, bits<int>(64, 4), zeros<int>(64));
  RUN(dynamic_shared_parts, Shape{{1}, {9, 7}, 420}, bits<int>(60, 5), zeros<int>(60), 60);
  RUN(odd_block_sum, Shape{{3}, {77}}, bits<int>(600, 6), zeros<int>(3), 200);
  RUN(relax_until_steady, Shape{{1}, {45}}, ints(45, 7, 1000), zeros<int>(1));
  std::vector<int> starts = {0}, edges, levels(50, -1);
  host::Random random{8};
  for (int node = 0; node < 50; node++) {
    for (int k = 0; k < 2; k++) edges.push_back(random.next() % 50);
    starts.push_back(edges.size());
  }
  levels[0] = 0;
  RUN(breadth_first, Shape{{1}, {33}}, of(starts), of(edges), of(levels), 50);
}
#endif
