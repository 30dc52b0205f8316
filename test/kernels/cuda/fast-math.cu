// --use_fast_math and the intrinsics that it implies: approximate instructions, subnormals flushed.
// The bounds are those that the PTX ISA states for ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt and div with .approx.
// build: sm_75 -arch=sm_75 -O3 --use_fast_math
// build: sm_100a -arch=sm_100a -O3 --use_fast_math
#include "host/kernel.h"

KERNEL fast_division(const float *x, float *out) {
  const int i = threadIdx.x;
  out[4 * i] = x[i] / (fabsf(x[i + 1]) + 0.5f);
  out[4 * i + 1] = 1 / (fabsf(x[i]) + 0.25f);
  out[4 * i + 2] = sqrtf(fabsf(x[i]));
  out[4 * i + 3] = rsqrtf(fabsf(x[i]) + 0.25f);
}

KERNEL fast_exponentials(const float *x, float *out) {
  const int i = threadIdx.x;
  out[4 * i] = expf(x[i]);
  out[4 * i + 1] = exp2f(x[i]);
  out[4 * i + 2] = powf(fabsf(x[i]) + 1, 1.5f);
  out[4 * i + 3] = __fdividef(1, 1 + __expf(-x[i]));
}

KERNEL fast_logarithms(const float *x, float *out) {
  const int i = threadIdx.x;
  const float a = fabsf(x[i]) + 1.5f;
  out[2 * i] = logf(a);
  out[2 * i + 1] = __log2f(a);
}

KERNEL fast_circular(const float *x, float *out) {
  const int i = threadIdx.x;
  out[2 * i] = sinf(x[i] * 0.375f);
  out[2 * i + 1] = __cosf(x[i] * 0.375f);
}

KERNEL fast_tanh(const float *x, float *out) { out[threadIdx.x] = tanhf(x[threadIdx.x]); }

/** Products below 2^-126 are zero, whatever the sign; so are inputs. */
KERNEL flushed(const float *x, float *out) {
  const int i = threadIdx.x;
#ifdef PTXLAB_HOST
  const auto flush = [](float v) { return fabsf(v) < 0x1p-126f ? copysignf(0, v) : v; };
#else
  const auto flush = [](float v) { return v; };
#endif
  const float a = flush(x[i]), b = flush(x[i + 1]);
  out[3 * i] = flush(a * b);
  out[3 * i + 1] = flush(a - b);
  out[3 * i + 2] = a == 0 ? 1 : 2;
}

#ifdef PTXLAB_HOST
CASES {
  const Shape shape{{1}, {64}};
  const auto x = floats(65, 1, -8, 8);
  RUN(fast_division, shape, x, zeros<float>(256).within("f32", 0x1p-22, 0));
  // expf is ex2(x * log2 e): the product's rounding error grows with x.
  RUN(fast_exponentials, shape, x, zeros<float>(256).within("f32", 0x1p-19, 0));
  RUN(fast_logarithms, shape, x, zeros<float>(128).within("f32", 0x1p-21, 0x1p-21));
  RUN(fast_circular, shape, x, zeros<float>(128).within("f32", 0, 0x1p-20));
  RUN(fast_tanh, shape, x, zeros<float>(64).within("f32", 0x1p-10, 0));
  std::vector<float> tiny;
  for (int i = 0; i < 33; i++) tiny.push_back((i % 3 == 0 ? -1 : 1) * ldexpf(1 + i / 40.0f, -i * 5 + 1));
  for (float &v : tiny) if (v != 0 && fabsf(v) < 0x1p-148f) v = 0x1p-149f;
  RUN(flushed, Shape{{1}, {32}}, of(tiny), zeros<float>(96));
}
#endif
