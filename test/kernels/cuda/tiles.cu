// Neighbors through shared memory: tiles, halos, transposes, sorting and Fourier networks.
// build: sm_80 -arch=sm_80 -O3 -fmad=false
// build: sm_75_O0 -arch=sm_75 -Xcicc -O0 -fmad=false -lineinfo
#include "host/kernel.h"

KERNEL matmul_tiled(const float *a, const float *b, float *c, int rows, int inner, int columns) {
  __shared__ float left[16][16], right[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < inner; start += 16) {
    const int k = start + threadIdx.x, l = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[row * inner + k] : 0;
    right[threadIdx.y][threadIdx.x] = column < columns && l < inner ? b[l * columns + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) sum = fmaf(left[threadIdx.y][i], right[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

KERNEL transpose_padded(const uint32_t *in, uint32_t *out, int width, int height) {
  __shared__ uint32_t tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = 0; j < 16; j += 4)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  for (int j = 0; j < 16; j += 4)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

KERNEL stencil_1d(const int *in, int *out, int n) {
  constexpr int radius = 3;
  __shared__ int halo[64 + 2 * radius];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + radius;
  halo[at] = i < n ? in[i] : 0;
  if (threadIdx.x < radius) {
    halo[at - radius] = i >= radius ? in[i - radius] : 0;
    halo[at + blockDim.x] = i + (int)blockDim.x < n ? in[i + blockDim.x] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int k = -radius; k <= radius; k++) sum += halo[at + k] * (k + 4);
  if (i < n) out[i] = sum;
}

KERNEL heat_3d(const float *in, float *out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  const auto at = [&](int i, int j, int k) { return in[(k * ny + j) * nx + i]; };
  const float centre = at(x, y, z);
  if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
    out[(z * ny + y) * nx + x] = centre;
    return;
  }
  const float around = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) +
                       at(x, y, z + 1);
  out[(z * ny + y) * nx + x] = fmaf(around - 6 * centre, 0.1f, centre);
}

__constant__ float filter[3][3] = {{0.0625f, 0.125f, 0.0625f}, {0.125f, -0.75f, 0.125f}, {0.0625f, 0.125f, 0.0625f}};

KERNEL conv2d(const float *in, float *out, int width, int height) {
  __shared__ float tile[10][18];
  const int left = blockIdx.x * 16 - 1, top = blockIdx.y * 8 - 1;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 180; i += 128) {
    const int x = min(max(left + i % 18, 0), width - 1), y = min(max(top + i / 18, 0), height - 1);
    tile[i / 18][i % 18] = in[y * width + x];
  }
  __syncthreads();
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) sum = fmaf(filter[j][i], tile[threadIdx.y + j][threadIdx.x + i], sum);
  out[y * width + x] = sum;
}

KERNEL bitonic_sort(const int *in, int *out, int n) {
  DYNAMIC_SHARED(int, keys);
  const int i = threadIdx.x;
  keys[i] = in[i];
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int other = i ^ stride;
      if (other > i && (keys[i] > keys[other]) == ((i & size) == 0)) {
        const int held = keys[i];
        keys[i] = keys[other];
        keys[other] = held;
      }
    }
  __syncthreads();
  out[i] = keys[i];
}

/** Radix 2; the roots of unity come from outside, so that the test does not compare sines of two libraries. */
KERNEL fft_64(const float2 *in, const float2 *roots, float2 *out) {
  __shared__ float2 values[64];
  const int i = threadIdx.x;
  values[__brev(i) >> 26] = in[i];
  values[__brev(i + 32) >> 26] = in[i + 32];
  for (int half = 1; half < 64; half *= 2) {
    __syncthreads();
    const int k = i % half, at = i / half * 2 * half + k;
    const float2 root = roots[k * (32 / half)], even = values[at], odd = values[at + half];
    const float2 turned = {fmaf(root.x, odd.x, -(root.y * odd.y)), fmaf(root.x, odd.y, root.y * odd.x)};
    values[at] = make_float2(even.x + turned.x, even.y + turned.y);
    values[at + half] = make_float2(even.x - turned.x, even.y - turned.y);
  }
  __syncthreads();
  out[i] = values[i];
  out[i + 32] = values[i + 32];
}

KERNEL n_body(const float4 *bodies, float4 *forces, int n) {
  __shared__ float4 near[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = bodies[i];
  float4 force = {0, 0, 0, 0};
  for (int start = 0; start < n; start += 32) {
    near[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
      const float dx = near[k].x - own.x, dy = near[k].y - own.y, dz = near[k].z - own.z;
      const float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
      const float strength = near[k].w / (square * sqrtf(square));
      force.x = fmaf(dx, strength, force.x);
      force.y = fmaf(dy, strength, force.y);
      force.z = fmaf(dz, strength, force.z);
    }
    __syncthreads();
  }
  forces[i] = force;
}

#ifdef PTXLAB_HOST
CASES {
  RUN(matmul_tiled, Shape{{2, 2}, {16, 16}}, floats(20 * 37, 1, -1, 1), floats(37 * 19, 2, -1, 1), zeros<float>(380),
      20, 37, 19);
  RUN(transpose_padded, Shape{{2, 2}, {16, 4}}, bits<uint32_t>(26 * 21, 3), zeros<uint32_t>(26 * 21), 26, 21);
  RUN(stencil_1d, Shape{{3}, {64}}, bits<int>(170, 4), zeros<int>(170), 170);
  RUN(heat_3d, Shape{{2, 2, 2}, {5, 4, 3}}, floats(9 * 7 * 6, 5, -2, 2), zeros<float>(9 * 7 * 6), 9, 7, 6);
  RUN(conv2d, Shape{{2, 2}, {16, 8}}, floats(23 * 15, 6, 0, 1), zeros<float>(23 * 15), 23, 15);
  RUN(bitonic_sort, Shape{{1}, {128}, 512}, bits<int>(128, 7), zeros<int>(128), 128);
  std::vector<float2> roots;
  for (int i = 0; i < 32; i++) roots.push_back({float(cos(-M_PI * i / 32)), float(sin(-M_PI * i / 32))});
  RUN(fft_64, Shape{{1}, {32}}, floats(128, 8, -1, 1).as<float2>(), of(roots), zeros<float2>(64));
  RUN(n_body, Shape{{2}, {32}}, floats(256, 9, 0, 1).as<float4>(), zeros<float4>(64), 64);
}
#endif
