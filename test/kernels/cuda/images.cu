// Images and grids: separable filters, block transforms, rank and bilateral filters, stencils along three axes.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_100a -arch=sm_100a -O3 -fmad=false
#include "host/kernel.h"

constexpr int radius = 3, tile_width = 16, tile_height = 8;
__constant__ float taps[2 * radius + 1] = {0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f};

/** Each thread computes two pixels; the tile has a halo at both ends, zero outside the picture. */
KERNEL convolve_rows(const float *in, float *out, int width, int height) {
  __shared__ float tile[4][4 * tile_width];
  const int x0 = blockIdx.x * 2 * tile_width - tile_width + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
#pragma unroll
  for (int part = 0; part < 4; part++) {
    const int x = x0 + part * tile_width;
    tile[threadIdx.y][threadIdx.x + part * tile_width] = x >= 0 && x < width && y < height ? in[y * width + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int part = 1; part < 3; part++) {
    float sum = 0;
#pragma unroll
    for (int tap = -radius; tap <= radius; tap++)
      sum += taps[radius - tap] * tile[threadIdx.y][threadIdx.x + part * tile_width + tap];
    if (x0 + part * tile_width < width && y < height) out[y * width + x0 + part * tile_width] = sum;
  }
}

KERNEL convolve_columns(const float *in, float *out, int width, int height) {
  __shared__ float tile[tile_width][3 * tile_height + 1];
  const int x = blockIdx.x * tile_width + threadIdx.x, y0 = blockIdx.y * tile_height - tile_height + threadIdx.y;
#pragma unroll
  for (int part = 0; part < 3; part++) {
    const int y = y0 + part * tile_height;
    tile[threadIdx.x][threadIdx.y + part * tile_height] = x < width && y >= 0 && y < height ? in[y * width + x] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int tap = -radius; tap <= radius; tap++)
    sum += taps[radius - tap] * tile[threadIdx.x][threadIdx.y + tile_height + tap];
  if (x < width && y0 + tile_height < height) out[(y0 + tile_height) * width + x] = sum;
}

/** cos(k pi / 16) / 2, and the first row divided by the square root of two. */
__constant__ float basis[8][8] = {
    {0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f},
    {0.49039263f, 0.41573480f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573480f, -0.49039263f},
    {0.46193975f, 0.19134171f, -0.19134171f, -0.46193975f, -0.46193975f, -0.19134171f, 0.19134171f, 0.46193975f},
    {0.41573480f, -0.09754516f, -0.49039263f, -0.27778512f, 0.27778512f, 0.49039263f, 0.09754516f, -0.41573480f},
    {0.35355338f, -0.35355338f, -0.35355338f, 0.35355338f, 0.35355338f, -0.35355338f, -0.35355338f, 0.35355338f},
    {0.27778512f, -0.49039263f, 0.09754516f, 0.41573480f, -0.41573480f, -0.09754516f, 0.49039263f, -0.27778512f},
    {0.19134171f, -0.46193975f, 0.46193975f, -0.19134171f, -0.19134171f, 0.46193975f, -0.46193975f, 0.19134171f},
    {0.09754516f, -0.27778512f, 0.41573480f, -0.49039263f, 0.49039263f, -0.41573480f, 0.27778512f, -0.09754516f}};

/** Forward transform of blocks of 8 by 8 bytes, divided by steps that grow with frequency, as a JPEG encoder would. */
KERNEL dct_8x8(const unsigned char *in, short *out, int width) {
  __shared__ float block[8][9], half[8][9];
  const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
  block[y][x] = in[at] - 128.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += basis[x][k] * block[y][k];
  half[y][x] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += basis[y][k] * half[k][x];
  out[at] = (short)rintf(sum / (float)(8 + 3 * (x + y)));
}

KERNEL inverse_dct(const short *in, unsigned char *out, int width) {
  __shared__ float block[8][9], half[8][9];
  const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
  block[y][x] = (float)(in[at] % 64 * (8 + 3 * (x + y)));
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += basis[k][x] * block[y][k];
  half[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; k++) sum += basis[k][y] * half[k][x];
  out[at] = (unsigned char)fminf(fmaxf(rintf(sum) + 128, 0), 255);
}

/** Walsh-Hadamard transform: stages of radix four, and a last one of radix two. */
KERNEL walsh(const int *in, int *out, int log) {
  DYNAMIC_SHARED(int, data);
  const int n = 1 << log;
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = in[blockIdx.x * n + i];
  int stride = n / 4;
  for (; stride > 0; stride /= 4) {
    __syncthreads();
    for (int t = threadIdx.x; t < n / 4; t += blockDim.x) {
      const int low = t & (stride - 1), at = (t - low) * 4 + low;
      const int a = data[at], b = data[at + stride], c = data[at + 2 * stride], d = data[at + 3 * stride];
      data[at] = a + c + b + d;
      data[at + stride] = a + c - (b + d);
      data[at + 2 * stride] = a - c + b - d;
      data[at + 3 * stride] = a - c - (b - d);
    }
  }
  if (log & 1) {
    __syncthreads();
    for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
      const int a = data[2 * t], b = data[2 * t + 1];
      data[2 * t] = a + b;
      data[2 * t + 1] = a - b;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = data[i];
}

KERNEL mandelbrot_double(unsigned short *out, double x0, double y0, double step, int width, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
  if (px >= width) return;
  const double cx = x0 + px * step, cy = y0 + py * step;
  double x = 0, y = 0, xx = 0, yy = 0;
  int i = 0;
  for (; i < most && xx + yy < 4; i++) {
    y = 2 * x * y + cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
  }
  out[py * width + px] = (unsigned short)i;
}

/** Neighbors are weighted by distance and by similarity of color. */
KERNEL bilateral(const uchar4 *in, float4 *out, int width, int height, float likeness) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar4 centre = in[y * width + x];
  float4 sum = make_float4(0, 0, 0, 0);
  float total = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      const uchar4 other = in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
      const float r = other.x - centre.x, g = other.y - centre.y, b = other.z - centre.z;
      const float weight = __expf(-(dx * dx + dy * dy) / 8.0f) * __expf(-(r * r + g * g + b * b) * likeness);
      sum.x += weight * other.x;
      sum.y += weight * other.y;
      sum.z += weight * other.z;
      total += weight;
    }
  out[y * width + x] = make_float4(sum.x / total, sum.y / total, sum.z / total, total);
}

