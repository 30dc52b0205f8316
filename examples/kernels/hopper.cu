// A matrix product for Hopper without a library: one warp copies boxes of A and B to shared memory (TMA), and two
// warpgroups multiply them (wgmma). Compiled by nvcc 13.0:
//   nvcc -arch=sm_90a -ptx hopper.cu -o hopper_sm90a.ptx
#include <cuda.h>
#include <stdint.h>

const int stages = 2, bytesOfA = 128 * 128, bytesOfB = 64 * 128, stageBytes = bytesOfA + bytesOfB;

__device__ uint32_t address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void await(uint32_t object, int parity) {
  asm volatile(
      "{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(object),
      "r"(parity)
      : "memory");
}

__device__ void copy(char* to, const CUtensorMap* map, int k, int row, uint32_t object) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          address(to)),
      "l"(map), "r"(k), "r"(row), "r"(object)
      : "memory");
}

// Describes a matrix whose rows of 128 bytes are swizzled; 8 rows take 1024 bytes.
__device__ uint64_t descriptor(const char* tile) {
  return ((uint64_t)(address(tile) & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
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

// C = A * B with A of M by K and B of N by K, both by rows, in f16. A block computes 128 by 64 elements of C.
extern "C" __global__ void __launch_bounds__(384)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int n, int steps) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ uint64_t objects[2 * stages];
  uint32_t full = address(objects), empty = address(objects + stages);
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; i++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * i));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(empty + 8 * i));
    }
    asm volatile("fence.proxy.async;");
  }
  __syncthreads();
  if (group == 0) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < steps; i++) {
      uint32_t at = i % stages, object = full + 8 * at;
      await(empty + 8 * at, (i / stages & 1) ^ 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"(stageBytes) : "memory");
      copy(tiles + at * stageBytes, &a, 64 * i, 128 * blockIdx.y, object);
      copy(tiles + at * stageBytes + bytesOfA, &b, 64 * i, 64 * blockIdx.x, object);
    }
    return;
  }
  float d[32];
  for (int i = 0; i < steps; i++) {
    uint32_t at = i % stages;
    await(full + 8 * at, i / stages & 1);
    const char* tile = tiles + at * stageBytes;
    uint64_t of_a = descriptor(tile + (group - 1) * 64 * 128), of_b = descriptor(tile + bytesOfA);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int j = 0; j < 4; j++) multiply(d, of_a + 2 * j, of_b + 2 * j, i + j > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % 128 == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + 8 * at) : "memory");
  }
  int lane = threadIdx.x % 32, row = 128 * blockIdx.y + 64 * (group - 1) + threadIdx.x / 32 % 4 * 16 + lane / 4;
  for (int i = 0; i < 32; i++) c[(row + i / 2 % 2 * 8) * n + 64 * blockIdx.x + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}
