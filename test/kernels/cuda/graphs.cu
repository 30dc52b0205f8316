// Sparse matrices, graphs, strings and codes: loads whose address was loaded, tables, loops of unequal length.
// build: sm_75 -arch=sm_75 -O3 -fmad=false
// build: sm_90_O0 -arch=sm_90 -Xcicc -O0 -fmad=false
#include "host/kernel.h"

constexpr unsigned every = 0xffffffff;

KERNEL csr_rows(const int *starts, const int *columns, const double *values, const double *x, double *y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * __ldg(x + columns[i]);
  y[row] = sum;
}

/** Eight lanes share a row. */
KERNEL csr_lanes(const int *starts, const int *columns, const double *values, const double *x, double *y, int rows) {
  const int row = blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8, lane = threadIdx.x % 8;
  double sum = 0;
  if (row < rows)
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 8) sum += values[i] * x[columns[i]];
  for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_down_sync(every, sum, distance, 8);
  if (lane == 0 && row < rows) y[row] = sum;
}

/** Levels, starting from one vertex; the frontier is in shared memory and grows by atomics. */
KERNEL breadth_first(const int *starts, const int *edges, int *level, int vertices) {
  __shared__ int queue[2][64], sizes[2];
  for (int v = threadIdx.x; v < vertices; v += blockDim.x) level[v] = v == 0 ? 0 : -1;
  if (threadIdx.x == 0) queue[0][0] = 0, sizes[0] = 1, sizes[1] = 0;
  __syncthreads();
  for (int depth = 1, from = 0; sizes[from] > 0; depth++, from = 1 - from) {
    for (int i = threadIdx.x; i < sizes[from]; i += blockDim.x) {
      const int v = queue[from][i];
      for (int e = starts[v]; e < starts[v + 1]; e++)
        if (atomicCAS(&level[edges[e]], -1, depth) == -1) queue[1 - from][atomicAdd(&sizes[1 - from], 1)] = edges[e];
    }
    __syncthreads();
    if (threadIdx.x == 0) sizes[from] = 0;
    __syncthreads();
  }
}

/** Shortest paths between all pairs (Floyd-Warshall). */
KERNEL all_paths(const int *weights, int *paths, int n) {
  __shared__ int d[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  d[y][x] = x == y ? 0 : weights[y * n + x] * weights[y * n + x];
  for (int k = 0; k < n; k++) {
    __syncthreads();
    const int through = d[y][k] + d[k][x];
    __syncthreads();
    d[y][x] = min(d[y][x], through);
  }
  paths[y * n + x] = d[y][x];
}

/** Sets joined by compare-and-swap, with path halving; the smallest vertex represents its set. */
KERNEL components(const int2 *edges, int *parent, int n, int vertices) {
  for (int v = threadIdx.x; v < vertices; v += blockDim.x) parent[v] = v;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int a = edges[i].x % vertices, b = edges[i].y % vertices;
    while (true) {
      while (parent[a] != a) a = parent[a];
      while (parent[b] != b) b = parent[b];
      if (a == b) break;
      const int high = max(a, b), low = min(a, b);
      if (atomicCAS(&parent[high], high, low) == high) break;
    }
  }
  __syncthreads();
  for (int v = threadIdx.x; v < vertices; v += blockDim.x) {
    int root = v;
    while (parent[root] != root) root = parent[root];
    parent[v] = root;
  }
}

/** The positions where a pattern begins, one bit each. */
KERNEL find_string(const char *text, const char *pattern, unsigned *found, int length, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool matches = i + size <= length;
  for (int k = 0; matches && k < size; k++) matches = pattern[k] == '?' || text[i + k] == pattern[k];
  const unsigned votes = __ballot_sync(every, matches);
  if (threadIdx.x % 32 == 0) found[i / 32] = votes;
}

/** Levenshtein distance, one diagonal at a time. */
KERNEL edit_distance(const char *a, const char *b, unsigned short *out, int n) {
  __shared__ unsigned short rows[3][33];
  const int i = threadIdx.x;
  for (int diagonal = 0; diagonal <= 2 * n; diagonal++) {
    unsigned short *now = rows[diagonal % 3], *last = rows[(diagonal + 2) % 3], *before = rows[(diagonal + 1) % 3];
    const int j = diagonal - i;
    if (i <= n && j >= 0 && j <= n) {
      if (i == 0 || j == 0) now[i] = (unsigned short)(i + j);
      else now[i] = (unsigned short)min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
      if (i == n) out[j] = now[i];
    }
    __syncthreads();
  }
}

__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

KERNEL base64(const unsigned char *in, char *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (3 * i >= n) return;
  const int left = n - 3 * i;
  const unsigned word = in[3 * i] << 16 | (left > 1 ? in[3 * i + 1] << 8 : 0) | (left > 2 ? in[3 * i + 2] : 0);
  out[4 * i] = letters[word >> 18];
  out[4 * i + 1] = letters[word >> 12 & 63];
  out[4 * i + 2] = left > 1 ? letters[word >> 6 & 63] : '=';
  out[4 * i + 3] = left > 2 ? letters[word & 63] : '=';
}

/** The table is first built in shared memory. */
KERNEL crc32(const unsigned char *in, unsigned *out, int size) {
  __shared__ unsigned table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    unsigned word = i;
    for (int bit = 0; bit < 8; bit++) word = word >> 1 ^ (word & 1 ? 0xedb88320u : 0);
    table[i] = word;
  }
  __syncthreads();
  unsigned sum = ~0u;
  for (int i = 0; i < size; i++) sum = table[(sum ^ in[threadIdx.x * size + i]) & 255] ^ sum >> 8;
  out[threadIdx.x] = ~sum;
}

