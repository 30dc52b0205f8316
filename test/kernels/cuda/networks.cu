// The layers of a language model at toy size: exponentials make results inexact, sums run in a fixed order.
// build: sm_80 -arch=sm_80 -O3 -fmad=false
// build: sm_90_fast -arch=sm_90 -O3 --use_fast_math
#include "host/kernel.h"

constexpr unsigned every = 0xffffffff;

__device__ inline float warp_sum(float value) {
  for (int bit = 16; bit > 0; bit /= 2) value += __shfl_xor_sync(every, value, bit);
  return value;
}
__device__ inline float warp_max(float value) {
  for (int bit = 16; bit > 0; bit /= 2) value = fmaxf(value, __shfl_xor_sync(every, value, bit));
  return value;
}

KERNEL softmax(const float *x, float *out, int columns) {
  const int lane = threadIdx.x, row = blockIdx.x;
  float most = -INFINITY, sum = 0;
  for (int c = lane; c < columns; c += 32) most = fmaxf(most, x[row * columns + c]);
  most = warp_max(most);
  for (int c = lane; c < columns; c += 32) sum += expf(x[row * columns + c] - most);
  sum = warp_sum(sum);
  for (int c = lane; c < columns; c += 32) out[row * columns + c] = expf(x[row * columns + c] - most) / sum;
}

KERNEL layernorm(const float *x, const float *gain, const float *bias, float *out, int columns) {
  __shared__ float partial[2][4];
  const int warp = threadIdx.x / 32;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float v = x[blockIdx.x * columns + c];
    sum += v;
    squares += v * v;
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) partial[0][warp] = sum, partial[1][warp] = squares;
  __syncthreads();
  sum = squares = 0;
  for (int w = 0; w < blockDim.x / 32; w++) sum += partial[0][w], squares += partial[1][w];
  const float mean = sum / columns, variance = squares / columns - mean * mean, inverse = rsqrtf(variance + 1e-5f);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = (x[blockIdx.x * columns + c] - mean) * inverse * gain[c] + bias[c];
}

/** One block per query: scores, causal softmax, weighted sum of values. */
KERNEL attention(const float *q, const float *k, const float *v, float *out, int length, int width) {
  __shared__ float scores[32];
  const int query = blockIdx.x, i = threadIdx.x;
  float score = -INFINITY;
  if (i <= query && i < length) {
    score = 0;
    for (int d = 0; d < width; d++) score = fmaf(q[query * width + d], k[i * width + d], score);
    score *= rsqrtf((float)width);
  }
  const float most = warp_max(score), weight = expf(score - most), total = warp_sum(weight);
  scores[i] = weight / total;
  __syncwarp();
  if (i >= width) return;
  float sum = 0;
  for (int t = 0; t < length; t++) sum = fmaf(scores[t], v[t * width + i], sum);
  out[query * width + i] = sum;
}

KERNEL rotary(float *x, int width) {
  const int position = blockIdx.x, pair = threadIdx.x;
  const float angle = position * exp2f(-(float)pair / (width / 2) * 3);
  const float c = cosf(angle), s = sinf(angle);
  float *p = x + position * width + 2 * pair;
  const float a = p[0], b = p[1];
  p[0] = a * c - b * s;
  p[1] = a * s + b * c;
}

KERNEL gelu_bias(const float *x, const float *bias, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i] + bias[i % 10];
  out[i] = v / (1 + expf(-1.702f * v));
}

KERNEL embedding(const int *tokens, const float4 *table, float4 *out, int width) {
  out[blockIdx.x * width + threadIdx.x] = table[tokens[blockIdx.x] * width + threadIdx.x];
}

KERNEL top_two(const float *x, int *best, int columns) {
  float first = -INFINITY, second = -INFINITY;
  int at = -1, next = -1;
  for (int c = 0; c < columns; c++) {
    const float v = x[threadIdx.x * columns + c];
    if (v > first) second = first, next = at, first = v, at = c;
    else if (v > second) second = v, next = c;
  }
  best[2 * threadIdx.x] = at;
  best[2 * threadIdx.x + 1] = next;
}

KERNEL cross_entropy(const float *x, const int *labels, float *loss, int columns) {
  const int row = threadIdx.x;
  float most = x[row * columns], sum = 0;
  for (int c = 1; c < columns; c++) most = fmaxf(most, x[row * columns + c]);
  for (int c = 0; c < columns; c++) sum += expf(x[row * columns + c] - most);
  loss[row] = logf(sum) + most - x[row * columns + labels[row]];
}

#ifdef PTXLAB_HOST
CASES {
  RUN(softmax, Shape{{4}, {32}}, floats(200, 1, -4, 4), zeros<float>(200).within("f32", 1e-5, 1e-7), 50);
  RUN(layernorm, Shape{{3}, {64}}, floats(300, 2, -4, 4), floats(100, 3, 0, 1), floats(100, 4, -1, 1),
      zeros<float>(300).within("f32", 1e-4, 1e-5), 100);
  RUN(attention, Shape{{9}, {32}}, floats(144, 5, -1, 1), floats(144, 6, -1, 1), floats(144, 7, -1, 1),
      zeros<float>(144).within("f32", 1e-4, 1e-5), 9, 16);
  RUN(rotary, Shape{{4}, {8}}, floats(64, 8, -1, 1).within("f32", 1e-5, 1e-5), 16);
  RUN(gelu_bias, Shape{{2}, {64}}, floats(100, 9, -4, 4), floats(10, 10, -1, 1),
      zeros<float>(100).within("f32", 1e-5, 1e-6), 100);
  RUN(embedding, Shape{{7}, {4}}, ints(7, 11, 12), bits<float4>(48, 12), zeros<float4>(28), 4);
  RUN(top_two, Shape{{1}, {8}}, floats(160, 13, -4, 4), zeros<int>(16), 20);
  RUN(cross_entropy, Shape{{1}, {8}}, floats(80, 14, -4, 4), ints(8, 15, 10), zeros<float>(8).within("f32", 1e-5, 1e-5), 10);
}
#endif
