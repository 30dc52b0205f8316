// Instructions of the asynchronous units that have no function in CUDA, and textures.
#include <cstdint>

__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ bool tryWait(uint32_t barrier, uint32_t phase) {
    uint32_t done;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(barrier), "r"(phase) : "memory");
    return done != 0;
}

extern "C" __global__ void textures(cudaTextureObject_t image, cudaTextureObject_t volume, cudaSurfaceObject_t out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = tex2D<float4>(image, x + 0.5f, 0.5f);
    float b = tex3D<float>(volume, x, 1, 2);
    float4 c = tex2DLod<float4>(image, x, 1, 0.5f);
    float4 d = tex2Dgather<float4>(image, x, 2, 1);
    float e = tex2DGrad<float>(image, x, 2, make_float2(0.1f, 0.2f), make_float2(0.3f, 0.4f));
    bool resident;
    float4 f = tex2D<float4>(image, x, 3, &resident);
    uint4 old;
    surf2Dread(&old, out, x * 16, n);
    old.x += a.x + b + c.y + d.z + e + (resident ? f.w : 0);
    surf2Dwrite(old, out, x * 16, 0, cudaBoundaryModeClamp);
}

#if __CUDA_ARCH_FEAT_SM90_ALL
extern "C" __global__ void wgmma(float *out, uint64_t a, uint64_t b) {
    float d[8] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 1;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "l"(a), "l"(b), "r"((int)threadIdx.x));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 8; i++) out[threadIdx.x * 8 + i] = d[i];
}

extern "C" __global__ void bulk(const __grid_constant__ uint64_t map, const float *in, float *out, int x, int y) {
    __shared__ alignas(128) float tile[1024];
    __shared__ uint64_t barrier;
    uint32_t b = sharedAddress(&barrier), t = sharedAddress(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.proxy.async.shared::cta;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(4096));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"(t), "l"(&map), "r"(x), "r"(y), "r"(b) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(t), "l"(in), "r"(4096), "r"(b) : "memory");
    }
    while (!tryWait(b, 0)) {}
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(t), "r"(4096) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;");
}

extern "C" __global__ void maps(uint64_t *map, void *data) {
    __shared__ alignas(128) uint64_t copy[16];
    uint32_t s = sharedAddress(copy);
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(s), "l"(data));
    asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(s));
    asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s), "r"(64));
    asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" ::"r"(s));
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(map), "r"(s) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}
#endif

#if __CUDA_ARCH_FEAT_SM100_ALL
extern "C" __global__ void tcgen05(uint32_t *out, uint64_t a, uint64_t b, uint32_t kind) {
    __shared__ uint32_t place;
    __shared__ uint64_t barrier;
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(sharedAddress(&place)));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    __syncthreads();
    uint32_t d = place;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&barrier)));
        asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(d), "l"(a));
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(d), "l"(a), "l"(b), "r"(kind), "r"(0));
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(sharedAddress(&barrier)));
    }
    while (!tryWait(sharedAddress(&barrier), 0)) {}
    asm volatile("tcgen05.fence::after_thread_sync;");
    uint32_t r[4];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(d));
    asm volatile("tcgen05.wait::ld.sync.aligned;");
    asm volatile("tcgen05.st.sync.aligned.32x32b.x2.b32 [%0], {%1, %2};" ::"r"(d + 8), "r"(r[0]), "r"(r[1]));
    asm volatile("tcgen05.wait::st.sync.aligned;");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(d));
    for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = r[i];
}

extern "C" __global__ void cancel(uint32_t *out) {
    __shared__ alignas(16) uint4 answer;
    __shared__ uint64_t barrier;
    uint32_t at = sharedAddress(&answer), b = sharedAddress(&barrier), taken, x, y, z, w;
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(at), "r"(b) : "memory");
    while (!tryWait(b, 0)) {}
    asm volatile("{\n.reg .pred p;\n.reg .b128 h;\nld.shared.b128 h, [%5];\n"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h;\nselp.u32 %0, 1, 0, p;\n"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, %4}, h;\n}"
                 : "=r"(taken), "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at));
    out[threadIdx.x] = taken + x + y + z + w;
}
#endif
