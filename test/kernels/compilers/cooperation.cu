#include <cuda/ptx>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
__global__ void pipe(const float4* in, float4* out, int n) {
  __shared__ float4 buf[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto block = cg::this_thread_block();
  auto p = cuda::make_pipeline(block, &st);
  for (int i = 0; i < n; i++) {
    p.producer_acquire();
    cuda::memcpy_async(block, buf[i&1], in + i*128, cuda::aligned_size_t<16>(sizeof(float4)*128), p);
    p.producer_commit();
    p.consumer_wait();
    out[i*128+threadIdx.x] = buf[i&1][threadIdx.x];
    p.consumer_release();
  }
}
__global__ void bar(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x==0) init(&b, blockDim.x);
  __syncthreads();
  auto t = b.arrive();
  b.wait(std::move(t));
  b.arrive_and_wait();
  out[threadIdx.x]=1;
}
__global__ void groups(int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  auto act = cg::coalesced_threads();
  int v = threadIdx.x;
  out[0] = cg::reduce(tile, v, cg::plus<int>());
  out[1] = cg::reduce(act, v, cg::greater<int>());
  out[2] = cg::inclusive_scan(tile, v);
  out[3] = cg::exclusive_scan(act, v);
  out[4] = tile.match_any(v); out[5] = tile.any(v>3); out[6]= act.shfl(v, 1);
  auto lp = cg::labeled_partition(act, v & 3); out[7] = lp.size();
  auto bp = cg::binary_partition(tile, v & 1); out[8] = bp.thread_rank();
  cg::invoke_one(block, [&]{ out[9] = 1; });
  auto g = cg::this_grid(); g.sync(); out[10] = g.thread_rank();
}
__global__ void scans(double* d, float* f, long long* l) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  d[0] = cg::reduce(tile, d[threadIdx.x], cg::plus<double>());
  f[0] = cg::reduce(tile, f[threadIdx.x], cg::less<float>());
  l[0] = cg::reduce(tile, l[threadIdx.x], cg::bit_xor<long long>());
}
#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2,1,1) clus(int* out) {
  extern __shared__ int sm[];
  auto c = cg::this_cluster();
  c.sync();
  int* r = c.map_shared_rank(sm, 1);
  r[threadIdx.x] = c.block_rank();
  auto t = c.barrier_arrive(); c.barrier_wait(std::move(t));
  out[0] = c.query_shared_rank(sm) + c.num_blocks() + c.dim_blocks().x;
  atomicAdd(r, 1);
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
}
__global__ void tma(int* g, uint64_t* o) {
  __shared__ alignas(128) int s[256];
  __shared__ uint64_t b;
  if (threadIdx.x == 0) { ptx::mbarrier_init(&b, 1); ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); ptx::fence_proxy_async(ptx::space_shared);
   ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, g, 1024, &b);
   ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b, 1024); }
  while (!ptx::mbarrier_try_wait_parity(&b, 0)) ;
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, g, s, 1024); ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{}); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, g, s, 1024);
  o[0]=ptx::get_sreg_clock64(); 
}
__global__ void gdc() { cudaGridDependencySynchronize(); cudaTriggerProgrammaticLaunchCompletion(); }
#endif
