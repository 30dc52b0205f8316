// Random numbers, simulation and finance: generators word for word, samples drawn from them, bodies, options, roots.
// build: sm_89 -arch=sm_89 -O3 -fmad=false
// build: sm_75_debug -arch=sm_75 -G -fmad=false
#include "host/kernel.h"

/** Marsaglia's xorwow, the toolkit's default generator. */
struct Xorwow {
  unsigned v[5], d;
  __device__ unsigned next() {
    const unsigned t = v[0] ^ v[0] >> 2;
    for (int i = 0; i < 4; i++) v[i] = v[i + 1];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
    d += 362437;
    return v[4] + d;
  }
};

KERNEL xorwow(unsigned *out, unsigned long long seed, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned low = (unsigned)(seed + i) ^ 0xaad26b49u, high = (unsigned)((seed + i) >> 32) ^ 0xf7dcefddu;
  Xorwow state = {{123456789u + 1099087573u * low, 362436069u ^ 1099087573u * low, 521288629u + 2591861531u * high,
                   88675123u ^ 2591861531u * high, 5783321u + 1099087573u * low},
                  6615241u + 1099087573u * low + 2591861531u * high};
  for (int k = 0; k < count; k++) out[i * count + k] = state.next();
}

__device__ inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; round++) {
    const unsigned high_x = __umulhi(0xd2511f53u, counter.x), low_x = 0xd2511f53u * counter.x;
    const unsigned high_z = __umulhi(0xcd9e8d57u, counter.z), low_z = 0xcd9e8d57u * counter.z;
    counter = make_uint4(high_z ^ counter.y ^ key.x, low_z, high_x ^ counter.w ^ key.y, low_x);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

KERNEL philox_words(uint4 *out, unsigned long long seed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = philox(make_uint4(i, 0, i * 77, 5), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
}

/** Normally distributed numbers (Box-Muller). */
KERNEL normals(float2 *out, unsigned long long seed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 bits = philox(make_uint4(i, 0, 0, 0), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
  const float u = bits.x * 0x1p-32f + 0x1p-33f, angle = bits.y * (0x1p-32f * 6.2831855f);
  const float r = sqrtf(-2.0f * logf(u));
  out[i] = make_float2(r * sinf(angle), r * cosf(angle));
}

/** Counts points in a quarter circle, block by block. */
KERNEL monte_carlo_pi(unsigned *counts, unsigned long long seed, int draws) {
  __shared__ unsigned hits;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  unsigned mine = 0;
  for (int k = 0; k < draws; k++) {
    const uint4 bits = philox(make_uint4(k, threadIdx.x, blockIdx.x, 1), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
    const float x = (bits.x >> 8) * 0x1p-24f, y = (bits.y >> 8) * 0x1p-24f;
    mine += x * x + y * y < 1.0f;
  }
  atomicAdd(&hits, mine);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = hits;
}

__device__ inline float normal_below(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail = 0.39894228f * expf(-0.5f * d * d) *
                     (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

KERNEL black_scholes(const float *price, const float *strike, const float *years, float *call, float *put, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = 5 + 25 * price[i], x = 1 + 99 * strike[i], t = 0.25f + 9.75f * years[i], r = 0.02f, v = 0.3f;
  const float root = sqrtf(t), d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
  const float discount = expf(-r * t);
  call[i] = s * normal_below(d1) - x * discount * normal_below(d2);
  put[i] = x * discount * (1.0f - normal_below(d2)) - s * (1.0f - normal_below(d1));
}

/** A tree of prices, evaluated from its leaves; one block per option. */
KERNEL binomial(const double *strike, double *out, double up, double chance, double discount, int steps) {
  __shared__ double values[65];
  const int i = threadIdx.x;
  double price = 20;
  for (int k = 0; k < steps; k++) price = k < i ? price * up : price / up;
  if (i <= steps) values[i] = fmax(price - strike[blockIdx.x], 0.0);
  for (int step = steps; step > 0; step--) {
    __syncthreads();
    const double folded = i < step ? discount * (chance * values[i + 1] + (1 - chance) * values[i]) : 0;
    __syncthreads();
    if (i < step) values[i] = folded;
  }
  if (i == 0) out[blockIdx.x] = values[0];
}

/** Sobol points from direction numbers and Gray codes. */
KERNEL sobol(const unsigned *directions, float *out, int n) {
  __shared__ unsigned v[32];
  if (threadIdx.x < 32) v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned gray = i ^ i >> 1, x = 0;
    while (gray != 0) {
      x ^= v[__ffs(gray) - 1];
      gray &= gray - 1;
    }
    out[blockIdx.y * n + i] = (float)x * 0x1p-32f;
  }
}

struct Body {
  double3 place, speed;
  double mass;
};

/** Forces in double with 1 / (r sqrt(r)), then a time step; structs of seven doubles. */
KERNEL n_body_double(const Body *bodies, Body *moved, int n, double step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Body own = bodies[i];
  double3 pull = make_double3(0, 0, 0);
  for (int j = 0; j < n; j++) {
    const double3 other = bodies[j].place;
    const double dx = other.x - own.place.x, dy = other.y - own.place.y, dz = other.z - own.place.z;
    const double square = dx * dx + dy * dy + dz * dz + 0.01, weight = bodies[j].mass / (square * sqrt(square));
    pull.x += dx * weight;
    pull.y += dy * weight;
    pull.z += dz * weight;
  }
  own.speed.x += pull.x * step;
  own.speed.y += pull.y * step;
  own.speed.z += pull.z * step;
  own.place.x += own.speed.x * step;
  own.place.y += own.speed.y * step;
  own.place.z += own.speed.z * step;
  moved[i] = own;
}

/** Counts the eigenvalues of a tridiagonal matrix below x, then finds the k-th by bisection. */
KERNEL eigenvalues(const double *diagonal, const double *beside, double *out, int n) {
  double low = -8, high = 8;
  for (int round = 0; round < 30; round++) {
    const double x = (low + high) / 2;
    int below = 0;
    double d = 1;
    for (int i = 0; i < n; i++) {
      d = diagonal[i] - x - (i > 0 ? beside[i - 1] * beside[i - 1] / d : 0);
      if (d == 0) d = 1e-300;
      below += d < 0;
    }
    if (below > threadIdx.x) high = x;
    else low = x;
  }
  out[threadIdx.x] = low;
}

/** Jacobi iterations until little changes, as a vote decides. */
KERNEL jacobi(const float *matrix, const float *right, float *x, int *rounds, int n) {
  __shared__ float values[32];
  const int i = threadIdx.x;
  values[i] = 0;
  __syncthreads();
  int round = 0;
  for (; round < 100; round++) {
    float sum = right[i];
    for (int j = 0; j < n; j++)
      if (j != i) sum -= matrix[i * n + j] * values[j];
    const float next = sum / (matrix[i * n + i] + 20.0f);
    const int settled = fabsf(next - values[i]) < 1e-4f;
    __syncthreads();
    values[i] = next;
    if (__syncthreads_and(settled)) break;
  }
  x[i] = values[i];
  if (i == 0) *rounds = round;
}

#ifdef PTXLAB_HOST
CASES {
  RUN(xorwow, Shape{{2}, {16}}, zeros<unsigned>(160), 0x123456789abcdefull, 5);
  RUN(philox_words, Shape{{2}, {16}}, zeros<uint4>(32), 0xfedcba9876543210ull);
  RUN(normals, Shape{{2}, {32}}, zeros<float2>(64).within("f32", 1e-5, 1e-5), 42ull);
  RUN(monte_carlo_pi, Shape{{3}, {32}}, zeros<unsigned>(3), 7ull, 20);
  RUN(black_scholes, Shape{{2}, {48}}, floats(80, 1, 0, 1), floats(80, 2, 0, 1), floats(80, 3, 0, 1),
      zeros<float>(80).within("f32", 1e-4, 1e-4), zeros<float>(80).within("f32", 1e-4, 1e-4), 80);
  RUN(binomial, Shape{{4}, {64}}, of<double>({15, 19.5, 20, 26}), zeros<double>(4), 1.02, 0.505, 0.9995, 60);
  std::vector<unsigned> directions;
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < 32; i++) directions.push_back(d == 0 ? 1u << (31 - i) : (i == 0 ? 1u << 31 : directions.back() ^ directions.back() >> 1));
  RUN(sobol, Shape{{2, 2}, {32}}, of(directions), zeros<float>(200), 100);
  std::vector<Body> bodies(20);
  host::Random random{5};
  for (Body &b : bodies) {
    double *parts = &b.place.x;
    for (int i = 0; i < 7; i++) parts[i] = (random.next() >> 12) * 0x1p-20;
  }
  RUN(n_body_double, Shape{{2}, {16}}, of(bodies), zeros<Body>(20), 20, 0.125);
  std::vector<double> diagonal, beside;
  for (int i = 0; i < 12; i++) diagonal.push_back(i % 5 - 2.25), beside.push_back(1.0 / (i + 1));
  RUN(eigenvalues, Shape{{1}, {12}}, of(diagonal), of(beside), zeros<double>(12), 12);
  RUN(jacobi, Shape{{1}, {32}}, floats(1024, 4, -0.5, 0.5), floats(32, 5, -4, 4), zeros<float>(32), zeros<int>(1), 32);
}
#endif
