// Layers of a language model and their gradients, as in training programs in plain CUDA.
// build: sm_80 -arch=sm_80 -O3 -fmad=false
// build: sm_90a -arch=sm_90a -O3 -fmad=false
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "host/kernel.h"
#include "host/groups.h"

/** One pass: the sum is rescaled whenever the maximum grows. */
KERNEL softmax_online(const float *x, float *out, int columns) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const float *mine = x + row * columns;
  float most = -INFINITY, sum = 0;
  for (int c = warp.thread_rank(); c < columns; c += 32) {
    const float larger = fmaxf(most, mine[c]);
    sum = sum * expf(most - larger) + expf(mine[c] - larger);
    most = larger;
  }
  const float all = cg::reduce(warp, most, cg::greater<float>{});
  sum = cg::reduce(warp, sum * expf(most - all), cg::plus<float>{});
  for (int c = warp.thread_rank(); c < columns; c += 32) out[row * columns + c] = expf(mine[c] - all) / sum;
}

/** Mean and reciprocal deviation are kept for the backward pass. Half a warp handles a row. */
KERNEL layernorm_forward(const float *x, const float *weight, const float *bias, float *out, float2 *kept, int columns) {
  const auto half = cg::tiled_partition<16>(cg::this_thread_block());
  const int row = blockIdx.x * (blockDim.x / 16) + half.meta_group_rank();
  const float *mine = x + row * columns;
  float sum = 0, squares = 0;
  for (int c = half.thread_rank(); c < columns; c += 16) sum += mine[c];
  for (int bit = 8; bit > 0; bit /= 2) sum += half.shfl_xor(sum, bit);
  const float mean = sum / columns;
  for (int c = half.thread_rank(); c < columns; c += 16) squares += (mine[c] - mean) * (mine[c] - mean);
  for (int bit = 8; bit > 0; bit /= 2) squares += half.shfl_xor(squares, bit);
  const float scale = 1.0f / sqrtf(squares / columns + 1e-5f);
  if (half.thread_rank() == 0) kept[row] = make_float2(mean, scale);
  for (int c = half.thread_rank(); c < columns; c += 16)
    out[row * columns + c] = (mine[c] - mean) * scale * weight[c] + bias[c];
}

/** Gradients of the weights are added up in shared memory, one thread per column, so the order is fixed. */
KERNEL layernorm_backward(const float *dout, const float *x, const float *weight, const float2 *kept, float *dx,
                          float *dweight, float *dbias, int rows, int columns) {
  DYNAMIC_SHARED(float, sums);
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int c = threadIdx.x; c < 2 * columns; c += blockDim.x) sums[c] = 0;
  __syncthreads();
  for (int row = 0; row < rows; row++) {
    const float mean = kept[row].x, scale = kept[row].y;
    float plain = 0, scaled = 0;
    for (int c = warp.thread_rank(); c < columns; c += 32) {
      const float normal = (x[row * columns + c] - mean) * scale, d = weight[c] * dout[row * columns + c];
      plain += d;
      scaled += d * normal;
    }
    for (int bit = 16; bit > 0; bit /= 2) plain += warp.shfl_xor(plain, bit), scaled += warp.shfl_xor(scaled, bit);
    plain /= columns;
    scaled /= columns;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
      const float normal = (x[row * columns + c] - mean) * scale, d = dout[row * columns + c];
      sums[c] += d * normal;
      sums[columns + c] += d;
      dx[row * columns + c] += (weight[c] * d - plain - normal * scaled) * scale;
    }
  }
  for (int c = threadIdx.x; c < columns; c += blockDim.x) dweight[c] = sums[c], dbias[c] = sums[columns + c];
}

constexpr int keys_at_once = 8, head = 16;