/** Run lengths: comparison finds the heads, counting their positions. */
KERNEL run_lengths(const unsigned char *in, uchar2 *out, int n) {
  if (threadIdx.x != 0) return;
  int at = 0;
  for (int i = 0; i < n;) {
    int end = i + 1;
    while (end < n && in[end] >> 6 == in[i] >> 6 && end - i < 255) end++;
    out[at++] = make_uchar2((unsigned char)(end - i), in[i] >> 6);
    i = end;
  }
}

/** Open addressing with 64-bit slots; each key is looked up again by another thread. */
KERNEL hash_table(const unsigned *keys, unsigned long long *slots, unsigned *found, int n, int size) {
  const int i = threadIdx.x;
  if (i < n) {
    unsigned at = keys[i] * 2654435761u % size;
    const unsigned long long entry = (unsigned long long)keys[i] << 32 | (unsigned)(i + 1);
    while (true) {
      const unsigned long long old = atomicCAS(slots + at, 0ull, entry);
      if (old == 0 || old >> 32 == keys[i]) break;
      at = (at + 1) % size;
    }
  }
  __syncthreads();
  if (i < n) {
    const unsigned key = keys[n - 1 - i];
    unsigned at = key * 2654435761u % size;
    while (slots[at] >> 32 != key) at = (at + 1) % size;
    found[i] = keys[(unsigned)slots[at] - 1];
  }
  __syncthreads();
  for (int k = i; k < size; k += blockDim.x) slots[k] = 0;
}

/** Gauss-Jordan with the largest pivot; one block inverts a matrix of doubles. */
KERNEL invert(const double *in, double *out, int n) {
  __shared__ double m[8][17];
  __shared__ int pivot;
  const int x = threadIdx.x, y = threadIdx.y;
  m[y][x] = x < n ? in[(blockIdx.x * n + y) * n + x] : x - n == y;
  for (int k = 0; k < n; k++) {
    __syncthreads();
    if (x == 0 && y == 0) {
      pivot = k;
      for (int row = k + 1; row < n; row++)
        if (fabs(m[row][k]) > fabs(m[pivot][k])) pivot = row;
    }
    __syncthreads();
    if (y == 0 && pivot != k) {
      const double held = m[k][x];
      m[k][x] = m[pivot][x];
      m[pivot][x] = held;
    }
    __syncthreads();
    const double factor = y == k ? 0 : m[y][k] / m[k][k], divisor = m[k][k], row = m[k][x];
    __syncthreads();
    if (y == k) m[k][x] = row / divisor;
    else m[y][x] -= factor * row;
  }
  if (x >= n) out[(blockIdx.x * n + y) * n + x - n] = m[y][x];
}

#ifdef PTXLAB_HOST
CASES {
  std::vector<int> starts{0}, columns;
  std::vector<double> values, x;
  host::Random random{1};
  for (int row = 0; row < 40; row++) {
    for (unsigned i = random.next() % 14; i > 0; i--) {
      columns.push_back(random.next() % 40);
      values.push_back((random.next() >> 8) * 0x1p-20 - 4);
    }
    starts.push_back(int(columns.size()));
    x.push_back(1.0 / (row + 1));
  }
  RUN(csr_rows, Shape{{2}, {32}}, of(starts), of(columns), of(values), of(x), zeros<double>(40), 40);
  RUN(csr_lanes, Shape{{3}, {128}}, of(starts), of(columns), of(values), of(x), zeros<double>(40), 40);
  RUN(breadth_first, Shape{{1}, {32}}, of(starts), of(columns), zeros<int>(40), 40);
  RUN(all_paths, Shape{{1}, {16, 16}}, ints(256, 2, 100), zeros<int>(256), 16);
  RUN(components, Shape{{1}, {32}}, ints(56, 3, 1000).as<int2>(), zeros<int>(50), 28, 50);
  std::vector<char> text, pattern{'a', '?', 'b'};
  for (int i = 0; i < 200; i++) text.push_back("abc"[random.next() % 3]);
  RUN(find_string, Shape{{2}, {128}}, of(text), of(pattern), zeros<unsigned>(8), 200, 3);
  RUN(edit_distance, Shape{{1}, {33}}, of(std::vector<char>(text.begin(), text.begin() + 32)),
      of(std::vector<char>(text.begin() + 100, text.begin() + 132)), zeros<unsigned short>(33), 32);
  RUN(base64, Shape{{2}, {32}}, bits<unsigned char>(100, 4), zeros<char>(136), 100);
  RUN(crc32, Shape{{1}, {20}}, bits<unsigned char>(400, 5), zeros<unsigned>(20), 20);
  RUN(run_lengths, Shape{{1}, {32}}, bits<unsigned char>(100, 6), zeros<uchar2>(100), 100);
  std::vector<unsigned> keys;
  for (int i = 0; i < 48; i++) keys.push_back(random.next() | 1);
  RUN(hash_table, Shape{{1}, {64}}, of(keys), zeros<unsigned long long>(61), zeros<unsigned>(48), 48, 61);
  std::vector<double> matrices;
  for (int i = 0; i < 128; i++) matrices.push_back((random.next() >> 8) * 0x1p-22 - 2);
  RUN(invert, Shape{{2}, {16, 8}}, of(matrices), zeros<double>(128), 8);
}
#endif