/** Radius two along z in registers, along x and y in shared memory. */
KERNEL stencil_3d(const float *in, float *out, int nx, int ny, int nz) {
  __shared__ float plane[4 + 4][8 + 4];
  const int tx = threadIdx.x + 2, ty = threadIdx.y + 2;
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, sheet = nx * ny;
  const bool inside = x < nx && y < ny;
  const float *column = in + y * nx + x;
  float behind[2] = {0, 0}, centre = inside ? column[0] : 0, ahead[2];
  for (int k = 0; k < 2; k++) ahead[k] = inside && k + 1 < nz ? column[(k + 1) * sheet] : 0;
  for (int z = 0; z < nz; z++) {
    plane[ty][tx] = centre;
    if (threadIdx.x < 2) {
      plane[ty][tx - 2] = x >= 2 && y < ny ? in[z * sheet + y * nx + x - 2] : 0;
      plane[ty][tx + 8] = x + 8 < nx && y < ny ? in[z * sheet + y * nx + x + 8] : 0;
    }
    if (threadIdx.y < 2) {
      plane[ty - 2][tx] = y >= 2 && x < nx ? in[z * sheet + (y - 2) * nx + x] : 0;
      plane[ty + 4][tx] = y + 4 < ny && x < nx ? in[z * sheet + (y + 4) * nx + x] : 0;
    }
    __syncthreads();
    float sum = 0.5f * centre;
    sum += 0.125f * (behind[0] + ahead[0] + plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx]);
    sum -= 0.03f * (behind[1] + ahead[1] + plane[ty][tx - 2] + plane[ty][tx + 2] + plane[ty - 2][tx] + plane[ty + 2][tx]);
    if (inside) out[z * sheet + y * nx + x] = sum;
    __syncthreads();
    behind[1] = behind[0];
    behind[0] = centre;
    centre = ahead[0];
    ahead[0] = ahead[1];
    ahead[1] = inside && z + 3 < nz ? column[(z + 3) * sheet] : 0;
  }
}

/** The Sobel operator on bytes, four pixels per thread. */
KERNEL sobel(const unsigned char *in, uchar4 *out, int width, int height) {
  const int x0 = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y;
  if (x0 >= width) return;
  unsigned char found[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int p[3][3];
    for (int dy = 0; dy < 3; dy++)
      for (int dx = 0; dx < 3; dx++)
        p[dy][dx] = in[min(max(y + dy - 1, 0), height - 1) * width + min(max(x0 + k + dx - 1, 0), width - 1)];
    const int gx = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
    const int gy = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
    found[k] = (unsigned char)min(abs(gx) + abs(gy) >> 1, 255);
  }
  out[(y * width + x0) / 4] = make_uchar4(found[0], found[1], found[2], found[3]);
}

