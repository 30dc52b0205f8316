// CUDA's device functions for the host, written from their descriptions in the CUDA programming guide.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <climits>
#include <cmath>
using std::isinf;
using std::isnan;
using std::max;
using std::min;
using std::signbit;

// --- meeting others --------------------------------------------------------------------------------------------------

inline void __syncthreads() { host::meet(0, 0, true); }
inline void named_barrier(int id, int threads) { host::meet(id, threads, true); }
inline void named_arrive(int id, int threads) { host::meet(id, threads, false); }
inline int __syncthreads_count(int predicate) {
  static int sum, seen;
  if (host::self == &host::fibers[0]) sum = 0;
  __syncthreads();
  sum += predicate != 0;
  __syncthreads();
  seen = sum;
  __syncthreads();
  return seen;
}
inline int __syncthreads_and(int predicate) {
  return __syncthreads_count(predicate) == int(blockDim.x * blockDim.y * blockDim.z);
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) > 0; }
inline void __threadfence() { host::moved = true, host::yield(); }
inline void __threadfence_block() { __threadfence(); }
inline void __nanosleep(unsigned) { __threadfence(); }
inline void __syncwarp(unsigned mask = ~0u) { host::exchange(mask, 0); }

template <typename T>
uint64_t to_word(T value) {
  uint64_t word = 0;
  memcpy(&word, &value, sizeof value);
  return word;
}
template <typename T>
T from_word(uint64_t word) {
  T value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/** The lane that is read, held within the reader's segment of `width` lanes; outside it a lane reads itself. */
template <typename T, typename Source>
T shuffle(unsigned mask, T value, Source source) {
  const int lane = host::self->lane;
  const uint64_t *words = host::exchange(mask, to_word(value));
  return from_word<T>(words[source(lane)]);
}
template <typename T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  return shuffle(mask, value, [=](int lane) { return (lane & ~(width - 1)) | (from & (width - 1)); });
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return shuffle(mask, value, [=](int lane) {
    const int source = lane - int(delta);
    return source < (lane & ~(width - 1)) ? lane : source;
  });
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return shuffle(mask, value, [=](int lane) {
    const int source = lane + int(delta);
    return source > (lane | (width - 1)) ? lane : source;
  });
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  return shuffle(mask, value, [=](int lane) {
    const int source = lane ^ bits;
    return source > (lane | (width - 1)) ? lane : source;
  });
}

inline uint32_t lanes_where(uint32_t mask, uint64_t word, uint64_t wanted) {
  const uint64_t *words = host::exchange(mask, word);
  uint32_t found = 0;
  for (int lane = 0; lane < 32; lane++) found |= (mask >> lane & 1) && words[lane] == wanted ? 1u << lane : 0;
  return found;
}
inline uint32_t __ballot_sync(unsigned mask, int predicate) { return lanes_where(mask, predicate != 0, 1); }
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) == mask; }
template <typename T>
uint32_t __match_any_sync(unsigned mask, T value) {
  return lanes_where(mask, to_word(value), to_word(value));
}
template <typename T>
uint32_t __match_all_sync(unsigned mask, T value, int *all) {
  const bool same = __match_any_sync(mask, value) == mask;
  *all = same;
  return same ? mask : 0;
}
template <typename T, typename Combine>
T reduce(unsigned mask, T value, Combine combine) {
  const uint64_t *words = host::exchange(mask, to_word(value));
  const int first = std::countr_zero(mask);
  T result = from_word<T>(words[first]);
  for (int lane = first + 1; lane < 32; lane++)
    if (mask >> lane & 1) result = combine(result, from_word<T>(words[lane]));
  return result;
}
inline uint32_t __reduce_add_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, [](unsigned a, unsigned b) { return a + b; });
}
inline int __reduce_min_sync(unsigned mask, int value) {
  return reduce(mask, value, [](int a, int b) { return min(a, b); });
}
inline uint32_t __reduce_max_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, [](unsigned a, unsigned b) { return max(a, b); });
}
inline uint32_t __reduce_and_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, [](unsigned a, unsigned b) { return a & b; });
}
inline uint32_t __reduce_or_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, [](unsigned a, unsigned b) { return a | b; });
}
inline uint32_t __reduce_xor_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, [](unsigned a, unsigned b) { return a ^ b; });
}

// --- atomics ---------------------------------------------------------------------------------------------------------

