// Threads that work together: nvcc -ptx -O3 -arch=sm_80 cooperation.cu -o cooperation.ptx

extern "C" __global__ void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[16][16], tileB[16][16];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int tile = 0; tile < n / 16; tile++) {
    tileA[y][x] = a[row * n + tile * 16 + x];
    tileB[y][x] = b[(tile * 16 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void warpsum(const float *x, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? x[i] : 0;
  for (int distance = 16; distance > 0; distance >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if ((threadIdx.x & 31) == 0) sums[i >> 5] = sum;
}
