// Matrix products with wmma over tiles of many sizes, fully unrolled, with cooperative groups and cp.async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;
namespace cg = cooperative_groups;

template <class T, int M, int N, int Steps>
__global__ void product(const T *a, const T *b, float *c, int stride) {
  __shared__ __align__(16) T left[M * 16 * 16 * 2];
  __shared__ __align__(16) T right[N * 16 * 16 * 2];
  auto block = cg::this_thread_block();
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[M][N];
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < N; j++) wmma::fill_fragment(sums[i][j], 0.0f);
#pragma unroll
  for (int step = 0; step < Steps; step++) {
    cg::memcpy_async(block, left, a + step * M * 256, sizeof(left));
    cg::memcpy_async(block, right, b + step * N * 256, sizeof(right));
    cg::wait(block);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> x[M];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> y[N];
#pragma unroll
    for (int i = 0; i < M; i++) wmma::load_matrix_sync(x[i], left + i * 256, 16);
#pragma unroll
    for (int j = 0; j < N; j++) wmma::load_matrix_sync(y[j], right + j * 256, 16);
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
      for (int j = 0; j < N; j++) wmma::mma_sync(sums[i][j], x[i], y[j], sums[i][j]);
    block.sync();
  }
  auto warp = cg::tiled_partition<32>(block);
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < N; j++) {
      float largest = 0;
#pragma unroll
      for (int k = 0; k < sums[i][j].num_elements; k++) largest = fmaxf(largest, fabsf(sums[i][j].x[k]));
      largest = cg::reduce(warp, largest, cg::greater<float>());
#pragma unroll
      for (int k = 0; k < sums[i][j].num_elements; k++) sums[i][j].x[k] /= largest;
      wmma::store_matrix_sync(c + i * 16 * stride + j * 16, sums[i][j], stride, wmma::mem_row_major);
    }
}

#define PRODUCT(T, M, N, STEPS) template __global__ void product<T, M, N, STEPS>(const T *, const T *, float *, int);
PRODUCT(half, 2, 2, 4)
PRODUCT(half, 4, 4, 4)
#ifndef SMALL
PRODUCT(half, 4, 8, 4)
PRODUCT(half, 8, 4, 8)
PRODUCT(half, 8, 8, 4)
PRODUCT(__nv_bfloat16, 2, 4, 8)
PRODUCT(__nv_bfloat16, 4, 4, 8)
PRODUCT(__nv_bfloat16, 8, 8, 4)
#endif
