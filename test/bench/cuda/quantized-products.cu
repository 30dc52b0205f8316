// Dot products of quantized blocks as language models use them: many shapes of one template, unrolled.
#include <cstdint>
#include <cuda_fp16.h>

struct Block4 {
  half scale;
  uint8_t codes[16];
};
struct Block5 {
  half scale, least;
  uint8_t high[4];
  uint8_t codes[16];
};
struct Block8 {
  half2 scale;
  int8_t codes[32];
};

__device__ int load(const uint8_t *at) { return at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24; }
__device__ int load(const int8_t *at) { return *(const int *)at; }

__device__ float dot(const Block4 &a, const Block8 &b) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int codes = load(a.codes + 4 * i);
    sum = __dp4a(codes & 0x0f0f0f0f, load(b.codes + 4 * i), sum);
    sum = __dp4a((codes >> 4) & 0x0f0f0f0f, load(b.codes + 16 + 4 * i), sum);
  }
  const float2 scale = __half22float2(b.scale);
  return __half2float(a.scale) * (sum * scale.x - 8 * scale.y);
}

__device__ float dot(const Block5 &a, const Block8 &b) {
  int sum = 0;
  const int high = load(a.high);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int codes = load(a.codes + 4 * i);
    int low = codes & 0x0f0f0f0f, up = (codes >> 4) & 0x0f0f0f0f;
#pragma unroll
    for (int bit = 0; bit < 4; bit++) {
      low |= (high >> (4 * i + bit) & 1) << (8 * bit + 4);
      up |= (high >> (16 + 4 * i + bit) & 1) << (8 * bit + 4);
    }
    sum = __dp4a(low, load(b.codes + 4 * i), sum);
    sum = __dp4a(up, load(b.codes + 16 + 4 * i), sum);
  }
  const float2 scale = __half22float2(b.scale);
  return __half2float(a.scale) * sum * scale.x + __half2float(a.least) * scale.y;
}

template <class Block, int Rows, int Columns, bool Partial>
__global__ void multiply(const Block *a, const Block8 *b, float *c, int blocks, int rows) {
  float sums[Rows][Columns] = {};
  const int row = blockIdx.x * Rows;
  for (int k = threadIdx.x; k < blocks; k += 32) {
#pragma unroll
    for (int i = 0; i < Rows; i++) {
      if (Partial && row + i >= rows) break;
#pragma unroll
      for (int j = 0; j < Columns; j++) sums[i][j] += dot(a[(row + i) * blocks + k], b[j * blocks + k]);
    }
  }
#pragma unroll
  for (int i = 0; i < Rows; i++)
#pragma unroll
    for (int j = 0; j < Columns; j++) {
      float sum = sums[i][j];
#pragma unroll
      for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(~0u, sum, mask);
      if (threadIdx.x == 0) c[j * rows + row + i] = sum;
    }
}

#define SHAPE(BLOCK, ROWS, COLUMNS)                                                                    \
  template __global__ void multiply<BLOCK, ROWS, COLUMNS, false>(const BLOCK *, const Block8 *, float *, int, int); \
  template __global__ void multiply<BLOCK, ROWS, COLUMNS, true>(const BLOCK *, const Block8 *, float *, int, int);
SHAPE(Block4, 1, 1)
SHAPE(Block4, 2, 4)
SHAPE(Block5, 1, 4)
#ifndef SMALL
SHAPE(Block4, 4, 8)
SHAPE(Block5, 2, 4)
SHAPE(Block5, 4, 8)
#endif
