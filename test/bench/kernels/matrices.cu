// C = A * B, A by rows and B by columns, each of n by n: 64 by 64 elements of C a warp, four warps a block.
//   nvcc -ptx -O3 -arch=sm_80 matrices.cu -o matrices.sm_80.ptx
//   nvcc -ptx -O3 -arch=sm_89 matrices.cu -o matrices.sm_89.ptx

// Bytes of k that a block keeps in shared memory, and the distance in bytes from one row to the next; rows do not share banks.
constexpr int stepBytes = 64, pitch = stepBytes + 16;

__device__ __forceinline__ void loadMatrices(unsigned *to, const unsigned char *from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

#define MULTIPLY(NAME, MNEMONIC, SUM, LETTER)                                                                          \
  struct NAME {                                                                                                        \
    using Sum = SUM;                                                                                                   \
    static __device__ __forceinline__ void multiply(Sum *c, const unsigned *a, const unsigned *b) {                    \
      asm volatile(MNEMONIC " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                         \
                   : "+" LETTER(c[0]), "+" LETTER(c[1]), "+" LETTER(c[2]), "+" LETTER(c[3])                            \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                \
    }                                                                                                                  \
  };

// Each instruction multiplies 16 rows by 8 columns over 32 bytes of k.
template <class Product> __device__ __forceinline__ void multiply(const uint4 *a, const uint4 *b, typename Product::Sum *c,
                                                                  int n, int rowBytes) {
  __shared__ __align__(16) unsigned char left[128][pitch], right[128][pitch];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int firstRow = 128 * blockIdx.y, firstColumn = 128 * blockIdx.x, row = 64 * (warp / 2), column = 64 * (warp % 2);
  typename Product::Sum sums[4][8][4] = {};
  for (int at = 0; at < rowBytes; at += stepBytes) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int line = 32 * i + thread / 4, part = thread % 4;
      const size_t offset = (at / 16) + part;
      *reinterpret_cast<uint4 *>(&left[line][16 * part]) = a[static_cast<size_t>(firstRow + line) * (rowBytes / 16) + offset];
      *reinterpret_cast<uint4 *>(&right[line][16 * part]) = b[static_cast<size_t>(firstColumn + line) * (rowBytes / 16) + offset];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < stepBytes; k += 32) {
      unsigned x[4][4], y[4][4];
#pragma unroll
      for (int i = 0; i < 4; i++) loadMatrices(x[i], &left[row + 16 * i + lane % 16][k + 16 * (lane / 16)]);
#pragma unroll
      for (int j = 0; j < 4; j++)
        loadMatrices(y[j], &right[column + 16 * j + lane % 8 + 8 * (lane / 16)][k + 16 * (lane / 8 % 2)]);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) Product::multiply(sums[i][j], x[i], &y[j / 2][2 * (j % 2)]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
      for (int part = 0; part < 4; part++) {
        const int to = firstRow + row + 16 * i + lane / 4 + 8 * (part / 2);
        c[static_cast<size_t>(to) * n + firstColumn + column + 8 * j + 2 * (lane % 4) + part % 2] = sums[i][j][part];
      }
}

#define KERNEL(NAME)                                                                                                   \
  extern "C" __global__ void multiply_##NAME(const uint4 *a, const uint4 *b, NAME::Sum *c, int n, int rowBytes) {      \
    multiply<NAME>(a, b, c, n, rowBytes);                                                                              \
  }

#if __CUDA_ARCH__ == 890
MULTIPLY(e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", float, "f")
KERNEL(e4m3)
#else
MULTIPLY(f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", float, "f")
MULTIPLY(bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
MULTIPLY(tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
MULTIPLY(s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", int, "r")
KERNEL(f16)
KERNEL(bf16)
KERNEL(tf32)
KERNEL(s8)
#endif