__device__ inline void exchange(unsigned char &a, unsigned char &b) {
  const unsigned char low = min(a, b), high = max(a, b);
  a = low, b = high;
}

/** The median of nine. */
KERNEL median_3x3(const unsigned char *in, unsigned char *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
  unsigned char v[9];
  for (int i = 0; i < 9; i++) v[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
  for (int i = 0; i < 9; i++)
    for (int j = i + 1; j < 9; j++) exchange(v[i], v[j]);
  out[y * width + x] = v[4];
}

/** A running sum along a row. */
KERNEL box_filter(const float *in, float *out, int width) {
  const float *row = in + threadIdx.x * width;
  float sum = row[0] * 4;
  for (int x = 1; x <= 3; x++) sum += row[x];
  for (int x = 0; x < width; x++) {
    out[threadIdx.x * width + x] = sum / 7;
    sum += row[min(x + 4, width - 1)] - row[max(x - 3, 0)];
  }
}

/** Conway's Game of Life, one bit per cell, 32 cells per word, with wrapped edges. */
KERNEL game_of_life(const unsigned *in, unsigned *out, int words, int rows) {
  const int x = threadIdx.x, y = blockIdx.x;
  unsigned ones = 0, twos = 0, fours = 0;
  for (int dy = -1; dy <= 1; dy++) {
    const unsigned *row = in + (y + dy + rows) % rows * words;
    const unsigned middle = row[x], left = row[(x + words - 1) % words], right = row[(x + 1) % words];
    const unsigned sides[3] = {__funnelshift_l(left, middle, 1), dy == 0 ? 0 : middle, __funnelshift_r(middle, right, 1)};
    for (unsigned side : sides) {
      const unsigned carry = ones & side;
      ones ^= side;
      fours |= twos & carry;
      twos ^= carry;
    }
  }
  out[y * words + x] = twos & ~fours & (ones | in[y * words + x]);
}

KERNEL grey(const uchar3 *in, unsigned char *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (unsigned char)(0.299f * in[i].x + 0.587f * in[i].y + 0.114f * in[i].z);
}

#ifdef PTXLAB_HOST
CASES {
  RUN(convolve_rows, Shape{{2, 2}, {16, 4}}, floats(45 * 7, 1, -1, 1), zeros<float>(45 * 7), 45, 7);
  RUN(convolve_columns, Shape{{2, 3}, {16, 8}}, floats(20 * 19, 2, -1, 1), zeros<float>(20 * 19), 20, 19);
  RUN(dct_8x8, Shape{{2, 2}, {8, 8}}, bits<unsigned char>(256, 3), zeros<short>(256), 16);
  RUN(inverse_dct, Shape{{2, 2}, {8, 8}}, bits<short>(256, 4), zeros<unsigned char>(256), 16);
  RUN(walsh, Shape{{1}, {16}, 512}, bits<int>(128, 5), zeros<int>(128), 7);
  RUN(walsh, Shape{{2}, {16}, 256}, bits<int>(128, 6), zeros<int>(128), 6);
  RUN(mandelbrot_double, Shape{{1, 12}, {32}}, zeros<unsigned short>(300), -0.7437, 0.1313, 1e-4, 25, 300);
  RUN(bilateral, Shape{{2, 2}, {8, 4}}, bits<uchar4>(12 * 7, 7), zeros<float4>(12 * 7).within("f32", 1e-5, 1e-6), 12, 7,
      2e-5f);
  RUN(stencil_3d, Shape{{2, 2}, {8, 4}}, floats(13 * 7 * 5, 8, -1, 1), zeros<float>(13 * 7 * 5), 13, 7, 5);
  RUN(sobel, Shape{{1, 9}, {5}}, bits<unsigned char>(180, 9), zeros<uchar4>(45), 20, 9);
  RUN(median_3x3, Shape{{2, 9}, {16}}, bits<unsigned char>(180, 10), zeros<unsigned char>(180), 20, 9);
  RUN(box_filter, Shape{{1}, {4}}, floats(100, 11, 0, 4), zeros<float>(100), 25);
  RUN(game_of_life, Shape{{16}, {3}}, bits<unsigned>(48, 12), zeros<unsigned>(48), 3, 16);
  RUN(grey, Shape{{2}, {64}}, bits<uchar3>(100, 13), zeros<unsigned char>(100), 100);
}
#endif
