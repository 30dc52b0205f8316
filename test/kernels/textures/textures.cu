// Kernels that read textures and write surfaces in the ways that CUDA offers. See README.md for the commands.
#include <cstdint>

extern "C" __global__ void sample_1d(cudaTextureObject_t texture, const float *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float>(texture, at[i]);
}

extern "C" __global__ void fetch_1d(cudaTextureObject_t texture, const int *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(texture, at[i]);
}

extern "C" __global__ void sample_2d(cudaTextureObject_t texture, const float2 *at, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float4>(texture, at[i].x, at[i].y);
}

extern "C" __global__ void sample_2d_integers(cudaTextureObject_t texture, const float2 *at, short4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<short4>(texture, at[i].x, at[i].y);
}

extern "C" __global__ void sample_3d(cudaTextureObject_t texture, const float4 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex3D<float>(texture, at[i].x, at[i].y, at[i].z);
}

extern "C" __global__ void sample_layers(cudaTextureObject_t texture, const float4 *at, float2 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2DLayered<float2>(texture, at[i].x, at[i].y, (int)at[i].z);
}

extern "C" __global__ void sample_lines(cudaTextureObject_t texture, const float2 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1DLayered<float>(texture, at[i].x, (int)at[i].y);
}

extern "C" __global__ void sample_cube(cudaTextureObject_t texture, const float4 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = texCubemap<float>(texture, at[i].x, at[i].y, at[i].z);
}

extern "C" __global__ void sample_cubes(cudaTextureObject_t texture, const float4 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = texCubemapLayered<float>(texture, at[i].x, at[i].y, at[i].z, (int)at[i].w);
}

extern "C" __global__ void sample_level(cudaTextureObject_t texture, const float4 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2DLod<float>(texture, at[i].x, at[i].y, at[i].z);
}

extern "C" __global__ void sample_gradient(cudaTextureObject_t texture, const float4 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tex2DGrad<float>(texture, at[i].x, at[i].y, make_float2(at[i].z, 0.0f), make_float2(0.0f, at[i].w));
}

extern "C" __global__ void gather(cudaTextureObject_t texture, const float2 *at, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2Dgather<float4>(texture, at[i].x, at[i].y, 1);
}

// Mirrors the rows of an image. Threads outside of the image read zeros, and their stores have no effect.
extern "C" __global__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  uchar4 pixel = surf2Dread<uchar4>(from, x * (int)sizeof(uchar4), y, cudaBoundaryModeZero);
  surf2Dwrite(pixel, to, (width - 1 - x) * (int)sizeof(uchar4), y, cudaBoundaryModeZero);
}

// The sum of each texel and its neighbors in a volume, whose faces are repeated.
extern "C" __global__ void add_neighbors(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  float sum = 0;
  for (int d = -1; d <= 1; d++) {
    float value;
    surf3Dread(&value, from, (x + d) * (int)sizeof(float), y, z, cudaBoundaryModeClamp);
    sum += value;
    surf3Dread(&value, from, x * (int)sizeof(float), y + d, z, cudaBoundaryModeClamp);
    sum += value;
    surf3Dread(&value, from, x * (int)sizeof(float), y, z + d, cudaBoundaryModeClamp);
    sum += value;
  }
  surf3Dwrite(sum, to, x * (int)sizeof(float), y, z);
}

extern "C" __global__ void write_layers(cudaSurfaceObject_t to, int layers) {
  for (int layer = 0; layer < layers; layer++)
    surf2DLayeredwrite((short)(100 * layer + 10 * threadIdx.y + threadIdx.x), to, threadIdx.x * (int)sizeof(short),
                       threadIdx.y, layer);
}

// Ends the launch, because the last thread reads beyond the surface.
extern "C" __global__ void read_beyond(cudaSurfaceObject_t from, int *out) {
  out[threadIdx.x] = surf1Dread<int>(from, threadIdx.x * (int)sizeof(int), cudaBoundaryModeTrap);
}
