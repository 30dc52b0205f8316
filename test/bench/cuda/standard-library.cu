// Features of libcu++ for device code: atomics, barriers, complex numbers, and math functions.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/complex>

template <class T>
__global__ void counters(cuda::atomic<T, cuda::thread_scope_device> *all, const T *values, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    all[0].fetch_add(values[i], cuda::memory_order_relaxed);
    all[1].fetch_max(values[i], cuda::memory_order_acq_rel);
    T expected = all[2].load(cuda::memory_order_acquire);
    while (!all[2].compare_exchange_weak(expected, expected * values[i] + 1, cuda::memory_order_seq_cst)) {
    }
    all[3].exchange(values[i], cuda::memory_order_release);
  }
}

template <class T>
__global__ void functions(T *out, const T *in, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const T x = in[i];
  out[i] = sin(x) + cos(x) * tan(x) + exp(x) - log(x) + pow(x, x) + atan2(x, T(2)) + sinh(x) + erf(x) + tgamma(x) + cbrt(x) + j0(x);
}

template <class T>
__global__ void numbers(cuda::std::complex<T> *out, const cuda::std::complex<T> *in, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const cuda::std::complex<T> x = in[i];
  out[i] = cuda::std::exp(x) * cuda::std::sqrt(x) / cuda::std::log(x + T(1)) + cuda::std::pow(x, T(3)) + cuda::std::sin(x) + cuda::std::acosh(x);
}

__global__ void staged(float *out, const float *in, int count) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  __shared__ __align__(16) float stage[256];
  if (threadIdx.x == 0) init(&full, blockDim.x);
  __syncthreads();
  for (int at = blockIdx.x * 256; at < count; at += gridDim.x * 256) {
    cuda::memcpy_async(stage + threadIdx.x, in + at + threadIdx.x, sizeof(float), full);
    full.arrive_and_wait();
    out[at + threadIdx.x] = stage[threadIdx.x ^ 1];
    full.arrive_and_wait();
  }
}

template __global__ void counters<int>(cuda::atomic<int, cuda::thread_scope_device> *, const int *, int);
template __global__ void functions<float>(float *, const float *, int);
template __global__ void numbers<float>(cuda::std::complex<float> *, const cuda::std::complex<float> *, int);
#ifndef SMALL
template __global__ void counters<unsigned long long>(cuda::atomic<unsigned long long, cuda::thread_scope_device> *, const unsigned long long *, int);
template __global__ void functions<double>(double *, const double *, int);
template __global__ void numbers<double>(cuda::std::complex<double> *, const cuda::std::complex<double> *, int);
#endif
