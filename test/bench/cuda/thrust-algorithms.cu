// Thrust algorithms with custom functors.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct Norm {
  __host__ __device__ float operator()(float a) const { return sqrtf(fabsf(a)) * expf(-a); }
};

struct Blend {
  float by;
  __host__ __device__ float operator()(float a, float b) const { return fmaf(by, a, (1 - by) * b); }
};

void instantiate(thrust::device_vector<float> &a, thrust::device_vector<float> &b, thrust::device_vector<int> &c) {
  thrust::transform(a.begin(), a.end(), b.begin(), a.begin(), Blend{0.25f});
  a[0] = thrust::transform_reduce(a.begin(), a.end(), Norm{}, 0.0f, thrust::plus<float>{});
  thrust::inclusive_scan(a.begin(), a.end(), b.begin(), thrust::maximum<float>{});
#ifndef SMALL
  thrust::sort_by_key(c.begin(), c.end(), a.begin(), thrust::greater<int>{});
  thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), b.begin());
  b[0] = thrust::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
#endif
  thrust::unique(c.begin(), c.end());
  thrust::reduce_by_key(c.begin(), c.end(), a.begin(), c.begin(), b.begin());
}
