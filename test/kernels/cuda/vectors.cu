// Memory and types: grid strides, vector loads, narrow types, structs, constants, local arrays, three-dimensional grids.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_90_debug -arch=sm_90 -G -fmad=false
#include "host/kernel.h"

KERNEL saxpy_stride(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = fmaf(a, x[i], y[i]);
}

KERNEL scale_float4(const float4 *x, float4 *y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 v = x[i];
  y[i] = make_float4(v.x * a, v.y + a, v.z - a, v.w / a);
}

KERNEL mix_uint4(const uint4 *x, uint4 *y, ulonglong2 *z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 v = x[i];
  y[i] = make_uint4(v.x ^ v.w, v.y & ~v.z, v.z | v.x >> 3, v.w + (v.y << 5));
  z[i] = make_ulonglong2((uint64_t)v.x << 32 | v.y, (uint64_t)v.z * v.w);
}

KERNEL narrow_types(const unsigned char *u8, const signed char *s8, const short *s16, unsigned char *out8, short *out16,
                    unsigned short *u16, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char blend = (u8[i] * 77 + (unsigned char)s8[i] * 179 + 128) >> 8;
  const short sum = s16[i] + s8[i];
  out8[i] = blend;
  out16[i] = sum < -1000 ? (short)-1000 : sum > 1000 ? (short)1000 : (short)(sum / 3);
  u16[i] = (unsigned short)(u8[i] << 9) >> 2 ^ (unsigned short)(s16[i] >> 3);
}

struct Settings {
  int count;
  float scale;
  short offset;
  signed char step;
  double bias;
  float3 direction;
  unsigned char mask[5];
};

KERNEL struct_by_value(Settings s, const int *x, double *y) {
  const int i = threadIdx.x;
  if (i >= s.count) return;
  y[i] = s.bias + s.scale * (float)(x[i] + s.offset + s.step * i) + s.direction.y + s.mask[i % 5];
}

KERNEL copy_struct(const Settings *in, Settings *out) {
  Settings s = in[threadIdx.x];
  s.count += threadIdx.x;
  s.mask[threadIdx.x % 5] ^= 0xff;
  out[threadIdx.x] = s;
}

__constant__ int weights[8] = {1, -2, 4, -8, 16, -32, 64, -128};
__constant__ float grid_points[2][3] = {{0.5f, 1.5f, 2.5f}, {-1e10f, 3e-5f, 7.0f}};
__device__ int counter_start = 40;
__device__ int squares[5] = {0, 1, 4, 9, 16};
__constant__ int *table_of_squares = squares;
__device__ int *const pointers[2] = {squares + 1, &counter_start};

KERNEL constants(int *out, float *points) {
  const int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k <= i % 8; k++) sum += weights[k] * (i + 1);
  out[i] = sum + table_of_squares[i % 5] * 1000 + pointers[i % 2][0] * 100000;
  points[i] = grid_points[i % 2][i % 3];
}

KERNEL local_array(const int *x, int *y, int n) {
  int window[17];
  for (int k = 0; k < 17; k++) window[k] = x[(threadIdx.x + k) % n];
  for (int turn = 0; turn < 9; turn++) {
    const int at = (window[turn] & 0x7fffffff) % 17;
    window[at] = window[(at + 5) % 17] * 3 + turn;
  }
  int sum = 0;
  for (int k = 0; k < 17; k++) sum = sum * 31 + window[k];
  y[threadIdx.x] = sum;
}

KERNEL index_3d(uint32_t *out) {
  const uint3 at = {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z};
  const unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  out[(at.z * height + at.y) * width + at.x] = at.x | at.y << 8 | at.z << 16 | (threadIdx.x + threadIdx.y) << 24;
}

KERNEL misaligned_bytes(const unsigned char *x, uint32_t *y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = x[3 * i] | x[3 * i + 1] << 8 | (uint32_t)x[3 * i + 2] << 16 | (uint32_t)(i & 0xff) << 24;
}

KERNEL volatile_sum(volatile int *x, volatile int *y) {
  for (int i = 0; i < 4; i++) y[threadIdx.x] = y[threadIdx.x] + x[threadIdx.x * 4 + i];
}

KERNEL bit_fields(const uint32_t *x, uint32_t *y) {
  struct Packed {
    unsigned low : 5, middle : 11;
    int high : 16;
  };
  union {
    uint32_t word;
    Packed fields;
  } both;
  both.word = x[threadIdx.x];
  both.fields.low += 3;
  both.fields.high = both.fields.high / 2 - both.fields.middle;
  y[threadIdx.x] = both.word;
}

#ifdef PTXLAB_HOST
CASES {
  RUN(saxpy_stride, Shape{{3}, {64}}, 401, 0.75f, floats(401, 1, -4, 4), floats(401, 2, -4, 4));
  RUN(scale_float4, Shape{{2}, {40}}, floats(300, 3, -8, 8).as<float4>(), zeros<float4>(75), 3.0f, 75);
  RUN(mix_uint4, Shape{{2}, {33}}, bits<uint4>(60, 4), zeros<uint4>(60), zeros<ulonglong2>(60), 60);
  RUN(narrow_types, Shape{{1}, {208}}, bits<unsigned char>(200, 5), bits<signed char>(200, 6), bits<short>(200, 7),
      zeros<unsigned char>(200), zeros<short>(200), zeros<unsigned short>(200), 199);
  Settings s;
  memset(&s, 0, sizeof s);
  s.count = 45, s.scale = 0.5f, s.offset = -300, s.step = -3, s.bias = 1e6, s.direction = {1, 0.25f, 3};
  for (int i = 0; i < 5; i++) s.mask[i] = 200 + i;
  RUN(struct_by_value, Shape{{1}, {64}}, s, ints(64, 8, 1 << 20), zeros<double>(64));
  RUN(copy_struct, Shape{{1}, {7}}, of(std::vector<Settings>(7, s)), zeros<Settings>(7));
  RUN(constants, Shape{{1}, {30}}, zeros<int>(30), zeros<float>(30));
  RUN(local_array, Shape{{1}, {70}}, bits<int>(40, 9), zeros<int>(70), 40);
  RUN(index_3d, Shape{{2, 3, 2}, {5, 3, 2}}, zeros<uint32_t>(10 * 9 * 4));
  RUN(misaligned_bytes, Shape{{1}, {100}}, bits<unsigned char>(300, 10), zeros<uint32_t>(100), 100);
  RUN(volatile_sum, Shape{{1}, {31}}, bits<int>(124, 11), bits<int>(31, 12));
  RUN(bit_fields, Shape{{1}, {96}}, bits<uint32_t>(96, 13), zeros<uint32_t>(96));
}
#endif
