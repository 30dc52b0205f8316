// Scans, reductions, selections and histograms of CUB.
#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

struct Even {
  __host__ __device__ bool operator()(long long value) const { return value % 2 == 0; }
};

template <class T>
void all(T *values, int *counts, int count) {
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, values, values, count);
  cub::DeviceReduce::Sum(nullptr, bytes, values, values, count);
  cub::DeviceReduce::ArgMax(nullptr, bytes, values, values, (int64_t *)counts, count);
  cub::DeviceReduce::ReduceByKey(nullptr, bytes, counts, counts, values, values, counts, cuda::std::plus<>{}, count);
  cub::DeviceRunLengthEncode::Encode(nullptr, bytes, values, values, counts, counts, count);
}

void instantiate(int *a, float *b, double *c, long long *d, unsigned char *e, int count) {
  all(a, a, count);
#ifndef SMALL
  all(b, a, count);
  all(c, a, count);
#endif
  size_t bytes = 0;
  cub::DeviceSelect::If(nullptr, bytes, d, d, a, count, Even{});
  cub::DeviceHistogram::HistogramEven(nullptr, bytes, e, a, 256, 0, 256, count);
}
