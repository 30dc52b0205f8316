// Kernels with calls: one that is never made, and one in a loop. nvcc -ptx -arch=compute_80 calls.cu -o calls.ptx
#include <cassert>

extern "C" __global__ void asserted(const float* x, float* y, float a, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], acc = y[i];
#pragma unroll 1
  for (int k = 0; k < iters; ++k) {
    acc = acc * a + v;
    assert(acc >= 0);
  }
  y[i] = acc;
}

__device__ __noinline__ float step(float acc, float a, float v) { return acc * a + v; }

extern "C" __global__ void called(const float* x, float* y, float a, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], acc = y[i];
#pragma unroll 1
  for (int k = 0; k < iters; ++k) acc = step(acc, a, v);
  y[i] = acc;
}
