// Products of narrow formats: fp8 for sm_89, and fp4 for sm_120a, with scales for blocks. B is stored by columns.
#include <cstdint>

static __device__ void store_tile(float *c, int n, int row, int column, const float (&d)[4]) {
  int lane = threadIdx.x % 32;
  float *p = c + (row + lane / 4) * n + column + 2 * (lane % 4);
  p[0] = d[0];
  p[1] = d[1];
  p[8 * n] = d[2];
  p[8 * n + 1] = d[3];
}

#if __CUDA_ARCH__ < 1200
extern "C" __global__ void fp8_mma(const uint8_t *a, const uint8_t *b, float *c, int n, int k) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  for (int x = 0; x < 16; x += 8) {
    float d[4] = {};
    for (int start = 0; start < k; start += 32) {
      const uint8_t *p = a + (row + lane / 4) * k + start + lane % 4 * 4;
      const uint8_t *q = b + (column + x + lane / 4) * k + start + lane % 4 * 4;
      asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(*(const int *)p), "r"(*(const int *)(p + 8 * k)), "r"(*(const int *)(p + 16)),
                     "r"(*(const int *)(p + 8 * k + 16)), "r"(*(const int *)q), "r"(*(const int *)(q + 16)));
    }
    store_tile(c, n, row, column + x, d);
  }
}
#else
// `k` counts elements; two of them share a byte. A row of scales has one for each 64 / COUNT elements.
#define FP4_KERNEL(NAME, KIND, FORMAT, COUNT, WORD)                                                                    \
  extern "C" __global__ void NAME(const uint8_t *a, const uint8_t *b, const uint8_t *scale_a, const uint8_t *scale_b,  \
                                  float *c, int n, int k) {                                                            \
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;                                                              \
    int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;                               \
    int bytes = k / 2, scales = k / 64 * COUNT;                                                                        \
    for (int x = 0; x < 16; x += 8) {                                                                                  \
      float d[4] = {};                                                                                                 \
      for (int start = 0; start < bytes; start += 32) {                                                                \
        const uint8_t *p = a + (row + lane / 4) * bytes + start + lane % 4 * 4;                                        \
        const uint8_t *q = b + (column + x + lane / 4) * bytes + start + lane % 4 * 4;                                 \
        int block = start / 32 * COUNT;                                                                                \
        uint32_t s = *(const WORD *)&scale_a[(row + lane / 4 + lane % 2 * 8) * scales + block];                        \
        uint32_t t = *(const WORD *)&scale_b[(column + x + lane / 4) * scales + block];                                \
        asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::" KIND ".f32.e2m1.e2m1.f32." FORMAT                      \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, %10, {0, 0}, %11, {0, 0};"      \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                  \
                     : "r"(*(const int *)p), "r"(*(const int *)(p + 8 * bytes)), "r"(*(const int *)(p + 16)),          \
                       "r"(*(const int *)(p + 8 * bytes + 16)), "r"(*(const int *)q), "r"(*(const int *)(q + 16)),     \
                       "r"(s), "r"(t));                                                                                \
      }                                                                                                                \
      store_tile(c, n, row, column + x, d);                                                                            \
    }                                                                                                                  \
  }

FP4_KERNEL(mxfp4_mma, "mxf4.block_scale.scale_vec::2X", "ue8m0", 2, uint16_t)
FP4_KERNEL(nvfp4_mma, "mxf4nvf4.block_scale.scale_vec::4X", "ue4m3", 4, uint32_t)
#endif
