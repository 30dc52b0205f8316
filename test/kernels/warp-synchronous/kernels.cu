/*
 * Kernels whose threads exchange values within a warp through volatile shared memory, without synchronizing. They depend
 * on the threads of a warp running in lockstep. Each warp works on 32 words of its own.
 *
 * nvcc -arch=sm_75 -ptx kernels.cu -o kernels.sm_75.ptx
 * nvcc -arch=sm_75 -Xcicc -O0 -ptx kernels.cu -o kernels.sm_75_O0.ptx
 */
#define SHARED volatile __shared__

/* The inclusive scan of Hillis and Steele. */
extern "C" __global__ void scan(const int *in, int *out) {
  SHARED int s[96];
  int t = threadIdx.x, lane = t & 31;
  s[t] = in[t];
  if (lane >= 1) s[t] += s[t - 1];
  if (lane >= 2) s[t] += s[t - 2];
  if (lane >= 4) s[t] += s[t - 4];
  if (lane >= 8) s[t] += s[t - 8];
  if (lane >= 16) s[t] += s[t - 16];
  out[t] = s[t];
}

/* The exclusive scan of Blelloch: fewer and fewer lanes take part, and then more and more. */
extern "C" __global__ void exclusive_scan(const int *in, int *out) {
  SHARED int s[96];
  int t = threadIdx.x, lane = t & 31;
  s[t] = in[t];
  for (int d = 1; d < 32; d <<= 1)
    if ((lane & (2 * d - 1)) == 2 * d - 1) s[t] += s[t - d];
  if (lane == 31) s[t] = 0;
  for (int d = 16; d > 0; d >>= 1)
    if ((lane & (2 * d - 1)) == 2 * d - 1) {
      int left = s[t - d];
      s[t - d] = s[t];
      s[t] += left;
    }
  out[t] = s[t];
}

extern "C" __global__ void odd_even_sort(const int *in, int *out) {
  SHARED int s[96];
  int t = threadIdx.x, lane = t & 31;
  s[t] = in[t];
  for (int round = 0; round < 32; round++)
    if ((lane & 1) == (round & 1) && lane < 31) {
      int a = s[t], b = s[t + 1];
      if (a > b) {
        s[t] = b;
        s[t + 1] = a;
      }
    }
  out[t] = s[t];
}

extern "C" __global__ void bitonic_sort(const int *in, int *out) {
  SHARED int s[96];
  int t = threadIdx.x, lane = t & 31;
  s[t] = in[t];
  for (int size = 2; size <= 32; size <<= 1)
    for (int d = size >> 1; d > 0; d >>= 1) {
      int other = t ^ d;
      if (other > t) {
        int a = s[t], b = s[other];
        if ((a > b) == ((lane & size) == 0)) {
          s[t] = b;
          s[other] = a;
        }
      }
    }
  out[t] = s[t];
}

/* The lanes access memory a different number of times before they meet again. */
extern "C" __global__ void branches(const int *in, int *out) {
  SHARED int s[96];
  int t = threadIdx.x, lane = t & 31;
  s[t] = in[t];
  if (lane & 1)
    for (int i = 0; i < lane / 4; i++) s[t] = s[t] + 1;
  else
    s[t] = s[t] * 3;
  int other = s[t ^ 1];
  s[t] = other + s[t ^ 31];
  out[t] = s[t ^ 5];
}

/* Some accesses are not volatile. */
extern "C" __global__ void mixed(const int *in, int *out) {
  __shared__ int s[96];
  volatile int *v = s;
  int t = threadIdx.x;
  v[t] = in[t];
  int mirrored = s[t ^ 31];
  v[t] = mirrored * 2;
  out[t] = s[t ^ 1];
}

/* The last steps of a reduction, as in many tutorials. */
__device__ void reduce_warp(volatile int *s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

extern "C" __global__ void reduction(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t < 96 ? in[t] : 0;
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) reduce_warp(s, t);
  if (t == 0) out[0] = s[0];
}

/* Threads of a warp that wait for each other, which only threads that are scheduled independently can. */
extern "C" __global__ void lock(int *out) {
  SHARED int taken;
  __shared__ int count;
  if (threadIdx.x == 0) taken = count = 0;
  __syncthreads();
  for (bool done = false; !done;)
    if (atomicCAS((int *)&taken, 0, 1) == 0) {
      count = count + 1;
      __threadfence_block();
      taken = 0;
      done = true;
    }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}

/* Lane 1 waits for lane 0, whose code comes later, in a loop that also writes. */
extern "C" __global__ void flag(int *out) {
  SHARED int f[2];
  f[0] = f[1] = 0;
  __syncthreads();
  if (threadIdx.x == 1) {
    int n = 0;
    while (f[0] == 0) f[1] = ++n;
    out[1] = f[0];
  } else if (threadIdx.x == 0) {
    f[1] = 5;
    int seen = f[1];
    f[0] = 7;
    out[0] = seen > 0;
  }
}

/* Two warps take turns. */
extern "C" __global__ void turns(int *out) {
  SHARED int a;
  if (threadIdx.x == 0) a = 0;
  __syncthreads();
  int warp = threadIdx.x / 32;
  if ((threadIdx.x & 31) == 0)
    for (int i = 0; i < 50; i++) {
      while ((a & 1) != warp) continue;
      a = a + 1;
    }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = a;
}
