// Where threads diverge: nested branches, loops that end anywhere, switches, early returns, jumps into loops.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_89_debug -arch=sm_89 -G -fmad=false
#include "host/kernel.h"

KERNEL nested_ifs(const int *x, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = x[i];
  int result;
  if (v > 500) {
    if (v % 2) result = v > 750 ? v * 3 : v - 9;
    else if (v % 3 == 0) result = -v;
    else result = v % 5 ? 17 : x[(i + 1) % n];
  } else if (v > 250 && (v & 4 || x[(i + 3) % n] > 100)) {
    result = v ^ 0x55;
  } else {
    result = v < 10 ? 10 : v < 100 ? v / 10 : v % 100;
    if (result == 13) return;
  }
  out[i] = result;
}

KERNEL breaks_and_continues(const int *x, int *out, int n) {
  int sum = 0;
  for (int k = 0; k < n; k++) {
    const int v = x[(threadIdx.x + k) % n];
    if (v % 7 == 3) continue;
    if (v > 950 && k > 4) break;
    for (int j = v & 15; j > 0; j -= 3) {
      if (j == 6) goto skip;
      if (sum > 20000) goto end;
      sum += j * k;
    }
    sum += 1;
  skip:
    sum ^= v;
  }
end:
  out[threadIdx.x] = sum;
}

/** Cases dense enough for a jump table. */
KERNEL switch_dense(const int *x, int *out) {
  const int v = x[threadIdx.x];
  int r = v;
  switch (v % 12) {
    case 0: r = v / 3; break;
    case 1: r += 7;
    case 2: r *= 3; break;
    case 3: r ^= 0xff; break;
    case 4: r = x[(threadIdx.x + 1) % 32] - r; break;
    case 5: r = -r; break;
    case 6: for (int i = 0; i < 3; i++) r += r >> i; break;
    case 7: return;
    case 8: r = r % 17 * 5; break;
    case 9: r <<= 2; break;
    case 10: r = ~r; break;
    default: r = 1;
  }
  out[threadIdx.x] = r;
}

KERNEL switch_sparse(const int *x, int *out) {
  int r = 0;
  switch (x[threadIdx.x]) {
    case 1: case 5: r = 11; break;
    case 100: r = 22; break;
    case -7: r = 33; break;
    case 1000000: r = 44; break;
    default: r = x[threadIdx.x] > 50 ? 55 : 66;
  }
  out[threadIdx.x] = r;
}

/** A small machine: opcodes in memory drive a loop around a switch. */
KERNEL bytecode(const unsigned char *program, int length, const int *x, int *out) {
  int stack[8] = {x[threadIdx.x], 3, 1, 4, 1, 5, 9, 2}, top = 1, at = 0;
  for (int fuel = 200; at < length && fuel > 0; fuel--) {
    const int op = program[at++];
    switch (op & 7) {
      case 0: stack[top & 7] = op >> 3; top++; break;
      case 1: top--; stack[(top - 1) & 7] += stack[top & 7]; break;
      case 2: top--; stack[(top - 1) & 7] *= stack[top & 7]; break;
      case 3: stack[top & 7] = stack[(top - 1) & 7]; top++; break;
      case 4: if (stack[(top - 1) & 7] & 1) at += op >> 6; break;
      case 5: stack[(top - 1) & 7] ^= threadIdx.x * 5; break;
      case 6: if (fuel % 3) at = at > 5 ? at - 5 : 0; break;
      default: stack[(top - 1) & 7] = stack[(top - 1) & 7] / 3 - 1;
    }
  }
  int sum = 0;
  for (int i = 0; i < 8; i++) sum = sum * 7 + stack[i];
  out[threadIdx.x] = sum;
}

/** A loop with two entries, which no structured statement can express. */
KERNEL irreducible(const int *x, int *out) {
  int v = x[threadIdx.x], steps = 0;
  if (v & 1) goto odd;
even:
  v = v / 2 + 5;
  if (++steps > 40) goto done;
  if ((v & 3) == 0) goto even;
odd:
  v = v * 3 - 7;
  if (++steps > 40 || v < 0) goto done;
  v &= 0xffff;
  if (v & 4) goto even;
  if (v % 5) goto odd;
done:
  out[threadIdx.x] = v * 64 + steps;
}

