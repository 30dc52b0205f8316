// Turns and enlarges an image: a texture is read with filtering, and a surface is written.
// nvcc -std=c++17 -arch=compute_75 -ptx image.cu -o image_sm75.ptx

// `angle` is in radians. The image wraps around at its edges.
extern "C" __global__ void turn(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height, float angle,
                                float zoom) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  // Positions relative to the center, where 1 is the size of the image.
  float right = ((x + 0.5f) / width - 0.5f) / zoom;
  float down = ((y + 0.5f) / height - 0.5f) / zoom;
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  float pixel = tex2D<float>(from, 0.5f + right * cosine - down * sine, 0.5f + right * sine + down * cosine);
  // Threads beyond the edge of the image do nothing.
  surf2Dwrite((unsigned char)__float2int_rn(255.0f * pixel), to, x, y, cudaBoundaryModeZero);
}
