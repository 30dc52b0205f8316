// Cooperative groups: the toolkit's own under nvcc, the few members that the kernels here use under g++.
#pragma once
#ifdef PTXLAB_HOST
namespace cg {

struct thread_block {
  static void sync() { __syncthreads(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
};
inline thread_block this_thread_block() { return {}; }

/** `N` neighbouring lanes of a warp. */
template <unsigned N>
struct thread_block_tile {
  static unsigned size() { return N; }
  static unsigned thread_rank() { return host::self->lane % N; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
  static unsigned mask() { return (N == 32 ? ~0u : (1u << N % 32) - 1) << (host::self->lane & ~(N - 1)); }
  static void sync() { __syncwarp(mask()); }
  template <typename T>
  T shfl(T value, int from) const {
    return __shfl_sync(mask(), value, from, N);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta) const {
    return __shfl_down_sync(mask(), value, delta, N);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta) const {
    return __shfl_up_sync(mask(), value, delta, N);
  }
  template <typename T>
  T shfl_xor(T value, unsigned bits) const {
    return __shfl_xor_sync(mask(), value, bits, N);
  }
  unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> (host::self->lane & ~(N - 1)); }
  int any(int predicate) const { return ballot(predicate) != 0; }
  int all(int predicate) const { return __all_sync(mask(), predicate); }
};
template <unsigned N>
thread_block_tile<N> tiled_partition(const thread_block &) {
  return {};
}

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
/** Combines the values of a tile in no stated order. */
template <unsigned N, typename T, typename Combine>
T reduce(const thread_block_tile<N> &tile, T value, Combine combine) {
  return ::reduce(tile.mask(), value, combine);
}

}  // namespace cg
#else
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#endif
