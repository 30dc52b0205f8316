// Calls: recursion, function pointers, virtual functions, structures, printf, assert, malloc, a switch.
// nvcc -ptx -arch=compute_80 calls.cu -o calls_sm80.ptx
#include <cassert>
#include <cstdio>

struct Pair {
  int a;
  double b;
};
typedef float (*Op)(float, float);

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ Pair turn(Pair p, int k) {
  Pair q;
  q.a = p.a * k;
  q.b = p.b / k;
  return q;
}
__device__ __noinline__ float plus(float a, float b) { return a + b; }
__device__ __noinline__ float times(float a, float b) { return a * b; }
__device__ __noinline__ float power(float a, float b) {
  float r = 1;
  for (int i = 0; i < (int)b; i++) r *= a;
  return r;
}
__device__ Op ops[3] = {plus, times, power};

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float s;
  __device__ Square(float x) : s(x) {}
  __device__ float area() const override { return s * s; }
};
struct Disc : Shape {
  float r;
  __device__ Disc(float x) : r(x) {}
  __device__ float area() const override { return 3.0f * r * r; }
};

__device__ __noinline__ int choose(int k, int x) {
  switch (k) {
    case 0: return x + 1;
    case 1: return x * 7;
    case 2: return x - 3;
    case 3: return x ^ 5;
    case 4: return x << 2;
    case 5: return x % 11;
    case 6: return x / 3;
    default: return -1;
  }
}

extern "C" {
__global__ void recursion(int *out) { out[threadIdx.x] = ackermann(2, threadIdx.x); }
__global__ void structures(double *out, int k) {
  Pair p = {k, 12.0};
  Pair q = turn(p, k);
  out[0] = q.a;
  out[1] = q.b;
}
__global__ void pointers(float *out, int n) {
  int i = threadIdx.x;
  out[i] = ops[(i + n) % 3](i + 1, 3);
}
__global__ void objects(float *out) {
  Shape *s;
  if (threadIdx.x % 2) s = new Square(threadIdx.x);
  else s = new Disc(threadIdx.x);
  out[threadIdx.x] = s->area();
  delete s;
}
__global__ void print(float x) {
  printf("block %d thread %2u: %8.3f %s %c %lld %p%%\n", blockIdx.x, threadIdx.x, x * (threadIdx.x + 1), "text",
         'a' + threadIdx.x, -5000000000LL, (void *)0);
}
__global__ void check(int n) { assert(n > (int)threadIdx.x); }
__global__ void lists(int *out) {
  int n = threadIdx.x + 1;
  int *list = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) list[i] = i;
  int sum = 0;
  for (int i = 0; i < n; i++) sum += list[i];
  out[threadIdx.x] = sum;
  free(list);
}
__global__ void table(int *out) { out[threadIdx.x] = choose(threadIdx.x, 100 + threadIdx.x); }
}
