// Programs as people write them: nvcc -ptx -O3 -arch=sm_80 programs.cu -o programs.ptx. run-programs.ts compares them
// with the programs in programs.cpp.

/** Counters for each warp in shared memory, four bytes at a time. */
extern "C" __global__ void histogram(const unsigned *words, unsigned *bins, int n) {
  __shared__ unsigned counters[8][256];
  for (int i = threadIdx.x; i < 8 * 256; i += blockDim.x) (&counters[0][0])[i] = 0;
  __syncthreads();
  unsigned *mine = counters[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned word = words[i];
    atomicAdd(mine + (word & 255), 1);
    atomicAdd(mine + (word >> 8 & 255), 1);
    atomicAdd(mine + (word >> 16 & 255), 1);
    atomicAdd(mine + (word >> 24), 1);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int warp = 0; warp < 8; warp++) sum += counters[warp][threadIdx.x];
  atomicAdd(bins + threadIdx.x, sum);
}

/** One-byte counters for every thread: 64 bins, selected by the upper bits. */
extern "C" __global__ void byte_counters(const unsigned *words, unsigned *bins, int each) {
  __shared__ unsigned char counters[64 * 64];
  for (int i = threadIdx.x; i < 64 * 64 / 4; i += 64) ((unsigned *)counters)[i] = 0;
  __syncthreads();
  const unsigned *mine = words + blockIdx.x * 64 * each + threadIdx.x;
  for (int i = 0; i < each; i++) {
    const unsigned word = mine[i * 64];
    counters[(word >> 2 & 63) * 64 + threadIdx.x]++;
    counters[(word >> 10 & 63) * 64 + threadIdx.x]++;
    counters[(word >> 18 & 63) * 64 + threadIdx.x]++;
    counters[(word >> 26) * 64 + threadIdx.x]++;
  }
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0, at = threadIdx.x; i < 64; i++, at = (at + 1) % 64) sum += counters[threadIdx.x * 64 + at];
  atomicAdd(bins + threadIdx.x, sum);
}

constexpr int radius = 8;
__constant__ float taps[2 * radius + 1] = {0.01f, 0.02f, 0.03f, 0.04f, 0.06f, 0.08f, 0.09f, 0.1f, 0.14f,
                                           0.1f,  0.09f, 0.08f, 0.06f, 0.04f, 0.03f, 0.02f, 0.01f};

/** Four pixels for each thread and a halo at both ends. */
extern "C" __global__ void convolve_rows(const float *in, float *out, int width) {
  __shared__ float tile[4][16 * 6];
  const int x0 = (blockIdx.x * 4 - 1) * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
#pragma unroll
  for (int part = 0; part < 6; part++) {
    const int x = x0 + part * 16;
    tile[threadIdx.y][threadIdx.x + part * 16] = x >= 0 && x < width ? in[y * width + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int part = 1; part < 5; part++) {
    float sum = 0;
#pragma unroll
    for (int tap = -radius; tap <= radius; tap++) sum += taps[radius - tap] * tile[threadIdx.y][threadIdx.x + part * 16 + tap];
    out[y * width + x0 + part * 16] = sum;
  }
}

extern "C" __global__ void convolve_columns(const float *in, float *out, int width, int height) {
  __shared__ float tile[16][8 * 6 + 1];
  const int x = blockIdx.x * 16 + threadIdx.x, y0 = (blockIdx.y * 4 - 1) * 8 + threadIdx.y;
#pragma unroll
  for (int part = 0; part < 6; part++) {
    const int y = y0 + part * 8;
    tile[threadIdx.x][threadIdx.y + part * 8] = y >= 0 && y < height ? in[y * width + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int part = 1; part < 5; part++) {
    float sum = 0;
#pragma unroll
    for (int tap = -radius; tap <= radius; tap++) sum += taps[radius - tap] * tile[threadIdx.x][threadIdx.y + part * 8 + tap];
    out[(y0 + part * 8) * width + x] = sum;
  }
}

/** Radius four: a queue of planes in registers, with the current plane in shared memory. `in` has a margin of four. */
extern "C" __global__ void stencil(const float *in, float *out, const float *weights, int nx, int ny, int nz) {
  __shared__ float plane[8 + 8][32 + 8];
  const int tx = threadIdx.x + 4, ty = threadIdx.y + 4, row = nx + 8, sheet = row * (ny + 8);
  int at = (blockIdx.y * 8 + ty) * row + blockIdx.x * 32 + tx;
  float behind[4], ahead[4];
#pragma unroll
  for (int k = 3; k >= 0; k--, at += sheet) behind[k] = in[at];
  float centre = in[at];
#pragma unroll
  for (int k = 0; k < 4; k++) ahead[k] = in[at + (k + 1) * sheet];
  for (int z = 0; z < nz; z++) {
    __syncthreads();
    if (threadIdx.y < 4) {
      plane[threadIdx.y][tx] = in[at - 4 * row];
      plane[threadIdx.y + 12][tx] = in[at + 8 * row];
    }
    if (threadIdx.x < 4) {
      plane[ty][threadIdx.x] = in[at - 4];
      plane[ty][threadIdx.x + 36] = in[at + 32];
    }
    plane[ty][tx] = centre;
    __syncthreads();
    float sum = weights[0] * centre;
#pragma unroll
    for (int k = 1; k <= 4; k++)
      sum += weights[k] * (behind[k - 1] + ahead[k - 1] + plane[ty - k][tx] + plane[ty + k][tx] + plane[ty][tx - k] + plane[ty][tx + k]);
    out[at] = sum;
    at += sheet;
#pragma unroll
    for (int k = 3; k > 0; k--) behind[k] = behind[k - 1];
    behind[0] = centre;
    centre = ahead[0];
#pragma unroll
    for (int k = 0; k < 3; k++) ahead[k] = ahead[k + 1];
    if (z + 1 < nz) ahead[3] = in[at + 4 * sheet];
  }
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float left[32][32], right[32][32];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
    left[y][x] = a[row * n + first + x];
    right[y][x] = b[(first + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++) sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
