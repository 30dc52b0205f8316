// C++ on a device: classes with virtual functions, templates, closures, unions, wide integers, literals.
// build: sm_80 -arch=sm_80 -O3 -fmad=false -std=c++20
// build: sm_120a_O1 -arch=sm_120a -Xcicc -O1 -fmad=false -std=c++20
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cassert>

#include "host/kernel.h"
#include "host/groups.h"

struct Figure {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Rectangle : Figure {
  float width, height;
  __device__ Rectangle(float w, float h) : width(w), height(h) {}
  __device__ float area() const override { return width * height; }
  __device__ int corners() const override { return 4; }
};
struct Square final : Rectangle {
  __device__ explicit Square(float side) : Rectangle(side, side) {}
  __device__ float area() const override { return Rectangle::area() + 0.5f; }
};
struct Disc : Figure {
  float radius;
  __device__ explicit Disc(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

KERNEL virtual_calls(const int *kinds, const float *sizes, float *areas, int *corners) {
  const Rectangle rectangle(sizes[threadIdx.x], 2);
  const Square square(sizes[threadIdx.x]);
  const Disc disc(sizes[threadIdx.x]);
  const Figure *figures[3] = {&rectangle, &square, &disc};
  const Figure *mine = figures[kinds[threadIdx.x]];
  areas[threadIdx.x] = mine->area();
  corners[threadIdx.x] = mine->corners();
}

template <int N>
struct Powers {
  template <typename T>
  static __device__ T of(T x) {
    if constexpr (N == 0) return T(1);
    else if constexpr (N % 2) return x * Powers<N - 1>::of(x);
    else return Powers<N / 2>::of(x * x);
  }
};
template <typename... Parts>
__device__ auto total(Parts... parts) {
  return (parts + ...);
}

KERNEL templates(const int *x, long long *out, double *real) {
  const int v = x[threadIdx.x];
  out[threadIdx.x] = total(Powers<5>::of((long long)v), (short)v, (unsigned char)v, v > 50);
  real[threadIdx.x] = total(Powers<7>::of(v * 0.5), v, 1.5f);
}

template <typename Function>
__device__ int fold(const int *values, int n, Function function) {
  int result = 0;
  for (int i = 0; i < n; i++) result = function(result, values[i]);
  return result;
}

KERNEL closures(const int *x, int *out, int n) {
  const int factor = threadIdx.x + 1;
  int calls = 0;
  const int sum = fold(x, n, [factor, &calls](int a, int b) {
    calls += b > 50;
    return a * factor ^ b;
  });
  out[threadIdx.x] = sum * 100 + calls;
}

struct Packed {
  unsigned low : 5;
  int middle : 11;
  unsigned high : 16;
};
union Word {
  unsigned bits;
  Packed fields;
  unsigned char bytes[4];
};

KERNEL bit_fields(const unsigned *x, unsigned *out, int *sums) {
  Word word;
  word.bits = x[threadIdx.x];
  sums[threadIdx.x] = word.fields.low + word.fields.middle * 3;
  word.fields.middle -= 77;
  word.fields.low += 9;
  word.bytes[threadIdx.x % 4] ^= 0x5a;
  out[threadIdx.x] = word.bits;
}

using Wide = unsigned __int128;

/** a ** e modulo m, with 128-bit products. */
__device__ unsigned long long power(unsigned long long a, unsigned long long e, unsigned long long m) {
  Wide result = 1, base = a % m;
  for (; e != 0; e >>= 1) {
    if (e & 1) result = result * base % m;
    base = base * base % m;
  }
  return (unsigned long long)result;
}

KERNEL modular_power(const unsigned long long *x, unsigned long long *out) {
  out[threadIdx.x] = power(x[threadIdx.x], 65537 + threadIdx.x, 0xffffffffffffffc5ull);
}

KERNEL wide_arithmetic(const unsigned long long *x, unsigned long long *out) {
  const Wide a = (Wide)x[2 * threadIdx.x] << 64 | x[2 * threadIdx.x + 1], b = a * a + 12345;
  const __int128 c = (__int128)(a - b) >> (threadIdx.x % 100);
  const Wide quotient = b / (a >> 70), rest = b % (a >> 70);
  const Wide results[4] = {b, (Wide)c, quotient, rest};
  for (int i = 0; i < 4; i++) {
    out[8 * threadIdx.x + 2 * i] = (unsigned long long)results[i];
    out[8 * threadIdx.x + 2 * i + 1] = (unsigned long long)(results[i] >> 64);
  }
}

/** A state machine over characters: a switch with gaps. */
KERNEL tokens(const unsigned char *text, int *counts, int n) {
  enum State { space, word, number, sign } state = space;
  int found[4] = {};
  for (int i = 0; i < n; i++) {
    State next;
    switch (text[threadIdx.x * n + i] % 96 + 32) {
      case ' ': case '\t': case '~': next = space; break;
      case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': next = state == word ? word : number; break;
      case '+': case '-': case '*': case '/': case '<': case '>': case '=': next = sign; break;
      default: next = word;
    }
    if (next != state) found[next]++;
    state = next;
  }
  for (int i = 0; i < 4; i++) counts[threadIdx.x * 4 + i] = found[i];
}

/** The Towers of Hanoi, with assertions that hold. */
__device__ __noinline__ int hanoi(int discs, int from, int to, unsigned *heights) {
  assert(discs >= 0 && from != to);
  if (discs == 0) return 0;
  const int by = 3 - from - to;
  const int before = hanoi(discs - 1, from, by, heights);
  heights[to] = heights[to] * 3 + discs;
  return before + 1 + hanoi(discs - 1, by, to, heights);
}

KERNEL towers(int *moves, unsigned *heights) {
  unsigned mine[3] = {};
  moves[threadIdx.x] = hanoi(threadIdx.x, 0, 2, mine);
  for (int i = 0; i < 3; i++) heights[3 * threadIdx.x + i] = mine[i];
}

/** Stages selected by pointers in constant memory. */
__device__ float halved(float x) { return x * 0.5f; }
__device__ float shifted(float x) { return x + 1.25f; }
__device__ float squared(float x) { return x * x; }
using Stage = float (*)(float);
__device__ Stage stages[3] = {halved, shifted, squared};

KERNEL stages_by_pointer(const float *x, const int *order, float *out, int n) {
  float v = x[threadIdx.x];
  for (int i = 0; i < n; i++) v = stages[order[(threadIdx.x + i) % n]](v);
  out[threadIdx.x] = v;
}

struct Settings {
  int counts[3];
  double scale;
  short2 offset;
  char name[5];
};
__constant__ Settings settings = {{3, -5, 7}, 0.125, {-1, 300}, "ptx"};

KERNEL constants(const int *x, double *out) {
  const int v = x[threadIdx.x];
  out[threadIdx.x] = settings.counts[v % 3] * settings.scale + settings.offset.y + settings.name[v % 4];
}

/** Products of bytes: four at a time, signed and unsigned, as in quantized layers. */
KERNEL byte_products(const int4 *a, const int4 *b, int *out, unsigned *positive) {
  const int4 x = a[threadIdx.x], y = b[threadIdx.x];
  out[threadIdx.x] = __dp4a(x.x, y.x, __dp4a(x.y, y.y, __dp4a(x.z, y.z, __dp4a(x.w, y.w, 0))));
  positive[threadIdx.x] = __dp4a((unsigned)x.x, (unsigned)y.x, __dp4a((unsigned)x.y, (unsigned)y.y, 7u));
}

/** Floats by way of fp8 and back, a scale for each row. */
KERNEL through_fp8(const float *x, __nv_fp8_e4m3 *codes, __half *e4m3, __nv_bfloat16 *e5m2, float *scales) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float most = cg::reduce(warp, fabsf(x[i]), cg::greater<float>{}), scale = most / 448.0f;
  const __nv_fp8_e4m3 code(x[i] / scale);
  codes[i] = code;
  e4m3[i] = __half(code);
  e5m2[i] = __float2bfloat16_rn(float(__nv_fp8_e5m2(x[i] * 1000.0f)));
  if (warp.thread_rank() == 0) scales[blockIdx.x] = scale;
}

/** Groups of eight lanes sum, share and vote. */
KERNEL group_tiles(const int *x, int *out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  int v = x[block.thread_rank()];
  const int sum = cg::reduce(tile, v, cg::plus<int>{});
  for (int distance = 1; distance < 8; distance *= 2) {
    const int before = tile.shfl_up(v, distance);
    if (tile.thread_rank() >= distance) v += before;
  }
  const unsigned votes = tile.ballot(v & 1);
  const int last = tile.shfl(v, 7), any = tile.any(v > 300), all = tile.all(v > 10);
  block.sync();
  out[block.thread_rank()] = sum * 7 + v + (int)votes * 3 + last + 2 * any + all + tile.meta_group_rank();
}

/** A queue in local memory, with computed indices: a knight's shortest paths. */
KERNEL knight(unsigned char *out) {
  unsigned char distance[64], queue[64];
  for (int i = 0; i < 64; i++) distance[i] = 255;
  int head = 0, tail = 0;
  queue[tail++] = threadIdx.x;
  distance[threadIdx.x] = 0;
  while (head < tail) {
    const int at = queue[head++], x = at % 8, y = at / 8;
    for (int k = 0; k < 8; k++) {
      const int dx = (k & 1 ? 2 : 1) * (k & 2 ? 1 : -1), dy = (k & 1 ? 1 : 2) * (k & 4 ? 1 : -1);
      if (x + dx < 0 || x + dx > 7 || y + dy < 0 || y + dy > 7) continue;
      const int to = (y + dy) * 8 + x + dx;
      if (distance[to] != 255) continue;
      distance[to] = distance[at] + 1;
      queue[tail++] = to;
    }
  }
  for (int i = 0; i < 16; i++) out[threadIdx.x * 16 + i] = distance[4 * i + 1];
}

#ifdef PTXLAB_HOST
CASES {
  RUN(virtual_calls, Shape{{1}, {40}}, ints(40, 1, 3), floats(40, 2, 0, 4), zeros<float>(40), zeros<int>(40));
  RUN(templates, Shape{{1}, {32}}, ints(32, 3, 100), zeros<long long>(32), zeros<double>(32));
  RUN(closures, Shape{{1}, {32}}, ints(20, 4, 100), zeros<int>(32), 20);
  RUN(bit_fields, Shape{{1}, {32}}, bits<unsigned>(32, 5), zeros<unsigned>(32), zeros<int>(32));
  RUN(modular_power, Shape{{1}, {8}}, bits<unsigned long long>(8, 6), zeros<unsigned long long>(8));
  RUN(wide_arithmetic, Shape{{1}, {16}}, bits<unsigned long long>(32, 7), zeros<unsigned long long>(128));
  RUN(tokens, Shape{{1}, {32}}, bits<unsigned char>(640, 8), zeros<int>(128), 20);
  RUN(towers, Shape{{1}, {7}}, zeros<int>(7), zeros<unsigned>(21));
  RUN(stages_by_pointer, Shape{{1}, {32}}, floats(32, 9, -1, 1), of<int>({0, 1, 2, 1, 0}), zeros<float>(32), 5);
  RUN(constants, Shape{{1}, {24}}, ints(24, 10, 100), zeros<double>(24));
  RUN(byte_products, Shape{{1}, {32}}, bits<int4>(32, 11), bits<int4>(32, 12), zeros<int>(32), zeros<unsigned>(32));
  RUN(through_fp8, Shape{{3}, {32}}, floats(96, 13, -8, 8), zeros<__nv_fp8_e4m3>(96), zeros<__half>(96),
      zeros<__nv_bfloat16>(96), zeros<float>(3));
  RUN(group_tiles, Shape{{1}, {64}}, ints(64, 14, 100), zeros<int>(64));
  RUN(knight, Shape{{1}, {64}}, zeros<unsigned char>(1024));
}
#endif
