// Matrix products by warpgroups, as CUDA programmers write them for Hopper without a library. Compiled by nvcc 13.0:
//   nvcc -arch=sm_90a -ptx warpgroups.cu -o warpgroups.sm_90a.ptx
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

__device__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

// A tile whose lines of 128 bytes lie along k, with a swizzle of 128 bytes.
__device__ uint64_t along_k(const void* p) {
  return ((uint64_t)(shared_address(p) & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
}

// A tile whose lines of 128 bytes lie across k. Groups of 64 columns are `group` bytes apart.
__device__ uint64_t across_k(const void* p, uint32_t group) {
  return ((uint64_t)(shared_address(p) & 0x3ffff) >> 4) | ((uint64_t)(group >> 4) << 16) | (64ull << 32) | (1ull << 62);
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }

// Starts to copy `rows` lines of 128 bytes.
__device__ void copy_lines(char* to, const char* from, int rows, size_t pitch, int thread, int threads) {
  for (int i = thread; i < rows * 8; i += threads) {
    int row = i / 8, chunk = i % 8;
    uint32_t at = shared_address(to) + row * 128 + ((chunk ^ (row & 7)) << 4);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + row * pitch + chunk * 16));
  }
  asm volatile("cp.async.commit_group;");
}

template <int N> __device__ void copied() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N));
  asm volatile("fence.proxy.async;");
  __syncthreads();
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
      " %32, %33, p, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(add));
}

__device__ void multiply_small(float (&d)[32], uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
      " %32, %33, p, 1, 1; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(add));
}

__device__ void multiply_registers(float (&d)[32], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
      " {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ void store(float* c, const float (&d)[32], int row, int column, int pitch) {
  int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  for (int i = 0; i < 32; i++) c[(row + i / 2 % 2 * 8) * pitch + column + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

extern __shared__ __align__(1024) char tiles[];

// C = A * B for A of M by K and B of N by K, both along k. Two warpgroups compute 128 rows and 64 columns. While one
// stage is multiplied, the next one is copied.
template <int Bytes, typename Multiply>
__device__ void product(const char* a, const char* b, float* c, int n, int k, Multiply multiply) {
  const int stage = 128 * 128 + 64 * 128, perLine = 128 / Bytes, group = threadIdx.x / 128;
  size_t pitch = (size_t)k * Bytes;
  a += blockIdx.y * 128 * pitch;
  b += blockIdx.x * 64 * pitch;
  auto load = [&](int at) {
    char* to = tiles + at / perLine % 2 * stage;
    copy_lines(to, a + (size_t)at * Bytes, 128, pitch, threadIdx.x, 256);
    copy_lines(to + 128 * 128, b + (size_t)at * Bytes, 64, pitch, threadIdx.x, 256);
  };
  float d[32];
  load(0);
  for (int at = 0; at < k; at += perLine) {
    if (at + perLine < k) {
      load(at + perLine);
      copied<2>();
    } else copied<0>();
    char* own = tiles + at / perLine % 2 * stage;
    uint64_t of_a = along_k(own + group * 64 * 128), of_b = along_k(own + 128 * 128);
    fence();
    for (int i = 0; i < 4; i++) multiply(d, of_a + 2 * i, of_b + 2 * i, at + i > 0);
    commit();
    wait<0>();
    __syncthreads();
  }
  store(c, d, blockIdx.y * 128 + group * 64, blockIdx.x * 64, n);
}

extern "C" __global__ void __launch_bounds__(256) halves(const char* a, const char* b, float* c, int n, int k) {
  product<2>(a, b, c, n, k, multiply);
}

extern "C" __global__ void __launch_bounds__(256) bytes(const char* a, const char* b, float* c, int n, int k) {
  product<1>(a, b, c, n, k, multiply_small);
}

// O = (Q * K^T) * V / 64 for 64 queries and `keys` keys of 64 elements. The first product stays in registers, and V is
// read across k. The products of a pair of blocks of keys are in flight at the same time.
extern "C" __global__ void __launch_bounds__(128) twice(const char* q, const char* keys, const char* v, float* o, int count) {
  char *own = tiles, *of_k = tiles + 8192, *of_v = tiles + 16384;
  copy_lines(own, q, 64, 128, threadIdx.x, 128);
  float out[32] = {};
  for (int at = 0; at < count; at += 64) {
    copy_lines(of_k, keys + at * 128, 64, 128, threadIdx.x, 128);
    copy_lines(of_v, v + at * 128, 64, 128, threadIdx.x, 128);
    copied<0>();
    float s[32];
    fence();
    for (int i = 0; i < 4; i++) multiply(s, along_k(own) + 2 * i, along_k(of_k) + 2 * i, i > 0);
    commit();
    wait<0>();
    fence();
    for (int i = 0; i < 4; i++) {
      uint32_t p[4];
      for (int j = 0; j < 4; j++) {
        __half2 two = __floats2half2_rn(s[8 * i + 2 * j], s[8 * i + 2 * j + 1]);
        p[j] = *(uint32_t*)&two;
      }
      multiply_registers(out, p, across_k(of_v, 8192) + 128 * i);
    }
    commit();
    wait<0>();
    __syncthreads();
  }
  store(o, out, 0, 0, 64);
}

// The same product as `halves`, with a producer and two consumers. One warp copies tiles, which are already swizzled in
// global memory, with bulk copies; two warpgroups multiply. Objects in shared memory say which stages are full or empty.
__device__ void initialize(uint32_t object, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(object), "r"(count));
}

__device__ void await(uint32_t object, int parity) {
  asm volatile(
      "{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(object), "r"(parity)
      : "memory");
}

__device__ void copy_tile(char* to, const char* from, int size, uint32_t object) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(size), "r"(object)
               : "memory");
}