/** Attention over tiles of keys and values; maximum, sum and output are corrected from tile to tile. */
KERNEL attention_tiles(const float *q, const float *k, const float *v, float *out, int length) {
  __shared__ float keys[keys_at_once][head], values[keys_at_once][head];
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  float own[head], sum[head] = {}, most = -INFINITY, total = 0;
  for (int d = 0; d < head; d++) own[d] = query < length ? q[query * head + d] * 0.25f : 0;
  for (int first = 0; first < length; first += keys_at_once) {
    __syncthreads();
    for (int i = threadIdx.x; i < keys_at_once * head; i += blockDim.x) {
      const bool inside = first * head + i < length * head;
      keys[i / head][i % head] = inside ? k[first * head + i] : 0;
      values[i / head][i % head] = inside ? v[first * head + i] : 0;
    }
    __syncthreads();
    for (int j = 0; j < keys_at_once; j++) {
      if (first + j > query || first + j >= length) break;
      float score = 0;
      for (int d = 0; d < head; d++) score += own[d] * keys[j][d];
      const float larger = fmaxf(most, score), kept = __expf(most - larger), weight = __expf(score - larger);
      total = total * kept + weight;
      for (int d = 0; d < head; d++) sum[d] = sum[d] * kept + weight * values[j][d];
      most = larger;
    }
  }
  if (query < length)
    for (int d = 0; d < head; d++) out[query * head + d] = sum[d] / total;
}

/** The same, with pairs of halves for products and floats for sums. */
KERNEL attention_halves(const __half2 *q, const __half2 *k, const __half2 *v, __half2 *out, int length) {
  const int query = threadIdx.x;
  if (query >= length) return;
  float most = -INFINITY, total = 0;
  float2 sum[head / 2] = {};
  for (int j = 0; j <= query; j++) {
    __half2 products = __float2half2_rn(0.0f);
    for (int d = 0; d < head / 2; d++) products = __hfma2(q[query * head / 2 + d], k[j * head / 2 + d], products);
    const float score = (__low2float(products) + __high2float(products)) * 0.25f;
    const float larger = fmaxf(most, score), kept = __expf(most - larger), weight = __expf(score - larger);
    total = total * kept + weight;
    for (int d = 0; d < head / 2; d++) {
      const float2 value = __half22float2(v[j * head / 2 + d]);
      sum[d].x = sum[d].x * kept + weight * value.x;
      sum[d].y = sum[d].y * kept + weight * value.y;
    }
    most = larger;
  }
  for (int d = 0; d < head / 2; d++)
    out[query * head / 2 + d] = __floats2half2_rn(sum[d].x / total, sum[d].y / total);
}

constexpr float gelu_scale = 0.7978845608f;

KERNEL gelu_forward(const float4 *x, float4 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  float *parts = &v.x;
  for (int k = 0; k < 4; k++) {
    const float p = parts[k], cube = 0.044715f * p * p * p;
    parts[k] = 0.5f * p * (1.0f + tanhf(gelu_scale * (p + cube)));
  }
  out[i] = v;
}

KERNEL gelu_backward(const float *x, float *gradient, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float p = x[i], cube = 0.044715f * p * p * p, argument = gelu_scale * (p + cube);
  const float t = tanhf(argument), c = coshf(argument), slope = 1.0f / (c * c);
  gradient[i] *= 0.5f * (1.0f + t) + p * 0.5f * slope * gelu_scale * (1.0f + 3.0f * 0.044715f * p * p);
}

/** Loss and gradient at once; the gradient replaces the logits. */
KERNEL cross_entropy_backward(float *logits, float *losses, const int *labels, int columns, float scale) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float *mine = logits + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int c = warp.thread_rank(); c < columns; c += 32) most = fmaxf(most, mine[c]);
  most = cg::reduce(warp, most, cg::greater<float>{});
  for (int c = warp.thread_rank(); c < columns; c += 32) sum += expf(mine[c] - most);
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  const int label = labels[blockIdx.x];
  if (warp.thread_rank() == 0) losses[blockIdx.x] = -logf(expf(mine[label] - most) / sum);
  warp.sync();
  for (int c = warp.thread_rank(); c < columns; c += 32)
    mine[c] = (expf(mine[c] - most) / sum - (c == label ? 1.0f : 0.0f)) * scale;
}

__device__ inline float between(float a, float b, float at) { return fmaf(at, b, fmaf(-at, a, a)); }

KERNEL adamw(float *weights, const float *gradients, float *first, float *second, int n, float rate, float corrected_first,
             float corrected_second, float decay) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = gradients[i], m = between(g, first[i], 0.9f), v = between(g * g, second[i], 0.999f);
  first[i] = m;
  second[i] = v;
  weights[i] -= rate * (m / corrected_first / (sqrtf(v / corrected_second) + 1e-8f) + decay * weights[i]);
}

