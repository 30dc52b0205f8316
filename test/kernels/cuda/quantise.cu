// To narrow formats and back: two kinds of fp8, int8 with one scale per row, packed nibbles.
// build: sm_89 -arch=sm_89 -O3 -fmad=false
// build: sm_90 -arch=sm_90 -O3 -fmad=false
#include "host/kernel.h"

#include <cuda_fp8.h>

KERNEL to_e4m3(const float2 *x, unsigned short *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E4M3);
}

KERNEL to_e5m2(const float2 *x, unsigned short *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E5M2);
}

KERNEL from_fp8(const unsigned char *x, float *out, float *other) {
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = b.__x = x[threadIdx.x];
  out[threadIdx.x] = (float)a;
  other[threadIdx.x] = (float)b;
}

KERNEL fp8_classes(const float *x, __nv_fp8_e4m3 *out, __nv_fp8x4_e5m2 *four) {
  const int i = threadIdx.x;
  out[i] = __nv_fp8_e4m3(x[i] * 3);
  if (i % 4 == 0) four[i / 4] = __nv_fp8x4_e5m2(make_float4(x[i], x[i + 1], x[i + 2], x[i + 3]));
}

KERNEL half_to_fp8(const unsigned short *x, unsigned char *out) {
  __half_raw raw;
  raw.x = x[threadIdx.x];
  out[threadIdx.x] = __nv_cvt_halfraw_to_fp8(raw, __NV_SATFINITE, __NV_E4M3);
}

/** One warp per row: largest magnitude, scale, 8-bit integers rounded to even. */
KERNEL rows_to_int8(const float *x, signed char *q, float *scales, int columns) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float most = 0;
  for (int c = lane; c < columns; c += 32) most = fmaxf(most, fabsf(x[row * columns + c]));
  for (int bit = 16; bit > 0; bit /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, bit));
  const float scale = most / 127;
  if (lane == 0) scales[row] = scale;
  for (int c = lane; c < columns; c += 32)
    q[row * columns + c] = (signed char)max(-127, min(127, __float2int_rn(x[row * columns + c] / scale)));
}

KERNEL int8_matmul(const signed char *a, const signed char *b, const float *scales, float *out, int n) {
  const int row = threadIdx.y, column = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; k += 4) {
    const int left = *reinterpret_cast<const int *>(a + row * n + k);
    const int right = *reinterpret_cast<const int *>(b + column * n + k);
    sum = __dp4a(left, right, sum);
  }
  out[row * blockDim.x + column] = sum * scales[row] * 0.5f;
}

KERNEL nibbles(const unsigned *packed, const float *scales, float *out) {
  const unsigned word = packed[threadIdx.x];
  for (int k = 0; k < 8; k++) {
    const int nibble = word >> (4 * k) & 15;
    out[threadIdx.x * 8 + k] = (nibble - 8) * scales[threadIdx.x / 4];
  }
}

#ifdef PTXLAB_HOST
CASES {
  std::vector<float> spread;
  host::Random random{1};
  for (int i = 0; i < 128; i++) spread.push_back((int(random.next()) / 0x1p31f) * powf(2, i % 32 - 14));
  spread[5] = INFINITY, spread[6] = -1000, spread[7] = 0x1p-9f, spread[8] = 0x1p-10f, spread[9] = 464, spread[10] = 17.5f;
  RUN(to_e4m3, Shape{{2}, {40}}, of(spread).as<float2>(), zeros<unsigned short>(64), 64);
  RUN(to_e5m2, Shape{{2}, {40}}, of(spread).as<float2>(), zeros<unsigned short>(64), 64);
  std::vector<unsigned char> codes;
  for (int i = 0; i < 256; i++) codes.push_back((i & 0x7f) >= 0x7c ? i & 0x83 : i);
  RUN(from_fp8, Shape{{1}, {256}}, of(codes), zeros<float>(256), zeros<float>(256));
  RUN(fp8_classes, Shape{{1}, {64}}, of(spread), zeros<__nv_fp8_e4m3>(64), zeros<__nv_fp8x4_e5m2>(16));
  std::vector<unsigned short> halves;
  for (int i = 0; i < 128; i++) halves.push_back(__half_as_ushort(__float2half(spread[i])));
  RUN(half_to_fp8, Shape{{1}, {128}}, of(halves), zeros<unsigned char>(128));
  RUN(rows_to_int8, Shape{{2}, {64}}, floats(4 * 50, 2, -2, 2), zeros<signed char>(200), zeros<float>(4), 50);
  RUN(int8_matmul, Shape{{1}, {5, 6}}, bits<signed char>(192, 3), bits<signed char>(160, 4), floats(6, 5, 0, 1),
      zeros<float>(30), 32);
  RUN(nibbles, Shape{{1}, {24}}, bits<unsigned>(24, 6), floats(6, 7, 0, 1), zeros<float>(192));
}
#endif
