// Integer arithmetic of every width, and algorithms that work on bits.
// build: sm_75 -arch=sm_75 -O3
// build: sm_90_debug -arch=sm_90 -G
#include "host/kernel.h"

KERNEL bit_tricks(const uint32_t *x, const unsigned long long *w, int *out) {
  const int i = threadIdx.x;
  int *mine = out + 9 * i;
  mine[0] = __popc(x[i]) | __popcll(w[i]) << 8;
  mine[1] = __clz(x[i] >> i % 33 % 32) | __clzll(w[i] >> i) << 8;
  mine[2] = __brev(x[i]);
  mine[3] = __ffs(x[i] << i % 32) | __ffsll(w[i] << i) << 8;
  mine[4] = __byte_perm(x[i], (uint32_t)w[i], x[i ^ 1] & 0x7777);
  mine[5] = __funnelshift_l(x[i], (uint32_t)w[i], i);
  mine[6] = __funnelshift_r(x[i], (uint32_t)w[i], i) ^ __funnelshift_lc(x[i], x[i ^ 1], i);
  mine[7] = (int)(__brevll(w[i]) >> 20);
  mine[8] = __sad((int)x[i], (int)w[i], 5) + __usad(x[i], (uint32_t)w[i], 6) + __hadd((int)x[i], (int)w[i]) +
            __rhadd((int)x[i], 1) + __mul24((int)x[i], (int)w[i]);
}

template <typename T>
__device__ void divide(const T *x, T *out) {
  const T a = x[threadIdx.x], b = x[threadIdx.x + 1] >> threadIdx.x % (sizeof(T) * 8 - 1);
  out[4 * threadIdx.x] = b == 0 ? T(-1) : T(a / b);
  out[4 * threadIdx.x + 1] = b == 0 ? a : T(a % b);
  out[4 * threadIdx.x + 2] = a / T(7) + a % T(10);
  out[4 * threadIdx.x + 3] = a / T(-3) ^ a / T(16);
}

KERNEL divide_signed(const signed char *b, const short *h, const int *w, const long long *d, signed char *ob, short *oh,
                     int *ow, long long *od) {
  divide(b, ob);
  divide(h, oh);
  divide(w, ow);
  divide(d, od);
}

KERNEL divide_unsigned(const unsigned char *b, const unsigned short *h, const unsigned *w, const unsigned long long *d,
                       unsigned char *ob, unsigned short *oh, unsigned *ow, unsigned long long *od) {
  divide(b, ob);
  divide(h, oh);
  divide(w, ow);
  divide(d, od);
}

KERNEL high_products(const int *x, const long long *y, long long *out) {
  const int i = threadIdx.x;
  out[4 * i] = (long long)__mulhi(x[i], x[i + 1]) << 32 | __umulhi(x[i], x[i + 1]);
  out[4 * i + 1] = __mul64hi(y[i], y[i + 1]);
  out[4 * i + 2] = __umul64hi(y[i], y[i + 1]);
  out[4 * i + 3] = (long long)x[i] * x[i + 1] + (long long)((unsigned long long)(unsigned)x[i] * (unsigned)x[i + 1]);
}

KERNEL int128(const unsigned long long *x, unsigned long long *out) {
  const int i = threadIdx.x;
  const __int128 a = (__int128)((unsigned __int128)x[i] << 64 | x[i + 1]);
  const unsigned __int128 b = (unsigned __int128)x[i + 2] << 64 | x[i + 3];
  const unsigned __int128 results[5] = {(unsigned __int128)a + b, (unsigned __int128)a * b,
                                        (unsigned __int128)(a >> (i * 2)) ^ b << i, (unsigned __int128)a - (b >> 100),
                                        (unsigned __int128)((unsigned __int128)a < b ? -a : a)};
  for (int k = 0; k < 5; k++) {
    out[10 * i + 2 * k] = (unsigned long long)results[k];
    out[10 * i + 2 * k + 1] = (unsigned long long)(results[k] >> 64);
  }
}

