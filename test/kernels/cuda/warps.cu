// Threads of a warp working together: votes, matches, shuffles of every kind, also in parts of a warp.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_90 -arch=sm_90 -O3 -fmad=false
#include "host/kernel.h"

constexpr unsigned every = 0xffffffff;

KERNEL compact_by_ballot(const int *x, int *out, int *counts) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = x[threadIdx.x];
  const unsigned chosen = __ballot_sync(every, value > 500);
  if (value > 500) out[warp * 32 + __popc(chosen & ((1u << lane) - 1))] = value;
  if (lane == 0) counts[warp] = __popc(chosen);
}

KERNEL votes(const int *x, int *out) {
  const int value = x[threadIdx.x];
  int result = __any_sync(every, value == 7);
  result |= __all_sync(every, value < 900) << 1;
  result |= __any_sync(every, value > 2000) << 2;
  result |= (__ballot_sync(every, value & 1) & 0xffff) << 3;
  out[threadIdx.x] = result;
}

KERNEL match_groups(const int *x, unsigned *groups, int *sums) {
  const int lane = threadIdx.x % 32, value = x[threadIdx.x];
  const unsigned peers = __match_any_sync(every, value % 5);
  int all_same;
  const unsigned same = __match_all_sync(every, value % 5 >= 0, &all_same);
  groups[threadIdx.x] = peers ^ (all_same ? same : 1);
  // The lowest lane of each group walks through it.
  if (lane != __ffs(peers) - 1) return;
  int sum = 0;
  for (unsigned left = peers; left != 0; left &= left - 1) sum += __ffs(left);
  sums[threadIdx.x] = sum;
}

KERNEL match_wide(const unsigned long long *x, unsigned *groups) {
  groups[threadIdx.x] = __match_any_sync(every, x[threadIdx.x] >> 62);
}

KERNEL shuffles(const int *x, int *out) {
  const int value = x[threadIdx.x], lane = threadIdx.x % 32;
  int *mine = out + threadIdx.x * 8;
  mine[0] = __shfl_sync(every, value, lane * 7 + 3);
  mine[1] = __shfl_sync(every, value, 2, 4);
  mine[2] = __shfl_sync(every, value, -1, 16);
  mine[3] = __shfl_up_sync(every, value, 3, 8);
  mine[4] = __shfl_down_sync(every, value, 5, 16);
  mine[5] = __shfl_xor_sync(every, value, 9);
  mine[6] = __shfl_xor_sync(every, value, 4, 4);
  mine[7] = __shfl_up_sync(every, value, lane % 3);
}

KERNEL shuffle_wide(const double *x, double *out, const unsigned short *y, unsigned short *narrow) {
  out[threadIdx.x] = __shfl_down_sync(every, x[threadIdx.x], 4) + __shfl_xor_sync(every, x[threadIdx.x], 1);
  narrow[threadIdx.x] = __shfl_sync(every, y[threadIdx.x], 31 - threadIdx.x % 32);
}

/** Both halves of a warp work independently, with separate masks. */
KERNEL half_warps(const int *x, int *out) {
  int value = x[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    for (int bit = 8; bit > 0; bit /= 2) value += __shfl_xor_sync(0x0000ffff, value, bit);
  } else {
    for (int bit = 1; bit < 16; bit *= 2) value = max(value, __shfl_xor_sync(0xffff0000, value, bit));
    value ^= __ballot_sync(0xffff0000, value & 1);
  }
  __syncwarp();
  out[threadIdx.x] = value;
}

/** The last warp of 40 threads has 8 lanes. */
KERNEL part_of_a_warp(const int *x, int *out) {
  const unsigned mask = __ballot_sync(threadIdx.x < 32 ? every : 0xff, true);
  int value = x[threadIdx.x];
  for (int delta = 4; delta > 0; delta /= 2) value += __shfl_down_sync(mask, value, delta, 8);
  out[threadIdx.x] = value + __popc(mask);
}

/** Lanes leave a loop one by one; those that stay vote among themselves. */
KERNEL votes_of_the_living(const int *x, int *out) {
  unsigned left = every;
  int rounds = 0, value = x[threadIdx.x] % 20, sum = 0;
  while (true) {
    const bool stays = value > rounds;
    left = __ballot_sync(left, stays);
    if (!stays) break;
    sum += __popc(left);
    rounds++;
  }
  out[threadIdx.x] = sum * 100 + rounds;
}

/** One lane adds for all active lanes, which CUDA programmers call warp aggregation. */
KERNEL aggregated_counter(const int *x, int *counter, int *places) {
  const int lane = threadIdx.x % 32;
  const unsigned odd = __ballot_sync(every, x[threadIdx.x] & 1);
  const int leader = __ffs(odd) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(odd));
  base = __shfl_sync(every, base, leader < 0 ? 0 : leader);
  // The order of warps is open, but the position within a warp is not.
  places[threadIdx.x] = base >= 0 && (x[threadIdx.x] & 1) ? __popc(odd & ((1u << lane) - 1)) : -1;
}

/** Transposes 32 by 32 bits: row i of the result is column i. */
KERNEL transpose_bits(const unsigned *x, unsigned *out) {
  const unsigned row = x[threadIdx.x];
  for (int i = 0; i < 32; i++) {
    const unsigned column = __ballot_sync(every, row >> i & 1);
    if (threadIdx.x % 32 == i) out[threadIdx.x] = column;
  }
}

#ifdef PTXLAB_HOST
CASES {
  RUN(compact_by_ballot, Shape{{1}, {96}}, ints(96, 1, 1000), zeros<int>(96), zeros<int>(3));
  RUN(votes, Shape{{1}, {128}}, ints(128, 2, 1000), zeros<int>(128));
  RUN(match_groups, Shape{{1}, {64}}, ints(64, 3, 1000), zeros<unsigned>(64), zeros<int>(64));
  RUN(match_wide, Shape{{1}, {32}}, bits<unsigned long long>(32, 4), zeros<unsigned>(32));
  RUN(shuffles, Shape{{1}, {64}}, bits<int>(64, 5), zeros<int>(512));
  std::vector<double> x;
  for (int i = 0; i < 64; i++) x.push_back((i * 37 % 64) / 3.0);
  RUN(shuffle_wide, Shape{{1}, {64}}, of(x), zeros<double>(64), bits<unsigned short>(64, 6), zeros<unsigned short>(64));
  RUN(half_warps, Shape{{1}, {64}}, ints(64, 7, 1 << 20), zeros<int>(64));
  RUN(part_of_a_warp, Shape{{1}, {40}}, ints(40, 8, 1000), zeros<int>(40));
  RUN(votes_of_the_living, Shape{{1}, {32}}, ints(32, 9, 1 << 16), zeros<int>(32));
  RUN(aggregated_counter, Shape{{1}, {96}}, ints(96, 10, 1000), zeros<int>(1), zeros<int>(96));
  RUN(transpose_bits, Shape{{1}, {64}}, bits<unsigned>(64, 11), zeros<unsigned>(64));
}
#endif
