// FlashAttention-2, forward: a warp computes 16 rows of softmax(Q K^T / sqrt(64)) V over all keys, 16 keys at a time, and
// never holds more than a tile of the scores. Q, K, V and O are f16 with 64 columns; `keys` is a multiple of 16.
#include <cstdint>
#include <cuda_fp16.h>

#define COLUMNS 64

static __device__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

static __device__ uint32_t pair(float low, float high) {
  uint32_t bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}

// Over the four lanes that share a row.
static __device__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}

static __device__ float row_sum(float x) {
  x = __fadd_rn(x, __shfl_xor_sync(0xffffffff, x, 1));
  return __fadd_rn(x, __shfl_xor_sync(0xffffffff, x, 2));
}

extern "C" __global__ void attention(const half *q, const half *k, const half *v, half *o, int keys) {
  __shared__ __align__(16) half tile_q[16][COLUMNS + 8], tile_k[16][COLUMNS + 8], tile_v[16][COLUMNS + 8];
  int lane = threadIdx.x;
  auto copy = [&](half (&to)[16][COLUMNS + 8], const half *from) {
    for (int i = lane; i < 16 * COLUMNS / 8; i += 32)
      *(uint4 *)&to[i / (COLUMNS / 8)][i % (COLUMNS / 8) * 8] = ((const uint4 *)from)[i];
  };
  copy(tile_q, q + blockIdx.x * 16 * COLUMNS);
  // log2(e) / sqrt(64): powers of 2 replace powers of e.
  const float scale = 0.18033688f;
  float out[COLUMNS / 8][4] = {}, greatest[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
  for (int start = 0; start < keys; start += 16) {
    __syncwarp();
    copy(tile_k, k + start * COLUMNS);
    copy(tile_v, v + start * COLUMNS);
    __syncwarp();
    float s[2][4] = {};
    for (int i = 0; i < COLUMNS; i += 16) {
      uint32_t a[4], b[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"(address(&tile_q[lane % 16][i + lane / 16 * 8])));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                   : "r"(address(&tile_k[lane % 8 + lane / 16 * 8][i + lane / 8 % 2 * 8])));
      mma(s[0], a, b[0], b[1]);
      mma(s[1], a, b[2], b[3]);
    }
    float factor[2];
    for (int r = 0; r < 2; r++) {
      float most = row_max(fmaxf(fmaxf(s[0][2 * r], s[0][2 * r + 1]), fmaxf(s[1][2 * r], s[1][2 * r + 1])));
      float next = fmaxf(greatest[r], most);
      factor[r] = exp2_approx(__fmul_rn(__fsub_rn(greatest[r], next), scale));
      greatest[r] = next;
      float total = 0;
      for (int j = 0; j < 2; j++)
        for (int i = 2 * r; i < 2 * r + 2; i++) {
          s[j][i] = exp2_approx(__fmul_rn(__fsub_rn(s[j][i], next), scale));
          total = __fadd_rn(total, s[j][i]);
        }
      sum[r] = __fadd_rn(__fmul_rn(sum[r], factor[r]), row_sum(total));
    }
    // D has the layout of A, so the lanes need not exchange the weights.
    const uint32_t p[4] = {pair(s[0][0], s[0][1]), pair(s[0][2], s[0][3]), pair(s[1][0], s[1][1]), pair(s[1][2], s[1][3])};
    for (int j = 0; j < COLUMNS / 8; j++) {
      for (int i = 0; i < 4; i++) out[j][i] = __fmul_rn(out[j][i], factor[i / 2]);
      uint32_t b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"(address(&tile_v[lane % 16][j * 8])));
      mma(out[j], p, b[0], b[1]);
    }
  }
  for (int j = 0; j < COLUMNS / 8; j++)
    for (int r = 0; r < 2; r++) {
      uint32_t bits = pair(__fdiv_rn(out[j][2 * r], sum[r]), __fdiv_rn(out[j][2 * r + 1], sum[r]));
      half *to = o + (blockIdx.x * 16 + lane / 4 + 8 * r) * COLUMNS + j * 8 + 2 * (lane % 4);
      *(uint32_t *)to = bits;
    }
}