/** One operating system thread: what does not yield is atomic. */
template <typename T, typename Change>
T change(T *address, Change make) {
  const T old = *address;
  *address = make(old);
  host::moved = true;
  return old;
}
template <typename T>
struct identity {
  using type = T;
};
template <typename T>
using Same = typename identity<T>::type;
template <typename T>
T atomicAdd(T *address, Same<T> value) {
  return change(address, [=](T old) -> T { return old + value; });
}
template <typename T>
T atomicSub(T *address, Same<T> value) {
  return change(address, [=](T old) -> T { return old - value; });
}
template <typename T>
T atomicMin(T *address, Same<T> value) {
  return change(address, [=](T old) { return min(old, value); });
}
template <typename T>
T atomicMax(T *address, Same<T> value) {
  return change(address, [=](T old) { return max(old, value); });
}
template <typename T>
T atomicAnd(T *address, Same<T> value) {
  return change(address, [=](T old) -> T { return old & value; });
}
template <typename T>
T atomicOr(T *address, Same<T> value) {
  return change(address, [=](T old) -> T { return old | value; });
}
template <typename T>
T atomicXor(T *address, Same<T> value) {
  return change(address, [=](T old) -> T { return old ^ value; });
}
template <typename T>
T atomicExch(T *address, Same<T> value) {
  return change(address, [=](T) { return value; });
}
template <typename T>
T atomicCAS(T *address, Same<T> compare, Same<T> value) {
  const T old = change(address, [=](T old) { return old == compare ? value : old; });
  if (old != compare) host::yield();
  return old;
}
inline unsigned atomicInc(unsigned *address, unsigned limit) {
  return change(address, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
inline unsigned atomicDec(unsigned *address, unsigned limit) {
  return change(address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

// --- integers --------------------------------------------------------------------------------------------------------

inline int __popc(unsigned a) { return std::popcount(a); }
inline int __popcll(unsigned long long a) { return std::popcount(a); }
inline int __clz(int a) { return std::countl_zero(unsigned(a)); }
inline int __clzll(long long a) { return std::countl_zero((unsigned long long)a); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline uint32_t __brev(uint32_t a) {
  uint32_t result = 0;
  for (int i = 0; i < 32; i++) result |= (a >> i & 1) << (31 - i);
  return result;
}
inline unsigned long long __brevll(unsigned long long a) {
  return (unsigned long long)__brev(uint32_t(a)) << 32 | __brev(uint32_t(a >> 32));
}
inline uint32_t __byte_perm(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; i++) result |= uint32_t(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return result;
}
inline uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t shift) {
  return uint32_t(((uint64_t(high) << 32 | low) << (shift & 31)) >> 32);
}
inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t shift) {
  return uint32_t((uint64_t(high) << 32 | low) >> (shift & 31));
}
inline uint32_t __funnelshift_lc(uint32_t low, uint32_t high, uint32_t shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline int __mulhi(int a, int b) { return int((int64_t(a) * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((uint64_t(a) * b) >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
inline int __mul24(int a, int b) { return int(int64_t(a << 8 >> 8) * (b << 8 >> 8)); }
inline unsigned __sad(int a, int b, unsigned c) { return unsigned(llabs((long long)a - b)) + c; }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline int __hadd(int a, int b) { return int((int64_t(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return int((int64_t(a) + b + 1) >> 1); }
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++) c += int(int8_t(a >> (8 * i))) * int(int8_t(b >> (8 * i)));
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; i++) c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}
inline int __dp2a_lo(int a, int b, int c) {
  for (int i = 0; i < 2; i++) c += int(int16_t(a >> (16 * i))) * int(int8_t(b >> (8 * i)));
  return c;
}

// --- floats ----------------------------------------------------------------------------------------------------------

inline int __float_as_int(float a) { return std::bit_cast<int>(a); }
inline unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
inline float __int_as_float(int a) { return std::bit_cast<float>(a); }
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
inline double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }
inline int __float2int_rn(float a) { return int(nearbyint(a)); }
inline int __float2int_rd(float a) { return int(floor(a)); }
inline unsigned __float2uint_ru(float a) { return unsigned(ceil(a)); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return float(exp(double(a))); }
inline float __exp10f(float a) { return float(pow(10.0, a)); }
inline float __logf(float a) { return float(log(double(a))); }
inline float __log2f(float a) { return float(log2(double(a))); }
inline float __sinf(float a) { return float(sin(double(a))); }
inline float __cosf(float a) { return float(cos(double(a))); }
inline float __powf(float a, float b) { return float(pow(double(a), double(b))); }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float rsqrtf(float a) { return float(1.0 / sqrt(double(a))); }
inline double rsqrt(double a) { return 1.0 / sqrt(a); }
inline float __saturatef(float a) { return a > 0 ? (a < 1 ? a : 1) : 0; }

/** a * b + c rounded to odd, of which every narrower rounding is right. The product of 11-bit numbers is exact. */
inline double odd_fma(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double other = sum - product;
  const double error = (product - (sum - other)) + (c - other);
  if (error == 0 || !std::isfinite(sum) || (std::bit_cast<uint64_t>(sum) & 1)) return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}
inline __half __hfma(__half a, __half b, __half c) {
  return __double2half(odd_fma(__half2float(a), __half2float(b), __half2float(c)));
}
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __double2bfloat16(odd_fma(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

inline int __half2int_rn(__half a) { return int(nearbyintf(__half2float(a))); }
inline short __half2short_rd(__half a) { return short(floorf(__half2float(a))); }

template <typename T>
T __ldg(const T *address) {
  return *address;
}
