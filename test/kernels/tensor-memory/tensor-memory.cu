#include <cuda/ptx>
#include <cuda_fp16.h>
#include <cstdint>
namespace p = cuda::ptx;
// D (128 x 32) = A (128 x 64) * B (32 x 64)^T, f16 -> f32, 128-byte swizzle, K-major
__device__ uint64_t desc(const void* ptr) {
  uint64_t a = (uint32_t)__cvta_generic_to_shared(ptr);
  return ((a & 0x3ffff) >> 4) | (1ull << 16) | ((1024ull >> 4) << 32) | (1ull << 46) | (2ull << 61);
}
extern "C" __global__ void __launch_bounds__(128) gemm(const __half* A, const __half* B, float* D) {
  __shared__ alignas(1024) __half sa[128 * 64];
  __shared__ alignas(1024) __half sb[32 * 64];
  __shared__ uint32_t at;
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  for (int i = t; i < 128 * 8; i += 128) { int r = i / 8, c = i % 8; *(uint4*)&sa[r * 64 + ((c ^ (r & 7)) * 8)] = *(const uint4*)&A[r * 64 + c * 8]; }
  for (int i = t; i < 32 * 8; i += 128) { int r = i / 8, c = i % 8; *(uint4*)&sb[r * 64 + ((c ^ (r & 7)) * 8)] = *(const uint4*)&B[r * 64 + c * 8]; }
  if (t < 32) p::tcgen05_alloc(p::cta_group_1, &at, 32);
  if (t == 0) p::mbarrier_init(&bar, 1);
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  uint32_t tm = at;
  if (t == 0) {
    uint32_t idesc = (1u << 4) | ((32u / 8) << 17) | ((128u / 16) << 24);
    for (int k = 0; k < 4; k++)
      p::tcgen05_mma(p::kind_f16, p::cta_group_1, tm, desc(sa) + k * 2, desc(sb) + k * 2, idesc, k > 0);
    p::tcgen05_commit(p::cta_group_1, &bar);
  }
  while (!p::mbarrier_try_wait_parity(&bar, 0)) {}
  p::tcgen05_fence_after_thread_sync();
  uint32_t v[32];
  p::tcgen05_ld_32x32b(v, tm + ((t / 32) << 21));
  p::tcgen05_wait_ld();
  for (int i = 0; i < 32; i++) D[t * 32 + i] = __uint_as_float(v[i]);
  __syncthreads();
  if (t < 32) p::tcgen05_dealloc(p::cta_group_1, tm, 32);
}
