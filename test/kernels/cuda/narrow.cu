// The formats of fewer than eight bits that Blackwell has conversion instructions for.
// build: sm_100a -arch=sm_100a -O3 -fmad=false
// build: sm_120a -arch=sm_120a -O3 -fmad=false
#include "host/kernel.h"

#include <cuda_fp4.h>
#include <cuda_fp6.h>

KERNEL to_fp4(const float2 *x, unsigned char *out) {
  out[threadIdx.x] = __nv_cvt_float2_to_fp4x2(x[threadIdx.x], __NV_E2M1, cudaRoundNearest);
}

KERNEL from_fp4(const unsigned char *x, unsigned *out) {
  const __half2_raw pair = __nv_cvt_fp4x2_to_halfraw2(x[threadIdx.x], __NV_E2M1);
  out[threadIdx.x] = pair.x | (unsigned)pair.y << 16;
}

KERNEL to_fp6(const float2 *x, unsigned short *out, unsigned short *other) {
  out[threadIdx.x] = __nv_cvt_float2_to_fp6x2(x[threadIdx.x], __NV_E2M3, cudaRoundNearest);
  other[threadIdx.x] = __nv_cvt_float2_to_fp6x2(x[threadIdx.x], __NV_E3M2, cudaRoundNearest);
}

KERNEL from_fp6(const unsigned short *x, unsigned *out) {
  const __half2_raw a = __nv_cvt_fp6x2_to_halfraw2(x[threadIdx.x], __NV_E2M3);
  const __half2_raw b = __nv_cvt_fp6x2_to_halfraw2(x[threadIdx.x], __NV_E3M2);
  out[2 * threadIdx.x] = a.x | (unsigned)a.y << 16;
  out[2 * threadIdx.x + 1] = b.x | (unsigned)b.y << 16;
}

KERNEL scale_codes(const float *x, unsigned char *out) {
  out[2 * threadIdx.x] = __nv_cvt_float_to_e8m0(x[threadIdx.x], __NV_SATFINITE, cudaRoundPosInf);
  out[2 * threadIdx.x + 1] = __nv_cvt_float_to_e8m0(x[threadIdx.x], __NV_SATFINITE, cudaRoundZero);
}

KERNEL scales_to_bf16(const unsigned short *x, unsigned *out) {
  const __nv_bfloat162_raw pair = __nv_cvt_e8m0x2_to_bf162raw(x[threadIdx.x]);
  out[threadIdx.x] = pair.x | (unsigned)pair.y << 16;
}

KERNEL bf16_to_narrow(const unsigned *x, unsigned *out) {
  __nv_bfloat162_raw pair;
  pair.x = (unsigned short)x[threadIdx.x];
  pair.y = (unsigned short)(x[threadIdx.x] >> 16);
  out[threadIdx.x] = __nv_cvt_bfloat16raw2_to_fp4x2(pair, __NV_E2M1, cudaRoundNearest) |
                     __nv_cvt_bfloat16raw2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3) << 16;
}

#ifdef PTXLAB_HOST
template <typename Make>
float2 in_pairs(Make make) {
  return {make(&float2::x), make(&float2::y)};
}
float2 __fadd2_rn(float2 a, float2 b) { return in_pairs([=](auto at) { return a.*at + b.*at; }); }
float2 __fmul2_rn(float2 a, float2 b) { return in_pairs([=](auto at) { return a.*at * b.*at; }); }
float2 __ffma2_rn(float2 a, float2 b, float2 c) { return in_pairs([=](auto at) { return fmaf(a.*at, b.*at, c.*at); }); }
#endif

KERNEL pairs_of_floats(const float2 *x, float2 *out) {
  const float2 a = x[threadIdx.x], b = x[threadIdx.x + 1], c = x[threadIdx.x + 2];
  out[3 * threadIdx.x] = __fadd2_rn(a, b);
  out[3 * threadIdx.x + 1] = __fmul2_rn(a, b);
  out[3 * threadIdx.x + 2] = __ffma2_rn(a, b, c);
}

#ifdef PTXLAB_HOST
CASES {
  std::vector<float> spread;
  host::Random random{1};
  for (int i = 0; i < 128; i++) spread.push_back((int(random.next()) / 0x1p31f) * powf(2, i % 10 - 5));
  for (int i = 0; i < 20; i++) spread[i] = (i - 10) * 0.25f;
  RUN(to_fp4, Shape{{1}, {64}}, of(spread).as<float2>(), zeros<unsigned char>(64));
  RUN(from_fp4, Shape{{1}, {64}}, bits<unsigned char>(64, 2), zeros<unsigned>(64));
  RUN(to_fp6, Shape{{1}, {64}}, of(spread).as<float2>(), zeros<unsigned short>(64), zeros<unsigned short>(64));
  std::vector<unsigned short> codes;
  for (int i = 0; i < 64; i++) codes.push_back(i | (63 - i) << 8);
  RUN(from_fp6, Shape{{1}, {64}}, of(codes), zeros<unsigned>(128));
  std::vector<float> positive;
  for (float v : spread) positive.push_back(fabsf(v) * 100 + 1e-6f);
  RUN(scales_to_bf16, Shape{{1}, {64}}, of(codes), zeros<unsigned>(64));
  std::vector<unsigned> pairs;
  for (int i = 0; i < 64; i++)
    pairs.push_back(__bfloat16_as_ushort(__float2bfloat16(spread[i])) |
                    (unsigned)__bfloat16_as_ushort(__float2bfloat16(spread[i + 64] * 3)) << 16);
  RUN(bf16_to_narrow, Shape{{1}, {64}}, of(pairs), zeros<unsigned>(64));
  RUN(pairs_of_floats, Shape{{1}, {40}}, floats(84, 3, -8, 8).as<float2>(), zeros<float2>(120));
  RUN(scale_codes, Shape{{1}, {64}}, of(positive), zeros<unsigned char>(128));
}
#endif