/** 256-bit sums and differences with the carry flag. */
KERNEL carry_chain(const uint32_t *x, uint32_t *out) {
  const uint32_t *a = x + 16 * threadIdx.x, *b = a + 8;
  uint32_t *sum = out + 16 * threadIdx.x, *difference = sum + 8;
#ifdef PTXLAB_HOST
  uint64_t carry = 0, borrow = 0;
  for (int i = 0; i < 8; i++) {
    carry += (uint64_t)a[i] + b[i];
    sum[i] = (uint32_t)carry;
    carry >>= 32;
    const uint64_t less = (uint64_t)a[i] - b[i] - borrow;
    difference[i] = (uint32_t)less;
    borrow = less >> 63;
  }
#else
  asm("add.cc.u32 %0, %8, %16;\n\taddc.cc.u32 %1, %9, %17;\n\taddc.cc.u32 %2, %10, %18;\n\t"
      "addc.cc.u32 %3, %11, %19;\n\taddc.cc.u32 %4, %12, %20;\n\taddc.cc.u32 %5, %13, %21;\n\t"
      "addc.cc.u32 %6, %14, %22;\n\taddc.u32 %7, %15, %23;"
      : "=&r"(sum[0]), "=&r"(sum[1]), "=&r"(sum[2]), "=&r"(sum[3]), "=&r"(sum[4]), "=&r"(sum[5]), "=&r"(sum[6]),
        "=&r"(sum[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),
        "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
  asm("sub.cc.u32 %0, %8, %16;\n\tsubc.cc.u32 %1, %9, %17;\n\tsubc.cc.u32 %2, %10, %18;\n\t"
      "subc.cc.u32 %3, %11, %19;\n\tsubc.cc.u32 %4, %12, %20;\n\tsubc.cc.u32 %5, %13, %21;\n\t"
      "subc.cc.u32 %6, %14, %22;\n\tsubc.u32 %7, %15, %23;"
      : "=&r"(difference[0]), "=&r"(difference[1]), "=&r"(difference[2]), "=&r"(difference[3]), "=&r"(difference[4]),
        "=&r"(difference[5]), "=&r"(difference[6]), "=&r"(difference[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),
        "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
#endif
}

KERNEL shifts(const long long *x, long long *out) {
  const int i = threadIdx.x;
  const long long a = x[i];
  out[i] = (a >> i) ^ (long long)((unsigned long long)a << (63 - i)) ^ ((int)a >> i % 32) ^ ((short)a >> i % 16) ^
           (long long)((unsigned char)a << i % 8);
}

KERNEL collatz(int *steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  for (unsigned long long value = i + 1; value != 1; count++) value = value % 2 ? 3 * value + 1 : value / 2;
  steps[i] = count;
}

KERNEL crc32_blocks(const unsigned char *data, uint32_t *sums, int length) {
  uint32_t crc = ~0u;
  for (int i = 0; i < length; i++) {
    crc ^= data[threadIdx.x * length + i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
  }
  sums[threadIdx.x] = ~crc;
}

__constant__ uint32_t sha_keys[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

KERNEL sha256_block(const uint32_t *messages, uint32_t *digests) {
  uint32_t w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int i = 0; i < 16; i++) w[i] = messages[threadIdx.x * 16 + i];
  for (int i = 16; i < 64; i++) {
    const uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
  for (int i = 0; i < 64; i++) {
    const uint32_t s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25), s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const uint32_t t1 = last + s1 + (e & f ^ ~e & g) + sha_keys[i] + w[i];
    const uint32_t t2 = s0 + (a & b ^ a & c ^ b & c);
    last = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const uint32_t sums[8] = {a, b, c, d, e, f, g, last};
  for (int i = 0; i < 8; i++) digests[threadIdx.x * 8 + i] = h[i] + sums[i];
}

KERNEL xorshift(const unsigned *seeds, unsigned long long *out) {
  unsigned small = seeds[threadIdx.x] | 1;
  unsigned long long wide = (unsigned long long)small << 32 | 1;
  for (int i = 0; i < 20; i++) {
    small ^= small << 13, small ^= small >> 17, small ^= small << 5;
    wide ^= wide >> 12, wide ^= wide << 25, wide ^= wide >> 27;
  }
  out[threadIdx.x] = wide * 0x2545f4914f6cdd1dULL + small;
}

KERNEL gemv_dp4a(const int *matrix, const int *vector, int *out, int words) {
  int sum = 0;
  unsigned plain = 0;
  for (int k = 0; k < words; k++) {
    const int a = matrix[threadIdx.x * words + k];
    sum = __dp4a(a, vector[k], sum);
    plain = __dp4a((unsigned)a, (unsigned)vector[k], plain);
    sum = __dp2a_lo(a, vector[k], sum);
  }
  out[threadIdx.x] = sum ^ (int)plain << 1;
}

KERNEL modular_power(const unsigned *x, unsigned *out, unsigned prime) {
  unsigned long long base = x[threadIdx.x] % prime, result = 1;
  for (unsigned power = prime - 2; power != 0; power >>= 1) {
    if (power & 1) result = result * base % prime;
    base = base * base % prime;
  }
  out[threadIdx.x] = (unsigned)result;
}

#ifdef PTXLAB_HOST
CASES {
  RUN(bit_tricks, Shape{{1}, {64}}, bits<uint32_t>(64, 1), bits<unsigned long long>(64, 2), zeros<int>(576));
  RUN(divide_signed, Shape{{1}, {80}}, bits<signed char>(84, 3), bits<short>(82, 4), bits<int>(81, 5),
      bits<long long>(81, 6), zeros<signed char>(320), zeros<short>(320), zeros<int>(320), zeros<long long>(320));
  RUN(divide_unsigned, Shape{{1}, {80}}, bits<unsigned char>(84, 7), bits<unsigned short>(82, 8), bits<unsigned>(81, 9),
      bits<unsigned long long>(81, 10), zeros<unsigned char>(320), zeros<unsigned short>(320), zeros<unsigned>(320),
      zeros<unsigned long long>(320));
  RUN(high_products, Shape{{1}, {40}}, bits<int>(41, 11), bits<long long>(41, 12), zeros<long long>(160));
  RUN(int128, Shape{{1}, {33}}, bits<unsigned long long>(36, 13), zeros<unsigned long long>(330));
  RUN(carry_chain, Shape{{1}, {20}}, bits<uint32_t>(320, 14), zeros<uint32_t>(320));
  RUN(shifts, Shape{{1}, {64}}, bits<long long>(64, 15), zeros<long long>(64));
  RUN(collatz, Shape{{2}, {50}}, zeros<int>(90), 90);
  RUN(crc32_blocks, Shape{{1}, {9}}, bits<unsigned char>(180, 16), zeros<uint32_t>(9), 20);
  RUN(sha256_block, Shape{{1}, {5}}, bits<uint32_t>(80, 17), zeros<uint32_t>(40));
  RUN(xorshift, Shape{{1}, {60}}, bits<unsigned>(60, 18), zeros<unsigned long long>(60));
  RUN(gemv_dp4a, Shape{{1}, {37}}, bits<int>(37 * 16, 19), bits<int>(16, 20), zeros<int>(37), 16);
  RUN(modular_power, Shape{{1}, {32}}, bits<unsigned>(32, 21), zeros<unsigned>(32), 1000000007u);
}
#endif
