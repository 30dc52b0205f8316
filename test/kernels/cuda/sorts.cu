// Histograms and sorts: counters of bytes and words in shared memory, networks, digits, merging.
// build: sm_80 -arch=sm_80 -O3 -fmad=false
// build: sm_75_debug -arch=sm_75 -G -fmad=false
#include "host/kernel.h"

constexpr unsigned every = 0xffffffff;

/** 64 bins of one byte for every thread, so no two threads share a counter; then one thread sums a bin. */
KERNEL histogram_64(const unsigned *words, unsigned *bins, int n) {
  __shared__ unsigned char counters[64 * 32];
  for (int i = threadIdx.x; i < 64 * 32 / 4; i += blockDim.x) ((unsigned *)counters)[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned word = words[i];
    counters[(word >> 2 & 63) * 32 + threadIdx.x]++;
    counters[(word >> 10 & 63) * 32 + threadIdx.x]++;
    counters[(word >> 18 & 63) * 32 + threadIdx.x]++;
    counters[(word >> 26 & 63) * 32 + threadIdx.x]++;
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 64; bin += blockDim.x) {
    unsigned sum = 0;
    for (int i = 0, at = threadIdx.x % 32; i < 32; i++, at = (at + 1) % 32) sum += counters[bin * 32 + at];
    atomicAdd(&bins[bin], sum);
  }
}

/** 256 bins for each of two warps, added in shared memory, then written for each block. */
KERNEL histogram_256(const uchar4 *x, unsigned *partial, int n) {
  __shared__ unsigned bins[2][256];
  for (int i = threadIdx.x; i < 512; i += blockDim.x) (&bins[0][0])[i] = 0;
  __syncthreads();
  unsigned *mine = bins[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar4 bytes = x[i];
    atomicAdd(mine + bytes.x, 1);
    atomicAdd(mine + bytes.y, 1);
    atomicAdd(mine + bytes.z, 1);
    atomicAdd(mine + bytes.w, 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) partial[blockIdx.x * 256 + i] = bins[0][i] + bins[1][i];
}

/** Among lanes with the same value, one adds for all. */
KERNEL histogram_match(const int *x, unsigned *bins, int n) {
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x, bin = i < n ? x[i] : -1;
    const unsigned peers = __match_any_sync(every, bin);
    if (bin >= 0 && (threadIdx.x % 32) == __ffs(peers) - 1) atomicAdd(bins + bin, __popc(peers));
  }
}

/** 16-bit counters, changed by compare-and-swap of the word that contains them. */
KERNEL histogram_narrow(const unsigned char *x, unsigned *bins, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    unsigned *word = bins + x[i] % 16 / 2;
    const int shift = x[i] % 2 * 16;
    unsigned old = *word, seen;
    do {
      seen = old;
      old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | ((seen >> shift) + 1 & 0xffff) << shift);
    } while (old != seen);
  }
}

template <bool descending>
__device__ void order(unsigned &key_a, unsigned short &value_a, unsigned &key_b, unsigned short &value_b, bool turned) {
  if ((key_a > key_b) == (turned == descending)) {
    const unsigned key = key_a;
    const unsigned short value = value_a;
    key_a = key_b, value_a = value_b;
    key_b = key, value_b = value;
  }
}

/** Batcher's bitonic network over keys and values in shared memory. */
KERNEL bitonic_pairs(const unsigned *x, unsigned *keys_out, unsigned short *values_out) {
  __shared__ unsigned keys[256];
  __shared__ unsigned short values[256];
  for (int i = threadIdx.x; i < 256; i += 128) keys[i] = x[i] % 100000, values[i] = (unsigned short)i;
  for (unsigned size = 2; size <= 256; size *= 2) {
    const bool turned = size < 256 && (threadIdx.x & size / 2) != 0;
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      order<true>(keys[at], values[at], keys[at + stride], values[at + stride], !turned);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) keys_out[i] = keys[i], values_out[i] = values[i];
}

/** Four bits at a time; sixteen 16-bit counters for every thread. */
KERNEL radix_sort(const unsigned *x, unsigned *out) {
  __shared__ unsigned keys[64], next[64];
  __shared__ unsigned short counters[16][64];
  const int i = threadIdx.x;
  keys[i] = x[i];
  for (int shift = 0; shift < 32; shift += 4) {
    for (int digit = 0; digit < 16; digit++) counters[digit][i] = 0;
    const unsigned digit = keys[i] >> shift & 15;
    counters[digit][i] = 1;
    __syncthreads();
    if (i == 0) {
      unsigned short sum = 0;
      for (int d = 0; d < 16; d++)
        for (int t = 0; t < 64; t++) {
          const unsigned short held = counters[d][t];
          counters[d][t] = sum;
          sum += held;
        }
    }
    __syncthreads();
    next[counters[digit][i]] = keys[i];
    __syncthreads();
    keys[i] = next[i];
    __syncthreads();
  }
  out[i] = keys[i];
}

