// Atomics whose outcome does not depend on their order; histograms, locks, exchanges.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_90 -arch=sm_90 -O3 -fmad=false
#include "host/kernel.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

KERNEL histogram_shared(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned local[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[x[i] / 4], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

KERNEL atomics_32(const unsigned *x, unsigned *u, int *s) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, value = x[i];
  atomicAdd(&u[0], value);
  atomicSub(&u[1], value);
  atomicMin(&u[2], value);
  atomicMax(&u[3], value);
  atomicAnd(&u[4], value | 0x00f00000);
  atomicOr(&u[5], value & 0x01010101);
  atomicXor(&u[6], value);
  atomicInc(&u[7], 36);
  atomicDec(&u[8], 41);
  atomicMin(&s[0], (int)value);
  atomicMax(&s[1], (int)value);
  atomicAdd(&s[2], -3);
}

KERNEL atomics_64(const unsigned long long *x, unsigned long long *u, long long *s) {
  __shared__ unsigned long long shared[2];
  if (threadIdx.x < 2) shared[threadIdx.x] = 1;
  __syncthreads();
  const unsigned long long value = x[threadIdx.x];
  atomicAdd(&u[0], value);
  atomicMin(&u[1], value);
  atomicMax(&u[2], value);
  atomicAnd(&u[3], value | 0xff00ff00ff00ff00);
  atomicOr(&u[4], value & 0x0101010101010101);
  atomicXor(&u[5], value);
  atomicMin(&s[0], (long long)value);
  atomicMax(&s[1], (long long)value);
  atomicAdd(&shared[0], value >> 32);
  atomicMax(&shared[1], value << 3);
  __syncthreads();
  if (threadIdx.x < 2) u[6 + threadIdx.x] = shared[threadIdx.x];
}

/** Multiples of a power of two: every order of addition gives the same sum. */
KERNEL atomics_float(const int *x, float *f, double *d) {
  __shared__ float shared;
  if (threadIdx.x == 0) shared = 0;
  __syncthreads();
  const int value = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(f, value * 0.25f);
  atomicAdd(&shared, (float)value);
  atomicAdd(d, value * 0.0625);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&f[1], shared);
}

#ifdef PTXLAB_HOST
template <>
__half2 atomicAdd(__half2 *address, __half2 value) {
  return change(address, [=](__half2 old) { return __hadd2(old, value); });
}
#endif

KERNEL atomics_half2(const int *x, __half2 *sum) {
  const int value = x[threadIdx.x];
  atomicAdd(&sum[threadIdx.x % 2], __floats2half2_rn(value * 0.5f, -(float)(value % 4)));
}

/** Each thread swaps its index into a slot and gets what another one left there. The sum of all slots does not change. */
KERNEL exchange_slots(unsigned *slots, unsigned *sum) {
  const unsigned mine = threadIdx.x * 1000 + 7;
  const unsigned other = atomicExch(&slots[threadIdx.x % 4], mine);
  atomicAdd(sum, other);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(sum, slots[threadIdx.x]);
  if (threadIdx.x < 4) slots[threadIdx.x] = 0;
}

KERNEL max_by_cas(const float *x, unsigned *bits, unsigned short *narrow) {
  const float value = x[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned old = *bits;
  while (__uint_as_float(old) < value) {
    const unsigned seen = atomicCAS(bits, old, __float_as_uint(value));
    if (seen == old) break;
    old = seen;
  }
  unsigned short small = narrow[0], next;
  do {
    next = small;
    small = atomicCAS(narrow, next, (unsigned short)(next + 3));
  } while (small != next);
}

__device__ int lock;

/** One lane of each warp at a time in the critical section; the others of the warp wait at the end of it. */
KERNEL spin_lock(volatile int *sum, volatile int *turns) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    *sum = *sum * 2 + 1;
    *turns = *turns + 1;
    __threadfence();
    atomicExch(&lock, 0);
  }
  __syncwarp();
}

/** A warp waits for a flag that another warp of its block raises later. */
KERNEL flag_between_warps(volatile int *out) {
  __shared__ volatile int flag, message;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x / 32 == 1 && threadIdx.x % 32 == 0) {
    message = 4711;
    __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 0) {
    while (flag == 0) __threadfence_block();
    out[0] = message;
  }
}

#ifdef PTXLAB_HOST
CASES {
  RUN(histogram_shared, Shape{{3}, {96}}, bits<unsigned char>(600, 1), zeros<unsigned>(64), 600);
  RUN(atomics_32, Shape{{2}, {50}}, bits<unsigned>(100, 2),
      of<unsigned>({1, 2, ~0u, 0, ~0u, 0, 5, 30, 3}), of<int>({0, 0, 100}));
  RUN(atomics_64, Shape{{1}, {70}}, bits<unsigned long long>(70, 3),
      of<unsigned long long>({1, ~0ull, 0, ~0ull, 0, 9, 0, 0}), of<long long>({0, 0}));
  RUN(atomics_float, Shape{{2}, {40}}, ints(80, 4, 1000), zeros<float>(2), zeros<double>(1));
  RUN(atomics_half2, Shape{{1}, {64}}, ints(64, 5, 30), zeros<__half2>(2));
  RUN(exchange_slots, Shape{{1}, {40}}, of<unsigned>({11, 22, 33, 44}), zeros<unsigned>(1));
  RUN(max_by_cas, Shape{{2}, {40}}, floats(80, 6, 0, 16), zeros<unsigned>(1), of<unsigned short>({5, 9}));
  RUN(spin_lock, Shape{{1}, {160}}, of<int>({1}), zeros<int>(1));
  RUN(flag_between_warps, Shape{{1}, {64}}, zeros<int>(1));
}
#endif
