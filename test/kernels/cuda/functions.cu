// Single precision functions of CUDA's library: sequences of exact instructions around a few approximate ones.
// Results may differ from the host's by the bounds that the CUDA programming guide states (units in the last place).
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_90_fma -arch=sm_90 -O3
#include "host/kernel.h"

KERNEL roots(const float *x, float *out) {
  const int i = threadIdx.x;
  const float a = fabsf(x[i]);
  out[4 * i] = sqrtf(a);
  out[4 * i + 1] = 1 / (a + 0.125f);
  out[4 * i + 2] = x[i] / (a + 3);
  out[4 * i + 3] = __frcp_rn(a + 2) + __fsqrt_rn(a);
}

KERNEL reciprocal_roots(const float *x, float *out) { out[threadIdx.x] = rsqrtf(fabsf(x[threadIdx.x]) + 0.001f); }

KERNEL exponentials(const float *x, float *out) {
  const int i = threadIdx.x;
  out[4 * i] = expf(x[i]);
  out[4 * i + 1] = exp2f(x[i]);
  out[4 * i + 2] = expm1f(x[i]);
  out[4 * i + 3] = powf(fabsf(x[i]), 1.25f);
}

KERNEL logarithms(const float *x, float *out) {
  const int i = threadIdx.x;
  const float a = fabsf(x[i]) + 1.5f;
  out[4 * i] = logf(a);
  out[4 * i + 1] = log2f(a);
  out[4 * i + 2] = log10f(a);
  out[4 * i + 3] = log1pf(a);
}

/** Large arguments, too: their reduction uses an array of words in local memory. */
KERNEL circular(const float *x, float *out) {
  const int i = threadIdx.x;
  out[4 * i] = sinf(x[i]);
  out[4 * i + 1] = cosf(x[i] * 100000);
  out[4 * i + 2] = atanf(x[i]);
  out[4 * i + 3] = atan2f(x[i], 2 - x[i]);
}

KERNEL sigmoids(const float *x, float *out) {
  const int i = threadIdx.x;
  out[4 * i] = tanhf(x[i]);
  out[4 * i + 1] = 1 / (1 + expf(-x[i]));
  out[4 * i + 2] = erff(x[i]);
  out[4 * i + 3] = 0.5f * x[i] * (1 + tanhf(0.7978846f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
}

KERNEL remainders(const float *x, float *out) {
  const int i = threadIdx.x;
  out[4 * i] = fmodf(x[i] * 1000, 0.37f);
  out[4 * i + 1] = ldexpf(x[i], i - 30);
  out[4 * i + 2] = fdimf(x[i], 1) + copysignf(2, x[i]) + fabsf(x[i]);
  out[4 * i + 3] = fminf(fmaxf(x[i], -1), 1) + __saturatef(x[i]);
}

#ifdef PTXLAB_HOST
CASES {
  const Shape shape{{1}, {64}};
  const auto x = floats(64, 1, -8, 8);
  RUN(roots, shape, x, zeros<float>(256));
  RUN(reciprocal_roots, shape, x, zeros<float>(64).within("f32", 0x1p-22, 0));
  RUN(exponentials, shape, x, zeros<float>(256).within("f32", 0x1p-21, 0));
  RUN(logarithms, shape, x, zeros<float>(256).within("f32", 0x1p-21, 0));
  RUN(circular, shape, x, zeros<float>(256).within("f32", 0x1p-21, 0));
  // A sum of products: fused and unfused results differ in the last places if terms cancel.
  RUN(sigmoids, shape, x, zeros<float>(256).within("f32", 0x1p-20, 0x1p-20));
  RUN(remainders, shape, x, zeros<float>(256));
}
#endif