__device__ inline unsigned noise(int x, unsigned seed) {
  unsigned bits = (unsigned)x * 0xd2a80a3fu + seed;
  bits ^= bits >> 9;
  bits += 0xa884f197u;
  bits ^= bits >> 11;
  bits *= 0x6c736f4bu;
  bits ^= bits >> 13;
  bits += 0xb79f3abbu;
  bits ^= bits >> 15;
  return bits + 0x1b56c4f5u ^ bits >> 17;
}

/** To bf16, with stochastic rounding. */
KERNEL stochastic_bf16(const float *x, __nv_bfloat16 *out, unsigned seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned threshold = noise(i, seed) & 0xffff, bits = __float_as_uint(x[i]);
  const unsigned rounded = (bits & 0xffff) > threshold ? bits | 0xffff : bits & ~0xffffu;
  out[i] = __float2bfloat16_rn(__uint_as_float(rounded));
}

/** 4 by 4 results for each thread, tiles of 32 by 32 in shared memory. */
KERNEL matmul_registers(const float *a, const float *b, const float *bias, float *c, int inner, int columns) {
  __shared__ float left[32][36], right[32][36];
  const int tx = threadIdx.x, ty = threadIdx.y, rank = ty * 8 + tx;
  float sums[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) sums[i][j] = bias[blockIdx.x * 32 + tx * 4 + j];
  for (int first = 0; first < inner; first += 32) {
    for (int i = rank; i < 32 * 8; i += 64) {
      const int row = i / 8, part = i % 8 * 4;
      *(float4 *)&left[row][part] = *(const float4 *)&a[(blockIdx.y * 32 + row) * inner + first + part];
      *(float4 *)&right[row][part] = *(const float4 *)&b[(first + row) * columns + blockIdx.x * 32 + part];
    }
    __syncthreads();
    for (int k = 0; k < 32; k++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sums[i][j] += left[ty * 4 + i][k] * right[k][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    *(float4 *)&c[(blockIdx.y * 32 + ty * 4 + i) * columns + blockIdx.x * 32 + tx * 4] =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

/** Halves throughout, two columns for each thread. */
KERNEL matmul_halves(const __half *a, const __half2 *b, __half2 *c, int inner, int pairs) {
  __shared__ __half left[8][16];
  __shared__ __half2 right[16][8];
  const int row = blockIdx.y * 8 + threadIdx.y, pair = blockIdx.x * 8 + threadIdx.x;
  __half2 sum = __float2half2_rn(0.0f);
  for (int first = 0; first < inner; first += 16) {
    for (int part = 0; part < 2; part++) {
      left[threadIdx.y][threadIdx.x + 8 * part] = a[row * inner + first + threadIdx.x + 8 * part];
      right[threadIdx.y + 8 * part][threadIdx.x] = b[(first + threadIdx.y + 8 * part) * pairs + pair];
    }
    __syncthreads();
    for (int k = 0; k < 16; k++) sum = __hfma2(__half2half2(left[threadIdx.y][k]), right[k][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * pairs + pair] = sum;
}

/** Tokens and positions added, eight bf16 in one load. */
KERNEL embed(const int *tokens, const uint4 *table, const uint4 *positions, uint4 *out, int width) {
  const int at = blockIdx.x * width + threadIdx.x;
  const uint4 a = table[tokens[blockIdx.x] * width + threadIdx.x], b = positions[at];
  uint4 result;
  const __nv_bfloat16 *left = (const __nv_bfloat16 *)&a, *right = (const __nv_bfloat16 *)&b;
  __nv_bfloat16 *sums = (__nv_bfloat16 *)&result;
  for (int i = 0; i < 8; i++)
    sums[i] = __float2bfloat16_rn(__bfloat162float(left[i]) + __bfloat162float(right[i]));
  out[at] = result;
}

/** The square of the norm, in double, a partial sum for each block. */
KERNEL squared_norm(const float *x, double *out, int n) {
  __shared__ double warps[4];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += (double)x[i] * x[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += warp.shfl_down(sum, distance);
  if (warp.thread_rank() == 0) warps[warp.meta_group_rank()] = sum;
  cg::this_thread_block().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
}

KERNEL swiglu(const __nv_bfloat162 *x, __nv_bfloat162 *out, int width) {
  const int row = blockIdx.x, i = threadIdx.x;
  if (i >= width) return;
  const float2 gate = __bfloat1622float2(x[row * 2 * width + i]), up = __bfloat1622float2(x[row * 2 * width + width + i]);
  out[row * width + i] = __floats2bfloat162_rn(gate.x / (1.0f + expf(-gate.x)) * up.x, gate.y / (1.0f + expf(-gate.y)) * up.y);
}

#ifdef PTXLAB_HOST
host::Buffer<__half> halves(size_t count, uint32_t seed) {
  const auto values = floats(count, seed, -1, 1).values;
  std::vector<__half> found;
  for (float value : values) found.push_back(__float2half_rn(value));
  return of(found);
}
std::vector<__nv_bfloat16> brains(size_t count, uint32_t seed) {
  std::vector<__nv_bfloat16> found;
  for (float value : floats(count, seed, -4, 4).values) found.push_back(__float2bfloat16_rn(value));
  return found;
}

CASES {
  RUN(softmax_online, Shape{{2}, {64}}, floats(200, 1, -8, 8), zeros<float>(200).within("f32", 1e-5, 1e-8), 50);
  const auto x = floats(6 * 40, 2, -2, 2), weight = floats(40, 3, 0, 1), bias = floats(40, 4, -1, 1);
  RUN(layernorm_forward, Shape{{3}, {32}}, x, weight, bias, zeros<float>(240), zeros<float2>(6), 40);
  auto kept = floats(12, 5, 0.5, 1.5).as<float2>();
  RUN(layernorm_backward, Shape{{1}, {64}, 320}, floats(240, 6, -1, 1), x, weight, kept, floats(240, 7, -1, 1),
      zeros<float>(40), zeros<float>(40), 6, 40);
  RUN(attention_tiles, Shape{{2}, {16}}, floats(320, 8, -2, 2), floats(320, 9, -2, 2), floats(320, 10, -2, 2),
      zeros<float>(320).within("f32", 1e-4, 1e-5), 20);
  RUN(attention_halves, Shape{{1}, {32}}, halves(192, 11).as<__half2>(), halves(192, 12).as<__half2>(),
      halves(192, 13).as<__half2>(), zeros<__half2>(96).within("f16", 2e-3, 1e-4), 12);
  RUN(gelu_forward, Shape{{1}, {32}}, floats(100, 14, -4, 4).as<float4>(), zeros<float4>(25).within("f32", 1e-5, 1e-6), 25);
  RUN(gelu_backward, Shape{{2}, {64}}, floats(100, 15, -4, 4), floats(100, 16, -1, 1).within("f32", 1e-5, 1e-6), 100);
  RUN(cross_entropy_backward, Shape{{4}, {32}}, floats(200, 17, -4, 4).within("f32", 1e-5, 1e-8),
      zeros<float>(4).within("f32", 1e-5, 1e-5), ints(4, 18, 50), 50, 0.25f);
  RUN(adamw, Shape{{2}, {32}}, floats(60, 19, -1, 1), floats(60, 20, -1, 1), floats(60, 21, -1, 1), floats(60, 22, 0, 1),
      60, 0.001f, 0.19f, 0.001999f, 0.1f);
  RUN(stochastic_bf16, Shape{{2}, {64}}, floats(100, 23, -4, 4), zeros<__nv_bfloat16>(100), 1337u, 100);
  RUN(matmul_registers, Shape{{1, 1}, {8, 8}}, floats(32 * 64, 24, -1, 1), floats(64 * 32, 25, -1, 1),
      floats(32, 26, -1, 1), zeros<float>(1024), 64, 32);
  RUN(matmul_halves, Shape{{2, 1}, {8, 8}}, halves(8 * 32, 27), halves(32 * 32, 28).as<__half2>(), zeros<__half2>(128), 32, 16);
  RUN(embed, Shape{{5}, {4}}, ints(5, 29, 6), of(brains(192, 30)).as<uint4>(), of(brains(160, 31)).as<uint4>(),
      zeros<uint4>(20), 4);
  RUN(squared_norm, Shape{{3}, {128}}, floats(1000, 32, -4, 4), zeros<double>(3), 1000);
  RUN(swiglu, Shape{{3}, {32}}, of(brains(120, 33)).as<__nv_bfloat162>(), zeros<__nv_bfloat162>(30).within("bf16", 0.008, 1e-6), 10);
}
#endif
