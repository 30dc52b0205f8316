// Tiled products of matrices. A block computes 32 by 32 elements of C; K is a multiple of 32.
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

static __device__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __device__ void mma_f16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <class T> static __device__ void store_tile(T *c, int n, int row, int column, const T (&d)[4]) {
  int lane = threadIdx.x % 32;
  T *p = c + (row + lane / 4) * n + column + 2 * (lane % 4);
  p[0] = d[0];
  p[1] = d[1];
  p[8 * n] = d[2];
  p[8 * n + 1] = d[3];
}

// Four warps of 16 by 16 elements. A and B are stored by rows, B is transposed while it is loaded.
extern "C" __global__ void f16_ldmatrix(const half *a, const half *b, float *c, int n, int k) {
  __shared__ __align__(16) half left[32][40], right[32][40];
  int row = blockIdx.y * 32, column = blockIdx.x * 32;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int y = warp / 2 * 16, x = warp % 2 * 16;
  float sums[2][4] = {};
  for (int start = 0; start < k; start += 32) {
    int r = threadIdx.x / 4, q = threadIdx.x % 4 * 8;
    *(uint4 *)&left[r][q] = *(const uint4 *)&a[(row + r) * k + start + q];
    *(uint4 *)&right[r][q] = *(const uint4 *)&b[(start + r) * n + column + q];
    __syncthreads();
    for (int i = 0; i < 32; i += 16) {
      uint32_t f[4], g[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                   : "r"(shared_address(&left[y + lane % 16][i + lane / 16 * 8])));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(g[0]), "=r"(g[1]), "=r"(g[2]), "=r"(g[3])
                   : "r"(shared_address(&right[i + lane % 16][x + lane / 16 * 8])));
      mma_f16(sums[0], f, {g[0], g[1]});
      mma_f16(sums[1], f, {g[2], g[3]});
    }
    __syncthreads();
  }
  store_tile(c, n, row + y, column + x, sums[0]);
  store_tile(c, n, row + y, column + x + 8, sums[1]);
}

// Four warps of 16 by 16 elements, straight from global memory.
extern "C" __global__ void f16_wmma(const half *a, const half *b, float *c, int n, int k) {
  int warp = threadIdx.x / 32;
  int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int start = 0; start < k; start += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> g;
    wmma::load_matrix_sync(f, a + row * k + start, k);
    wmma::load_matrix_sync(g, b + start * n + column, n);
    wmma::mma_sync(sum, f, g, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// B is stored by columns, so that the bytes of a register are adjacent in both factors.
extern "C" __global__ void int8_mma(const int8_t *a, const int8_t *b, int *c, int n, int k) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  for (int x = 0; x < 16; x += 8) {
    int d[4] = {};
    for (int start = 0; start < k; start += 32) {
      const int8_t *p = a + (row + lane / 4) * k + start + lane % 4 * 4;
      const int8_t *q = b + (column + x + lane / 4) * k + start + lane % 4 * 4;
      asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                   "{%8, %9}, {%0, %1, %2, %3};"
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                   : "r"(*(const int *)p), "r"(*(const int *)(p + 8 * k)), "r"(*(const int *)(p + 16)),
                     "r"(*(const int *)(p + 8 * k + 16)), "r"(*(const int *)q), "r"(*(const int *)(q + 16)));
    }
    store_tile(c, n, row, column + x, d);
  }
}

static __device__ uint32_t tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

extern "C" __global__ void tf32_mma(const float *a, const float *b, float *c, int n, int k) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  for (int x = 0; x < 16; x += 8) {
    float d[4] = {};
    for (int start = 0; start < k; start += 8) {
      const float *p = a + (row + lane / 4) * k + start + lane % 4;
      const float *q = b + (start + lane % 4) * n + column + x + lane / 4;
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(tf32(p[0])), "r"(tf32(p[8 * k])), "r"(tf32(p[4])), "r"(tf32(p[8 * k + 4])), "r"(tf32(q[0])),
                     "r"(tf32(q[4 * n])));
    }
    store_tile(c, n, row, column + x, d);
  }
}
