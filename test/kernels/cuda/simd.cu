// Two or four lanes per word, cache hints, asynchronous copies, scopes: instructions that few kernels use.
// build: sm_80 -arch=sm_80 -O3 -fmad=false
// build: sm_90 -arch=sm_90 -O3 -fmad=false
#include "host/kernel.h"

#ifdef PTXLAB_HOST
// Lane by lane, as the CUDA math API describes each function.
template <typename Lane, typename Make>
unsigned lanewise(unsigned a, unsigned b, Make make) {
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += 8 * sizeof(Lane))
    result |= (unsigned)(std::make_unsigned_t<Lane>)make((Lane)(a >> at), (Lane)(b >> at)) << at;
  return result;
}
template <typename Lane>
int clamped(int value) {
  return min(max(value, (int)std::numeric_limits<Lane>::min()), (int)std::numeric_limits<Lane>::max());
}
using u8 = unsigned char;
using s8 = signed char;
using u16 = unsigned short;
using s16 = short;
unsigned __vadd4(unsigned a, unsigned b) { return lanewise<u8>(a, b, [](int x, int y) { return x + y; }); }
unsigned __vsub2(unsigned a, unsigned b) { return lanewise<u16>(a, b, [](int x, int y) { return x - y; }); }
unsigned __vaddus4(unsigned a, unsigned b) { return lanewise<u8>(a, b, [](int x, int y) { return clamped<u8>(x + y); }); }
unsigned __vsubss2(unsigned a, unsigned b) { return lanewise<s16>(a, b, [](int x, int y) { return clamped<s16>(x - y); }); }
unsigned __vavgu4(unsigned a, unsigned b) { return lanewise<u8>(a, b, [](int x, int y) { return (x + y + 1) >> 1; }); }
unsigned __vmaxs2(unsigned a, unsigned b) { return lanewise<s16>(a, b, [](int x, int y) { return max(x, y); }); }
unsigned __vminu4(unsigned a, unsigned b) { return lanewise<u8>(a, b, [](int x, int y) { return min(x, y); }); }
unsigned __vcmpgts4(unsigned a, unsigned b) { return lanewise<s8>(a, b, [](int x, int y) { return x > y ? -1 : 0; }); }
unsigned __vseteq2(unsigned a, unsigned b) { return lanewise<u16>(a, b, [](int x, int y) { return x == y; }); }
unsigned __vabsdiffu4(unsigned a, unsigned b) { return lanewise<u8>(a, b, [](int x, int y) { return abs(x - y); }); }
unsigned __vneg4(unsigned a) { return lanewise<s8>(a, a, [](int x, int) { return -x; }); }
unsigned __vabsss2(unsigned a) { return lanewise<s16>(a, a, [](int x, int) { return clamped<s16>(abs(x)); }); }
unsigned __vsadu4(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += 8) sum += abs((int)(a >> at & 255) - (int)(b >> at & 255));
  return sum;
}
int __vimax3_s32(int a, int b, int c) { return max(a, max(b, c)); }
unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(a, min(b, c)); }
int __viaddmax_s32(int a, int b, int c) { return max((int)((unsigned)a + b), c); }
#endif

KERNEL lanes_of_words(const unsigned *x, unsigned *out) {
  const unsigned a = x[threadIdx.x], b = x[threadIdx.x + 1];
  unsigned *mine = out + 13 * threadIdx.x;
  mine[0] = __vadd4(a, b);
  mine[1] = __vsub2(a, b);
  mine[2] = __vaddus4(a, b);
  mine[3] = __vsubss2(a, b);
  mine[4] = __vavgu4(a, b);
  mine[5] = __vmaxs2(a, b);
  mine[6] = __vminu4(a, b);
  mine[7] = __vcmpgts4(a, b);
  mine[8] = __vseteq2(a, b & 0xffff0000 | a & 0xffff);
  mine[9] = __vabsdiffu4(a, b);
  mine[10] = __vneg4(a);
  mine[11] = __vabsss2(a);
  mine[12] = __vsadu4(a, b);
}

KERNEL three_operands(const unsigned *x, unsigned *out) {
  const unsigned a = x[threadIdx.x], b = x[threadIdx.x + 1], c = x[threadIdx.x + 2];
  out[3 * threadIdx.x] = __vimax3_s32(a, b, c);
  out[3 * threadIdx.x + 1] = __vimin3_u32(a, b, c);
  out[3 * threadIdx.x + 2] = __viaddmax_s32(a, b, c);
}

#ifdef PTXLAB_HOST
template <typename T>
T load(const T *address) {
  return *address;
}
template <typename T>
void store(T *address, T value) {
  *address = value;
}
#define __ldcg load
#define __ldcs load
#define __ldca load
#define __ldcv load
#define __stcg store
#define __stcs store
#define __stwt store
#define atomicAdd_block atomicAdd
#define atomicMax_system atomicMax
void prefetch(const void *) {}
void copy_16(void *to, const void *from) { memcpy(to, from, 16); }
void copies_done() {}
#else
__device__ void prefetch(const void *address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }
__device__ void copy_16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
               : "memory");
}
__device__ void copies_done() { asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory"); }
#endif

KERNEL cache_hints(const int *__restrict__ x, int *y, const float4 *z, float4 *w) {
  const int i = threadIdx.x;
  prefetch(x + i);
  const int sum = __ldg(x + i) + 2 * __ldcg(x + i) + 4 * __ldcs(x + i) + 8 * __ldca(x + i) + 16 * __ldcv(x + i);
  __stcg(y + i, sum);
  __stwt(w + i, __ldg(z + i));
}

KERNEL scoped_atomics(const int *x, int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd_block(&sum, x[threadIdx.x]);
  atomicMax_system(&out[0], x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[1], sum);
}

/** Two buffers in shared memory: one is filled while the other is used. */
KERNEL double_buffer(const int4 *x, int *out, int rounds) {
  __shared__ __align__(16) int4 buffers[2][32];
  const int lane = threadIdx.x;
  copy_16(&buffers[0][lane], &x[lane]);
  int sum = 0;
  for (int round = 0; round < rounds; round++) {
    copies_done();
    __syncthreads();
    if (round + 1 < rounds) copy_16(&buffers[(round + 1) % 2][lane], &x[(round + 1) * 32 + lane]);
    const int4 v = buffers[round % 2][31 - lane];
    sum = sum * 5 + v.x - v.y + (v.z ^ v.w);
  }
  out[lane] = sum;
}

#ifdef PTXLAB_HOST
CASES {
  RUN(lanes_of_words, Shape{{1}, {40}}, bits<unsigned>(41, 1), zeros<unsigned>(520));
  RUN(three_operands, Shape{{1}, {40}}, bits<unsigned>(42, 2), zeros<unsigned>(120));
  RUN(cache_hints, Shape{{1}, {40}}, ints(40, 3, 1000), zeros<int>(40), floats(160, 4, -1, 1).as<float4>(), zeros<float4>(40));
  RUN(scoped_atomics, Shape{{2}, {40}}, ints(40, 5, 1000), zeros<int>(2));
  RUN(double_buffer, Shape{{1}, {32}}, bits<int4>(128, 6), zeros<int>(32), 4);
}
#endif
