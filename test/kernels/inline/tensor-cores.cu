// Inline assembly for tensor cores in the manner of template libraries, to test `ptxlab check`; it is not compiled.
#include <cstdint>
namespace mm {
struct Mma {
  __device__ static void fma(float &d0, float &d1, float &d2, float &d3, uint32_t const &a0, uint32_t const &a1, uint32_t const &a2, uint32_t const &a3, uint32_t const &b0, uint32_t const &b1, float const &c0, float const &c1, float const &c2, float const &c3) {
#if defined(MMA_ENABLED)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,  %1,  %2,  %3},"
        "{%4,  %5,  %6,  %7},"
        "{%8,  %9},"
        "{%10, %11, %12, %13};\n"
        : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c0), "f"(c1), "f"(c2), "f"(c3));
#endif
  }
};
__device__ inline void wait(uint64_t *bar, uint32_t phase) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile(
      "{\n"
      ".reg .pred       P1;\n"
      "LAB_WAIT: \n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra     LAB_WAIT;\n"
      "DONE: \n"
      "}"
      :: "r"(addr), "r"(phase));
}
__device__ inline void tma(void const *desc, uint64_t *mbar, void *smem, int c0, int c1) {
  uint64_t d = reinterpret_cast<uint64_t>(desc);
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%3, %4}], [%2], %5;"
      : : "r"(1u), "l"(d), "r"(2u), "r"(c0), "r"(c1), "l"(uint64_t(0)) : "memory");
}
template <int N> __device__ inline void cp_async_wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }
template <int N> __device__ void wgmma_wait() { static_assert(N >= 0 && N <= 7); asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(N) : "memory"); }
__device__ inline bool elect() {
  uint32_t pred = 0, laneid = 0;
  asm volatile("{\n.reg .b32 %%rx;\n.reg .pred %%px;\n     elect.sync %%rx|%%px, %2;\n@%%px mov.s32 %1, 1;\n     mov.s32 %0, %%rx;\n}\n" : "+r"(laneid), "+r"(pred) : "r"(0xFFFFFFFF));
  return pred;
}
__device__ void wg(float (&d)[4], uint64_t da, uint64_t db, int scaleD) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, %7, %8, %9, %10;\n}\n" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db), "r"(scaleD), "n"(1), "n"(1), "n"(0), "n"(1));
}
}
