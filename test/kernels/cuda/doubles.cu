// Double precision, and conversions between number formats.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_90_O1 -arch=sm_90 -Xcicc -O1 -fmad=false -lineinfo
#include "host/kernel.h"

KERNEL double_arithmetic(const double *x, double *out) {
  const int i = threadIdx.x;
  const double a = x[i], b = x[i + 1];
  double *mine = out + 6 * i;
  mine[0] = a + b;
  mine[1] = a * b - 1;
  mine[2] = a / b;
  mine[3] = sqrt(fabs(a));
  mine[4] = fma(a, b, -0.1);
  mine[5] = fmin(a, b) + fmax(a, 0.5) - (a < b ? a : copysign(b, a));
}

KERNEL newton_cube_roots(const double *x, double *out) {
  const double a = x[threadIdx.x];
  double guess = a / 3;
  for (int i = 0; i < 8; i++) guess = fma(2.0, guess, a / (guess * guess)) / 3;
  out[threadIdx.x] = guess;
}

KERNEL rounding_functions(const double *x, double *out, const float *y, float *narrow) {
  const int i = threadIdx.x;
  const double a = x[i];
  const float b = y[i];
  out[i] = floor(a) + 2 * ceil(a) + 4 * trunc(a) + 8 * rint(a) + 16 * round(a);
  narrow[i] = floorf(b) + 2 * ceilf(b) + 4 * truncf(b) + 8 * rintf(b) + 16 * roundf(b);
}

KERNEL to_integers(const float *x, const double *y, long long *out) {
  const int i = threadIdx.x;
  long long *mine = out + 7 * i;
  mine[0] = (int)x[i];
  mine[1] = (unsigned)fabsf(x[i]);
  mine[2] = (long long)(x[i] * 1e9f);
  mine[3] = (long long)y[i];
  mine[4] = (long long)(unsigned long long)fabs(y[i]);
  mine[5] = (short)(int)x[i] + (signed char)(int)(x[i] * 0.25f);
  mine[6] = __float2int_rn(x[i]) + 1000ll * __float2int_rd(x[i]) + 1000000ll * __float2uint_ru(fabsf(x[i]));
}

KERNEL from_integers(const int *x, const long long *y, double *out, float *narrow) {
  const int i = threadIdx.x;
  out[3 * i] = x[i] + 0.5;
  out[3 * i + 1] = (double)y[i];
  out[3 * i + 2] = (double)(unsigned long long)y[i];
  narrow[4 * i] = (float)x[i];
  narrow[4 * i + 1] = (float)(unsigned)x[i];
  narrow[4 * i + 2] = (float)y[i];
  narrow[4 * i + 3] = (float)(unsigned long long)y[i] + (float)(short)x[i] + (unsigned char)x[i];
}

KERNEL widen_and_narrow(const float *x, const double *y, double *out, float *narrow) {
  const int i = threadIdx.x;
  out[i] = (double)x[i] * 3;
  narrow[i] = (float)y[i];
}

KERNEL float_bits(const float *x, const double *y, unsigned *out, unsigned long long *wide) {
  const int i = threadIdx.x;
  const unsigned bits = __float_as_uint(x[i]);
  out[i] = __float_as_uint(__uint_as_float(bits & 0x7f800000) * 1.5f) ^ (bits >> 23 & 0xff) ^ (isnan(x[i]) << 9) ^
           (isinf(x[i]) ? 1 << 10 : 0) ^ (signbit(x[i]) ? 1 << 11 : 0);
  const unsigned long long bits64 = (unsigned long long)__double_as_longlong(y[i]);
  wide[i] = (bits64 >> 52 & 0x7ff) + (unsigned long long)__double_as_longlong(
                                         __longlong_as_double((long long)(bits64 & 0x000fffffffffffffULL | 0x3ff0000000000000ULL)) - 1);
}

