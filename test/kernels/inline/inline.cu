// Instructions that compilers do not emit, through inline assembly; nvcc -std=c++17 -ptx -arch=compute_100a -DSUFFIX -DREDUX inline.cu
#include <cstdint>
#include <cuda_pipeline.h>
extern "C" __global__ void caches(uint32_t* g, uint64_t* o, float f) {
  __shared__ __align__(16) uint32_t s[64];
  uint32_t t = threadIdx.x; uint32_t sa = (uint32_t)__cvta_generic_to_shared(s + 4 * (t & 7));
  asm volatile("prefetch.global.L1 [%0];\n prefetch.global.L2 [%0];\n prefetch.L2 [%0];\n prefetchu.L1 [%0];\n prefetch.global.L2::evict_last [%0];\n prefetch.global.L2::evict_normal [%0];" :: "l"(g));
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;\n discard.global.L2 [%0], 128;" :: "l"(g));
  uint64_t p, q, r, w; asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, %1;" : "=l"(p) : "f"(f));
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(q));
  asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %0, [%1], %2, 0x100000;" : "=l"(r) : "l"(g), "r"(0x10000));
  asm volatile("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(w) : "l"(p));
  uint32_t v, v2; asm volatile("ldu.global.u32 %0, [%1];" : "=r"(v) : "l"(g)); asm volatile("ldu.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(v2) : "l"(g));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(sa), "l"(g + t));
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8, %2;" :: "r"(sa), "l"(g + 2 * t), "r"(t & 7));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" :: "r"(sa), "l"(g + 4 * t), "l"(p));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2, %3;" :: "r"(sa), "l"(g + 4 * t), "r"(t), "l"(p));
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }" :: "r"(sa), "l"(g + 4 * t), "r"(t));
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 1;\n cp.async.wait_all;");
  __pipeline_memcpy_async(s, g, 16); __pipeline_memcpy_async(s, g, 8, 4); __pipeline_commit(); __pipeline_wait_prior(0);
  asm volatile("pmevent 3;\n pmevent.mask 0x55;");
  o[t] = p + q + r + w + v + v2 + s[t];
}
#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
extern "C" __global__ void cluster(uint32_t* g) {
  __shared__ uint32_t s[4]; uint32_t a = (uint32_t)__cvta_generic_to_shared(s), b, c; uint64_t x;
  asm volatile("griddepcontrol.launch_dependents;\n griddepcontrol.wait;");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(b) : "r"(a), "r"(0)); asm volatile("mapa.u64 %0, %1, 0;" : "=l"(x) : "l"(s));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(c) : "r"(b)); asm volatile("getctarank.u64 %0, %1;" : "=r"(b) : "l"(x));
  cudaGridDependencySynchronize(); cudaTriggerProgrammaticLaunchCompletion();
#ifdef SUFFIX
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;\n setmaxnreg.dec.sync.aligned.u32 40;");
#endif
  g[0] = b + c;
}
#endif
#define OP(name, x) asm volatile(name " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); r ^= d;
extern "C" __global__ void video(const uint32_t* in, uint32_t* out) {
  uint32_t a = in[threadIdx.x * 3], b = in[threadIdx.x * 3 + 1], c = in[threadIdx.x * 3 + 2], d, r = 0;
  OP("vadd2.s32.s32.s32.sat",) OP("vsub4.u32.u32.u32.add",) OP("vavrg2.u32.u32.u32",) OP("vavrg4.s32.s32.s32.sat",) OP("vabsdiff4.u32.u32.u32.add",)
  OP("vmin2.s32.s32.s32",) OP("vmax4.u32.s32.u32",) OP("vset2.s32.u32.lt",) OP("vset4.u32.u32.ge.add",) OP("vmad.u32.u32.u32.shr7.sat",) OP("vmad.s32.s32.u32.po",)
  OP("vadd.s32.s32.s32.sat.min",) OP("vsub.u32.u32.u32.add",) OP("vabsdiff.s32.s32.s32.max",) OP("vset.s32.s32.ne.add",) OP("vshl.u32.u32.u32.clamp.add",)
  asm volatile("vadd.s32.s32.u32 %0.b1, %1.h1, %2.b3, %3;\n" : "=r"(d) : "r"(a), "r"(b), "r"(c)); r ^= d;
  asm volatile("vmin.s32.s32.u32 %0, %1.h1, %2.b3;\n" : "=r"(d) : "r"(a), "r"(b)); r ^= d;
  asm volatile("vmax.s32.s32.u32.sat %0.h0, %1, %2.b3, %3;\n" : "=r"(d) : "r"(a), "r"(b), "r"(c)); r ^= d;
  asm volatile("vshr.s32.s32.u32.wrap %0, %1.b1, %2.b3;\n" : "=r"(d) : "r"(a), "r"(b)); r ^= d;
  asm volatile("vmad.s32.s32.s32.sat.shr15 %0, -%1.b1, %2.h1, %3;\n vmad.s32.s32.u32 %0, %1, %2, -%3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); r ^= d;
  asm volatile("vadd4.u32.u32.u32 %0.b310, %1.b7654, %2.b0123, %3;\n vabsdiff2.s32.s32.s32.sat %0.h1, %1.h31, %2.h20, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); r ^= d;
  out[threadIdx.x] = r;
}
#if defined(REDUX)
extern "C" __global__ void redux(float* f) { float d; asm volatile("redux.sync.min.abs.NaN.f32 %0, %1, 0xffffffff;\n redux.sync.max.f32 %0, %0, 0xffffffff;" : "=f"(d) : "f"(f[threadIdx.x])); f[threadIdx.x] = d; }
#endif