KERNEL mandelbrot(int *out, int width, int height, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  const float cr = fmaf(3.0f / width, px, -2.0f), ci = fmaf(2.0f / height, py, -1.0f);
  float zr = 0, zi = 0;
  int n = 0;
  for (; n < most && zr * zr + zi * zi <= 4; n++) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = next;
  }
  out[py * width + px] = n;
}

KERNEL binary_search(const int *sorted, int n, const int *keys, int *found) {
  int low = 0, high = n;
  const int key = keys[threadIdx.x];
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1;
    else high = middle;
  }
  found[threadIdx.x] = low;
}

KERNEL gcd_until_equal(const unsigned *x, unsigned *out) {
  unsigned a = x[2 * threadIdx.x] | 1, b = x[2 * threadIdx.x + 1] | 1;
  do {
    while (a > b) a = (a - b) >> (__ffs(a - b) - 1);
    while (b > a) b = (b - a) >> (__ffs(b - a) - 1);
  } while (a != b);
  out[threadIdx.x] = a;
}

/** Threads leave the loop at different times, then all meet at the barrier. */
KERNEL ragged_loop_then_barrier(const int *x, int *out) {
  __shared__ int seen[50];
  int v = x[threadIdx.x], n = 0;
  while (v > 1) {
    v = v % 3 == 0 ? v / 3 : v - 1 - v % 2;
    n++;
  }
  seen[threadIdx.x] = n;
  __syncthreads();
  for (int round = 0; round < 3; round++) {
    const int next = seen[(threadIdx.x + 7 * round + 1) % blockDim.x];
    __syncthreads();
    seen[threadIdx.x] += next;
    __syncthreads();
  }
  out[threadIdx.x] = seen[threadIdx.x];
}

KERNEL sudoku_like_search(const int *limits, int *out) {
  int columns[6], row = 0, count = 0;
  const int n = limits[threadIdx.x];
  columns[0] = -1;
  while (row >= 0) {
    if (++columns[row] >= n) {
      row--;
      continue;
    }
    bool safe = true;
    for (int k = 0; k < row && safe; k++) {
      const int apart = columns[row] - columns[k];
      safe = apart != 0 && apart != row - k && apart != k - row;
    }
    if (!safe) continue;
    if (row == n - 1) count++;
    else columns[++row] = -1;
  }
  out[threadIdx.x] = count;
}

#ifdef PTXLAB_HOST
CASES {
  RUN(nested_ifs, Shape{{2}, {60}}, ints(110, 1, 1000), zeros<int>(110), 110);
  RUN(breaks_and_continues, Shape{{1}, {40}}, ints(40, 2, 1000), zeros<int>(40), 40);
  RUN(switch_dense, Shape{{1}, {64}}, ints(64, 3, 1000), zeros<int>(64));
  RUN(switch_sparse, Shape{{1}, {9}}, of<int>({1, 5, 100, -7, 1000000, 7, 51, -8, 0}), zeros<int>(9));
  RUN(bytecode, Shape{{1}, {33}}, bits<unsigned char>(40, 4), 40, ints(33, 5, 1000), zeros<int>(33));
  RUN(irreducible, Shape{{1}, {64}}, ints(64, 6, 1000), zeros<int>(64));
  RUN(mandelbrot, Shape{{3, 2}, {8, 8}}, zeros<int>(20 * 13), 20, 13, 60);
  std::vector<int> sorted;
  for (int i = 0; i < 100; i++) sorted.push_back(i * i / 7);
  RUN(binary_search, Shape{{1}, {45}}, of(sorted), 100, ints(45, 7, 1500), zeros<int>(45));
  RUN(gcd_until_equal, Shape{{1}, {32}}, bits<unsigned>(64, 8), zeros<unsigned>(32));
  RUN(ragged_loop_then_barrier, Shape{{1}, {50}}, ints(50, 9, 400), zeros<int>(50));
  RUN(sudoku_like_search, Shape{{1}, {5}}, of<int>({1, 4, 5, 2, 6}), zeros<int>(5));
}
#endif
