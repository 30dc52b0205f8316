// f16 and bf16: scalar and paired arithmetic, comparisons, conversions in every rounding mode.
// build: sm_80 -arch=sm_80 -O3 -fmad=false
// build: sm_90 -arch=sm_90 -O3 -fmad=false
#include "host/kernel.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

KERNEL half_arithmetic(const __half *x, __half *out) {
  const int i = threadIdx.x;
  const __half a = x[i], b = x[i + 1];
  out[5 * i] = __hadd(a, b);
  out[5 * i + 1] = __hsub(a, b);
  out[5 * i + 2] = __hmul(a, b);
  out[5 * i + 3] = __hfma(a, b, x[i + 2]);
  out[5 * i + 4] = __hneg(__habs(a));
}

KERNEL half2_axpy(const __half2 *x, __half2 *y, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__float2half2_rn(scale), x[i], y[i]);
}

KERNEL bf16_axpy(const __nv_bfloat162 *x, __nv_bfloat162 *y, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__float2bfloat162_rn(scale), x[i], y[i]);
}

KERNEL bf16_arithmetic(const __nv_bfloat16 *x, __nv_bfloat16 *out) {
  const int i = threadIdx.x;
  const __nv_bfloat16 a = x[i], b = x[i + 1];
  out[4 * i] = __hadd(a, b);
  out[4 * i + 1] = __hmul(a, b);
  out[4 * i + 2] = __hfma(a, b, x[i + 2]);
  out[4 * i + 3] = __hmax(a, __hneg(b));
}

KERNEL half_comparisons(const __half *x, int *out) {
  const __half a = x[threadIdx.x], b = x[threadIdx.x + 1];
  out[threadIdx.x] = __hlt(a, b) | __hle(a, b) << 1 | __heq(a, b) << 2 | __hne(a, b) << 3 | __hgtu(a, b) << 4 |
                     __hisnan(a) << 5 | __hgeu(a, b) << 6;
}

KERNEL half_extrema(const __half2 *x, __half2 *out) {
  const __half2 a = x[threadIdx.x], b = x[threadIdx.x + 1];
  out[2 * threadIdx.x] = __hmax2(a, b);
  out[2 * threadIdx.x + 1] = __hmin2(a, b);
}

KERNEL float_to_half(const float *x, unsigned short *out) {
  const int i = threadIdx.x;
  out[4 * i] = __half_as_ushort(__float2half_rn(x[i]));
  out[4 * i + 1] = __half_as_ushort(__float2half_rz(x[i]));
  out[4 * i + 2] = __half_as_ushort(__float2half_rd(x[i]));
  out[4 * i + 3] = __half_as_ushort(__float2half_ru(x[i]));
}

KERNEL float_to_bf16(const float *x, unsigned short *out) {
  const int i = threadIdx.x;
  out[3 * i] = __bfloat16_as_ushort(__float2bfloat16_rn(x[i]));
  out[3 * i + 1] = __bfloat16_as_ushort(__float2bfloat16_rz(x[i]));
  out[3 * i + 2] = __bfloat16_as_ushort(__double2bfloat16((double)x[i] * 1.0001));
}

KERNEL half_to_others(const __half *x, float *out, int *whole) {
  const int i = threadIdx.x;
  const __half a = x[i];
  out[i] = __half2float(a) * 2;
  whole[3 * i] = __half2int_rn(a);
  whole[3 * i + 1] = __half2int_rz(a) + __half2short_rd(a);
  whole[3 * i + 2] = __half_as_ushort(__int2half_rn(i * 771 - 30000)) + __half_as_ushort(__uint2half_rz(i * 1001)) * 65536;
}

KERNEL dot_half2(const __half2 *x, const __half2 *y, float *out, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++) {
    const float2 a = __half22float2(x[threadIdx.x * n + k]), b = __half22float2(y[k]);
    sum = fmaf(a.x, b.x, fmaf(a.y, b.y, sum));
  }
  out[threadIdx.x] = sum;
}

KERNEL swap_and_blend(const __half2 *x, __half2 *out) {
  const __half2 a = x[threadIdx.x], b = x[threadIdx.x + 1];
  out[2 * threadIdx.x] = __lowhigh2highlow(a);
  out[2 * threadIdx.x + 1] = __halves2half2(__high2half(b), __low2half(a));
}

#ifdef PTXLAB_HOST
CASES {
  std::vector<__half> halves, special;
  std::vector<__nv_bfloat16> brains;
  host::Random random{1};
  for (int i = 0; i < 66; i++) {
    const float v = (int(random.next()) / 0x1p31f) * powf(2, i % 12 - 6);
    halves.push_back(__float2half(v));
    brains.push_back(__float2bfloat16(v));
  }
  const auto pairs = [](auto values, auto type) {
    std::vector<decltype(type)> result(values.size() / 2);
    memcpy((void *)result.data(), values.data(), result.size() * 4);
    return result;
  };
  for (unsigned bits : {0x0000, 0x8000, 0x0001, 0x83ff, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0xbc00, 0x7bff, 0x7e00, 0x0400})
    special.push_back(__ushort_as_half(bits));
  RUN(half_arithmetic, Shape{{1}, {64}}, of(halves), zeros<__half>(320));
  RUN(half2_axpy, Shape{{1}, {48}}, of(pairs(halves, __half2())), of(pairs(halves, __half2())), 1.3f, 33);
  RUN(bf16_axpy, Shape{{1}, {48}}, of(pairs(brains, __nv_bfloat162())), of(pairs(brains, __nv_bfloat162())), -0.7f, 33);
  RUN(bf16_arithmetic, Shape{{1}, {64}}, of(brains), zeros<__nv_bfloat16>(256));
  RUN(half_comparisons, Shape{{1}, {11}}, of(special), zeros<int>(11));
  RUN(half_extrema, Shape{{1}, {32}}, of(pairs(halves, __half2())), zeros<__half2>(64));
  std::vector<float> wide;
  for (int i = 0; i < 64; i++) wide.push_back((int(random.next()) / 0x1p31f) * powf(2, i % 48 - 28));
  RUN(float_to_half, Shape{{1}, {64}}, of(wide), zeros<unsigned short>(256));
  RUN(float_to_bf16, Shape{{1}, {64}}, of(wide), zeros<unsigned short>(192));
  RUN(half_to_others, Shape{{1}, {60}}, of(halves), zeros<float>(60), zeros<int>(180));
  RUN(dot_half2, Shape{{1}, {4}}, of(pairs(halves, __half2())), of(pairs(halves, __half2())), zeros<float>(4), 8);
  RUN(swap_and_blend, Shape{{1}, {32}}, of(pairs(halves, __half2())), zeros<__half2>(64));
}
#endif
