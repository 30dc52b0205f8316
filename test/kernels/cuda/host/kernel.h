// Included first by every .cu file here. Under nvcc it adds next to nothing; under g++ it makes CUDA C++ ordinary C++.
#pragma once
#include <cstdint>
#ifdef PTXLAB_HOST
#include "fibers.h"
#include "intrinsics.h"
#include "record.h"
#else
#define KERNEL extern "C" __global__ void
#define DYNAMIC_SHARED(type, name) extern __shared__ __align__(16) type name[]

__device__ inline void named_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void named_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
#endif
