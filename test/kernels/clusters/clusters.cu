// Kernels whose blocks work together in clusters. Built with
//   nvcc -arch=sm_90 -ptx -o clusters.sm_90.ptx clusters.cu
//   nvcc -arch=sm_90 -G -ptx -o clusters.sm_90.debug.ptx clusters.cu
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ unsigned in_block(unsigned address, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ void wait_for_first_phase(unsigned barrier) {
  asm volatile(
      "{ .reg .pred p;\n"
      "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra again; }" ::"r"(barrier) : "memory");
}

// Adds up values of all blocks of the cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) gather(unsigned *out) {
  __shared__ unsigned mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  cluster.sync();
  unsigned sum = 0;
  for (unsigned rank = 0; rank < cluster.num_blocks(); rank++)
    sum += cluster.map_shared_rank(mine, rank)[(threadIdx.x + rank) % 64];
  cluster.sync();
  out[blockIdx.x * 64 + threadIdx.x] = sum + 7 * cluster.block_rank() + 100000 * cluster.thread_rank();
}

// A histogram whose bins are spread over the blocks of a cluster of any size.
extern "C" __global__ void histogram(const unsigned char *in, int count, unsigned *bins, int per_block) {
  extern __shared__ unsigned own[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(cluster.map_shared_rank(own, in[i] / per_block) + in[i] % per_block, 1);
  cluster.sync();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * per_block + i], own[i]);
}

// Some threads exit before the others meet; arriving and waiting are apart; clusters have two dimensions.
extern "C" __global__ void __cluster_dims__(2, 2, 1) apart(unsigned *out) {
  __shared__ unsigned value;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned at = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) value = at;
  if (threadIdx.x >= 40) {
    out[at] = 7;
    return;
  }
  auto token = cluster.barrier_arrive();
  unsigned x = threadIdx.x;
  for (unsigned i = 0; i < 50 * (cluster.block_rank() + 1); i++) x = x * 1664525u + 1013904223u;
  cluster.barrier_wait(static_cast<decltype(token) &&>(token));
  unsigned *other = cluster.map_shared_rank(&value, (cluster.block_rank() + 1) % cluster.num_blocks());
  dim3 index = cluster.block_index(), extents = cluster.dim_blocks();
  out[at] = (*other * 10 + index.x + 2 * index.y + 4 * extents.x + 16 * extents.y +
             1000000 * cluster.query_shared_rank(other)) ^ (x & 0x80000000u);
  for (unsigned k = 0; k < 5; k++) {
    cluster.sync();
    if (threadIdx.x == 0) value += k;
    cluster.sync();
    if (threadIdx.x == k) out[at] += *other;
  }
  cluster.sync();
}

// Each thread sends a vector and a sum to the next block, which waits for the bytes.
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(unsigned *out) {
  __shared__ alignas(8) unsigned long long barrier;
  __shared__ alignas(16) unsigned inbox[128];
  __shared__ unsigned total;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned t = threadIdx.x, rank = cluster.block_rank(), next = (rank + 1) % 4;
  unsigned own = shared_address(&barrier);
  if (t == 0) {
    total = 0;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(own), "r"(blockDim.x * 20));
  }
  cluster.sync();
  unsigned there = in_block(own, next);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                   in_block(shared_address(inbox + 4 * t), next)),
               "r"(rank * 100 + t), "r"(rank), "r"(t), "r"(next), "r"(there)
               : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                   in_block(shared_address(&total), next)),
               "r"(t + rank), "r"(there)
               : "memory");
  wait_for_first_phase(own);
  unsigned at = 2 * (blockIdx.x * blockDim.x + t);
  out[at] = inbox[4 * t] + 10 * inbox[4 * t + 1] + 1000 * inbox[4 * t + 2] + 100000 * inbox[4 * t + 3];
  out[at + 1] = total;
  cluster.sync();
}

// Each block copies an array to the other one, and all its threads arrive at the barrier there.
extern "C" __global__ void __cluster_dims__(2, 1, 1) push(unsigned *out) {
  __shared__ alignas(16) unsigned inbox[64], array[64];
  __shared__ alignas(8) unsigned long long barrier;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned t = threadIdx.x, rank = cluster.block_rank(), other = rank ^ 1, own = shared_address(&barrier);
  array[t] = rank * 1000 + t;
  if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(own));
  cluster.sync();
  unsigned there = in_block(own, other);
  if (t == 0) {
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 256;" ::"r"(there));
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                     in_block(shared_address(inbox), other)),
                 "r"(shared_address(array)), "r"(there)
                 : "memory");
  }
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  wait_for_first_phase(own);
  unsigned in_cta, in_cluster;
  asm("{ .reg .pred p, q;\n"
      "isspacep.shared::cta p, %2;\n"
      "isspacep.shared::cluster q, %2;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "selp.u32 %1, 1, 0, q; }"
      : "=r"(in_cta), "=r"(in_cluster)
      : "l"((unsigned long long)cluster.map_shared_rank(inbox, other)));
  out[blockIdx.x * 64 + t] = inbox[63 - t] + 100000 * in_cta + 200000 * in_cluster;
  cluster.sync();
}