KERNEL comparisons(const float *x, int *out) {
  const float a = x[threadIdx.x], b = x[threadIdx.x + 1];
  out[threadIdx.x] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | !(a < b) << 4 | !(a >= b) << 5 |
                     (isnan(a) || isnan(b) ? 1 << 6 : 0) | (a > 0 ? 1 << 7 : 0);
}

KERNEL kahan_sum(const float *x, float *out, int n) {
  float sum = 0, lost = 0;
  for (int k = 0; k < n; k++) {
    const float y = x[(threadIdx.x * 3 + k) % n] - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  out[2 * threadIdx.x] = sum;
  out[2 * threadIdx.x + 1] = lost;
}

KERNEL lu_decompose(double *matrices, int n) {
  double *a = matrices + blockIdx.x * n * n;
  const int row = threadIdx.x;
  for (int k = 0; k < n - 1; k++) {
    if (row > k && row < n) {
      const double factor = a[row * n + k] / a[k * n + k];
      a[row * n + k] = factor;
      for (int j = k + 1; j < n; j++) a[row * n + j] = fma(-factor, a[k * n + j], a[row * n + j]);
    }
    __syncthreads();
  }
}

KERNEL double_functions(const double *x, double *out) {
  const int i = threadIdx.x;
  const double a = x[i];
  double *mine = out + 8 * i;
  mine[0] = exp(a);
  mine[1] = log(fabs(a) + 0.1);
  mine[2] = sin(a);
  mine[3] = cos(3 * a);
  mine[4] = atan(a);
  mine[5] = tanh(a);
  mine[6] = pow(fabs(a) + 0.5, 1.7);
  mine[7] = cbrt(a);
}

#ifdef PTXLAB_HOST
CASES {
  std::vector<double> plain, large;
  host::Random random{1};
  for (int i = 0; i < 65; i++) {
    plain.push_back((int(random.next()) / 0x1p31) * 10);
    large.push_back((int(random.next()) / 0x1p31) * pow(10, i % 19));
  }
  RUN(double_arithmetic, Shape{{1}, {64}}, of(plain), zeros<double>(384));
  RUN(newton_cube_roots, Shape{{1}, {40}}, of(plain), zeros<double>(40));
  plain[3] = 2.5, plain[4] = -0.5, plain[5] = 3.5, plain[6] = -7;
  std::vector<float> halves;
  for (double v : plain) halves.push_back(float(v));
  RUN(rounding_functions, Shape{{1}, {64}}, of(plain), zeros<double>(64), of(halves), zeros<float>(64));
  RUN(to_integers, Shape{{1}, {64}}, floats(64, 2, -512, 512), of(large), zeros<long long>(448));
  RUN(from_integers, Shape{{1}, {50}}, bits<int>(50, 3), bits<long long>(50, 4), zeros<double>(150), zeros<float>(200));
  RUN(widen_and_narrow, Shape{{1}, {64}}, floats(64, 5, -8, 8), of(large), zeros<double>(64), zeros<float>(64));
  std::vector<float> special = {0.0f, -0.0f, 1e-45f, -1e-40f, INFINITY, -INFINITY, NAN, 1, -1, 3.4e38f, NAN, NAN, 0};
  RUN(float_bits, Shape{{1}, {12}}, of(special), of(large), zeros<unsigned>(12), zeros<unsigned long long>(12));
  RUN(comparisons, Shape{{1}, {12}}, of(special), zeros<int>(12));
  RUN(kahan_sum, Shape{{1}, {20}}, floats(60, 6, -1024, 1024), zeros<float>(40), 60);
  std::vector<double> matrices;
  for (int i = 0; i < 128; i++) matrices.push_back(int(random.next()) / 0x1p31 + (i % 9 == 0 ? 4 : 0));
  RUN(lu_decompose, Shape{{2}, {8}}, of(matrices), 8);
  // The bounds of CUDA's double functions are 1 or 2 units in the last place, here and on the host.
  RUN(double_functions, Shape{{1}, {64}}, of(plain), zeros<double>(512).within("f64", 0x1p-50, 1e-300));
}
#endif
