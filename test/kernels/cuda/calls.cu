// Functions that are really called: with structs, recursively, through pointers; and functions of the device library.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_90_debug -arch=sm_90 -G -fmad=false
#include <cassert>
#include <cstdio>

#include "host/kernel.h"
#ifdef PTXLAB_HOST
#define printf(...) 0
#endif

__device__ __noinline__ int mix(int a, int b) { return a * 31 ^ b >> 3; }

KERNEL noinline_call(const int *x, int *out) {
  int v = x[threadIdx.x];
  for (int i = 0; i < 4; i++) v = mix(v, i + (int)threadIdx.x);
  out[threadIdx.x] = v;
}

struct Pair {
  int sum;
  int steps;
  double product;
  short parts[4];
};

__device__ __noinline__ Pair combine(Pair a, float scale, unsigned char step) {
  Pair result = a;
  result.sum += step;
  result.steps++;
  result.product *= scale;
  for (int i = 0; i < 4; i++) result.parts[i] = (short)(a.parts[3 - i] + step);
  return result;
}

KERNEL struct_call(const int *x, Pair *out) {
  Pair pair = {x[threadIdx.x], 0, 0.5 + threadIdx.x, {1, 2, (short)threadIdx.x, 4}};
  pair = combine(combine(pair, 1.5f, 250), -2.0f, (unsigned char)x[threadIdx.x]);
  Pair *place = out + threadIdx.x;
  place->sum = pair.sum;
  place->steps = pair.steps;
  place->product = pair.product;
  for (int i = 0; i < 4; i++) place->parts[i] = pair.parts[i];
}

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

KERNEL recursion(unsigned *out) {
  out[threadIdx.x] = fibonacci(threadIdx.x) * 1000 + ackermann(2, threadIdx.x % 4);
}

__device__ void sort_part(int *values, int low, int high) {
  if (low >= high) return;
  const int pivot = values[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (values[i] < pivot) i++;
    while (values[j] > pivot) j--;
    if (i <= j) {
      const int held = values[i];
      values[i++] = values[j];
      values[j--] = held;
    }
  }
  sort_part(values, low, j);
  sort_part(values, i, high);
}

KERNEL quicksort(int *values, int n) { sort_part(values + threadIdx.x * n, 0, n - 1); }

__device__ int twice(int v) { return 2 * v; }
__device__ int square(int v) { return v * v; }
__device__ int negated(int v) { return -v; }
using Operation = int (*)(int);
__device__ Operation operations[3] = {twice, square, negated};

KERNEL function_pointers(const int *x, int *out) {
  int v = x[threadIdx.x];
  for (int i = 0; i < 3; i++) v = operations[(x[threadIdx.x] + i) % 3](v) + 1;
  out[threadIdx.x] = v;
}

struct Shape2d {
  __device__ virtual float area() const = 0;
};
struct Square : Shape2d {
  float side;
  __device__ Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Rectangle : Square {
  float other;
  __device__ Rectangle(float a, float b) : Square(a), other(b) {}
  __device__ float area() const override { return side * other; }
};

KERNEL virtual_functions(const float *x, float *out) {
  Square square(x[threadIdx.x]);
  Rectangle rectangle(x[threadIdx.x], 3);
  const Shape2d *shapes[2] = {&square, &rectangle};
  out[threadIdx.x] = shapes[x[threadIdx.x] > 0]->area();
}

/** A callee in which threads of a block meet. */
__device__ __noinline__ int rotate_block(int value, int *room) {
  room[threadIdx.x] = value;
  __syncthreads();
  const int next = room[(threadIdx.x + 1) % blockDim.x];
  __syncthreads();
  return next;
}
__device__ __noinline__ int sum_of_warp(int value) {
  for (int bit = 16; bit > 0; bit /= 2) value += __shfl_xor_sync(0xffffffff, value, bit);
  return value;
}

KERNEL barrier_in_callee(const int *x, int *out) {
  __shared__ int room[64];
  int v = x[threadIdx.x];
  for (int i = 0; i < 3; i++) v = rotate_block(v, room) * 2 + i;
  out[threadIdx.x] = v + sum_of_warp(v);
}

KERNEL print_and_go_on(const int *x, int *out) {
  if (threadIdx.x % 16 == 3) printf("thread %d has %d, %s, %.3f\n", threadIdx.x, x[threadIdx.x], "a string", 0.5);
  out[threadIdx.x] = x[threadIdx.x] + 1;
}

KERNEL assertions_that_hold(const int *x, int *out) {
  assert(x[threadIdx.x] < 1000);
  out[threadIdx.x] = x[threadIdx.x] * 2;
}

/** Each thread builds a linked list on the heap, sums it and frees it. */
KERNEL heap_lists(const int *x, int *out) {
  struct Node {
    Node *next;
    int value;
  };
  Node *head = nullptr;
  for (int i = 0; i < 5; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    node->next = head;
    node->value = x[threadIdx.x] + i * i;
    head = node;
  }
  int sum = 0;
  while (head != nullptr) {
    Node *next = head->next;
    sum = sum * 3 + head->value;
    free(head);
    head = next;
  }
  out[threadIdx.x] = sum;
}

__device__ __noinline__ void minmax(const int *values, int n, int &low, int &high) {
  low = high = values[0];
  for (int i = 1; i < n; i++) low = min(low, values[i]), high = max(high, values[i]);
}

/** References to local variables: generic addresses in the local window. */
KERNEL out_parameters(const int *x, int *out) {
  int own[6], low, high;
  for (int i = 0; i < 6; i++) own[i] = x[threadIdx.x * 6 + i];
  minmax(own, 6, low, high);
  out[2 * threadIdx.x] = low;
  out[2 * threadIdx.x + 1] = high;
}

#ifdef PTXLAB_HOST
CASES {
  RUN(noinline_call, Shape{{1}, {40}}, bits<int>(40, 1), zeros<int>(40));
  RUN(struct_call, Shape{{1}, {20}}, ints(20, 2, 1000), zeros<Pair>(20));
  RUN(recursion, Shape{{1}, {12}}, zeros<unsigned>(12));
  RUN(quicksort, Shape{{1}, {6}}, bits<int>(96, 3), 16);
  RUN(function_pointers, Shape{{1}, {40}}, ints(40, 4, 1000), zeros<int>(40));
  RUN(virtual_functions, Shape{{1}, {40}}, floats(40, 5, -4, 4), zeros<float>(40));
  RUN(barrier_in_callee, Shape{{1}, {64}}, ints(64, 6, 1000), zeros<int>(64));
  RUN(print_and_go_on, Shape{{1}, {40}}, ints(40, 7, 1000), zeros<int>(40));
  RUN(assertions_that_hold, Shape{{1}, {40}}, ints(40, 8, 1000), zeros<int>(40));
  RUN(heap_lists, Shape{{1}, {20}}, ints(20, 9, 1000), zeros<int>(20));
  RUN(out_parameters, Shape{{1}, {20}}, bits<int>(120, 10), zeros<int>(40));
}
#endif