extern "C" __global__ void __launch_bounds__(384) specialized(const char* a, const char* b, float* c, int n, int stages) {
  const int size_a = 128 * 128, size_b = 64 * 128, stage = size_a + size_b;
  __shared__ uint64_t objects[4];
  uint32_t full = shared_address(objects), empty = full + 16;
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; i++) {
      initialize(full + 8 * i, 1);
      initialize(empty + 8 * i, 2);
    }
    asm volatile("fence.proxy.async;");
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int i = 0; i < stages; i++) {
        await(empty + i % 2 * 8, (i / 2 & 1) ^ 1);
        uint32_t object = full + i % 2 * 8;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"(stage) : "memory");
        copy_tile(tiles + i % 2 * stage, a + (size_t)(blockIdx.y * stages + i) * size_a, size_a, object);
        copy_tile(tiles + i % 2 * stage + size_a, b + (size_t)(blockIdx.x * stages + i) * size_b, size_b, object);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[32];
    for (int i = 0; i < stages; i++) {
      await(full + i % 2 * 8, i / 2 & 1);
      char* own = tiles + i % 2 * stage;
      uint64_t of_a = along_k(own + (group - 1) * 64 * 128), of_b = along_k(own + size_a);
      fence();
      for (int j = 0; j < 4; j++) multiply(d, of_a + 2 * j, of_b + 2 * j, i + j > 0);
      commit();
      // The previous products are complete, so their stage may be overwritten.
      wait<1>();
      if (i > 0 && threadIdx.x % 128 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + (i - 1) % 2 * 8) : "memory");
    }
    wait<0>();
    store(c, d, blockIdx.y * 128 + (group - 1) * 64, blockIdx.x * 64, n);
  }
}

__device__ void copy_box(char* to, const CUtensorMap* map, int x, int y, uint32_t object) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(object)
      : "memory");
}

// Like `specialized`, but the matrices are tensors, which are read and written box by box.
extern "C" __global__ void __launch_bounds__(384)
    tensors(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int stages) {
  const int size_a = 128 * 128, stage = size_a + 64 * 128;
  __shared__ uint64_t objects[4];
  uint32_t full = shared_address(objects), empty = full + 16;
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&a));
    for (int i = 0; i < 2; i++) {
      initialize(full + 8 * i, 1);
      initialize(empty + 8 * i, 2);
    }
    asm volatile("fence.proxy.async;");
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int i = 0; i < stages; i++) {
        await(empty + i % 2 * 8, (i / 2 & 1) ^ 1);
        uint32_t object = full + i % 2 * 8;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"(stage) : "memory");
        copy_box(tiles + i % 2 * stage, &a, i * 64, blockIdx.y * 128, object);
        copy_box(tiles + i % 2 * stage + size_a, &b, i * 64, blockIdx.x * 64, object);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[32];
    for (int i = 0; i < stages; i++) {
      await(full + i % 2 * 8, i / 2 & 1);
      char* own = tiles + i % 2 * stage;
      uint64_t of_a = along_k(own + (group - 1) * 64 * 128), of_b = along_k(own + size_a);
      fence();
      for (int j = 0; j < 4; j++) multiply(d, of_a + 2 * j, of_b + 2 * j, i + j > 0);
      commit();
      wait<0>();
      if (threadIdx.x % 128 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + i % 2 * 8) : "memory");
    }
    float* result = (float*)(tiles + 2 * stage) + (group - 1) * 64 * 64;
    store(result, d, 0, 0, 64);
    asm volatile("fence.proxy.async; bar.sync %0, 128;" ::"r"(group));
    if (threadIdx.x % 128 == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c),
                   "r"(blockIdx.x * 64), "r"(blockIdx.y * 128 + (group - 1) * 64), "r"(shared_address(result))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
    }
  }
}
