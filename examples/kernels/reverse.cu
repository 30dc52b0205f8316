// Reverses an array of at most 256 elements, but forgets the __syncthreads between writing and reading the tile, so that
// the threads race.
// nvcc -std=c++17 -arch=compute_75 -lineinfo -ptx reverse.cu -o reverse_sm75.ptx

extern "C" __global__ void reverse(float *out, const float *in, int n) {
  __shared__ float tile[256];
  int i = threadIdx.x;
  if (i < n) tile[i] = in[i];
  if (i < n) out[i] = tile[n - 1 - i];
}