/** One bit at a time by splitting: ballots move zeros to the front. */
KERNEL split_sort(const unsigned char *x, unsigned char *out) {
  unsigned key = x[blockIdx.x * 32 + threadIdx.x];
  for (int bit = 0; bit < 8; bit++) {
    const unsigned ones = __ballot_sync(every, key >> bit & 1), below = (1u << threadIdx.x) - 1;
    const int zeros = 32 - __popc(ones);
    const int to = key >> bit & 1 ? zeros + __popc(ones & below) : __popc(~ones & below);
    __shared__ unsigned char places[32];
    places[to] = (unsigned char)key;
    __syncwarp();
    key = places[threadIdx.x];
    __syncwarp();
  }
  out[blockIdx.x * 32 + threadIdx.x] = (unsigned char)key;
}

/** Signed floats as ordered integers. */
__device__ inline unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
__device__ inline float from_ordered(unsigned key) {
  return __uint_as_float(key ^ (key >> 31 ? 0x80000000u : 0xffffffffu));
}

/** Odd-even merge sort of floats, with NaN last. */
KERNEL odd_even(const float *x, float *out, int n) {
  DYNAMIC_SHARED(unsigned, keys);
  for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = ordered(x[i]);
  for (int size = 1; size < n; size *= 2)
    for (int stride = size; stride > 0; stride /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int other = i + stride;
        const int start = stride % size;
        if (i < start || other >= n || ((i - start) / stride) % 2 != 0) continue;
        if (i / (2 * size) != other / (2 * size) || keys[i] <= keys[other]) continue;
        const unsigned held = keys[i];
        keys[i] = keys[other];
        keys[other] = held;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = from_ordered(keys[i]);
}

__device__ int lower(const int *values, int n, int key) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (values[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Each element finds its position by searching the other half. */
KERNEL merge_ranks(const int *a, const int *b, int *out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i + lower(b, n, a[i])] = a[i];
  if (i < n) out[i + lower(a, n, b[i] + 1)] = b[i];
}

KERNEL shell_sort(short *x, int n) {
  short *mine = x + threadIdx.x * n;
  for (int gap : {23, 10, 4, 1})
    for (int i = gap; i < n; i++) {
      const short held = mine[i];
      int at = i;
      for (; at >= gap && mine[at - gap] > held; at -= gap) mine[at] = mine[at - gap];
      mine[at] = held;
    }
}

#ifdef PTXLAB_HOST
CASES {
  RUN(histogram_64, Shape{{3}, {32}}, bits<unsigned>(500, 1), zeros<unsigned>(64), 500);
  RUN(histogram_256, Shape{{2}, {64}}, bits<uchar4>(300, 2), zeros<unsigned>(512), 300);
  RUN(histogram_match, Shape{{1}, {64}}, ints(200, 3, 20), zeros<unsigned>(20), 200);
  RUN(histogram_narrow, Shape{{1}, {48}}, bits<unsigned char>(200, 4), zeros<unsigned>(8), 200);
  RUN(bitonic_pairs, Shape{{1}, {128}}, bits<unsigned>(256, 5), zeros<unsigned>(256), zeros<unsigned short>(256));
  RUN(radix_sort, Shape{{1}, {64}}, bits<unsigned>(64, 6), zeros<unsigned>(64));
  RUN(split_sort, Shape{{3}, {32}}, bits<unsigned char>(96, 7), zeros<unsigned char>(96));
  auto wild = bits<float>(64, 8);
  RUN(odd_even, Shape{{1}, {32}, 256}, wild, zeros<float>(64), 64);
  std::vector<int> a, b;
  for (int i = 0; i < 40; i++) a.push_back(i * i % 97 + 5 * i), b.push_back(7 * i - 30);
  std::sort(a.begin(), a.end());
  RUN(merge_ranks, Shape{{1}, {64}}, of(a), of(b), zeros<int>(80), 40);
  RUN(shell_sort, Shape{{1}, {4}}, bits<short>(160, 9), 40);
}
#endif
