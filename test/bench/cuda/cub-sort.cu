// Device-wide sorts of CUB for several keys: kernels with hundreds of unrolled ranks and exchanges.
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

template <class Key, class Value>
void sortPairs(Key *keys, Value *values, int count) {
  size_t bytes = 0;
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys, values, values, count);
  cub::DeviceRadixSort::SortKeysDescending(nullptr, bytes, keys, keys, count);
}

struct ByDistance {
  __host__ __device__ bool operator()(float2 a, float2 b) const { return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y; }
};

void instantiate(uint32_t *a, uint64_t *b, float *c, double *d, float2 *e, int count) {
  sortPairs(a, a, count);
#ifndef SMALL
  sortPairs(b, a, count);
  sortPairs(c, b, count);
  sortPairs(d, a, count);
#endif
  size_t bytes = 0;
  cub::DeviceMergeSort::SortKeys(nullptr, bytes, e, count, ByDistance{});
}
