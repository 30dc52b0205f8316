/**
 * Functions of the CUDA device runtime library that compilers expect the linker to add: Numba, for example, calls them to
 * synchronize the blocks of a cooperative grid. nvcc compiles the same to code of its own.
 */
import { type CheckedModule, loadModule } from '../check/check.ts';

/**
 * The handle of a grid is the address of its workspace, which is 0 if the launch is not cooperative. The word at offset 4
 * of the workspace is the barrier: with each arrival, block 0 adds what is left to 2^31, and every other block adds 1, so
 * the highest bit changes once all blocks have arrived.
 */
const text = `.version 6.0
.target sm_70
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %low, %high;
  .reg .b64 %workspace;
  mov.u32 %high, %envreg1;
  mov.u32 %low, %envreg2;
  mov.b64 %workspace, {%low, %high};
  st.param.b64 [handle], %workspace;
  ret;
}
.visible .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p;
  .reg .b32 %x, %y, %z, %blocks, %before, %now;
  .reg .b64 %workspace;
  ld.param.u64 %workspace, [handle];
  setp.eq.u64 %p, %workspace, 0;
  @%p trap;
  barrier.sync 0;
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %z, %tid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.ne.u32 %p, %x, 0;
  @%p bra passed;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %y, %nctaid.y;
  mov.u32 %z, %nctaid.z;
  mul.lo.u32 %blocks, %blocks, %y;
  mul.lo.u32 %blocks, %blocks, %z;
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %z, %ctaid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.eq.u32 %p, %x, 0;
  sub.u32 %blocks, 0x80000001, %blocks;
  selp.b32 %x, %blocks, 1, %p;
  atom.release.gpu.global.add.u32 %before, [%workspace+4], %x;
waits:
  ld.acquire.gpu.global.u32 %now, [%workspace+4];
  xor.b32 %now, %now, %before;
  setp.ge.s32 %p, %now, 0;
  @%p bra waits;
passed:
  barrier.sync 0;
  st.param.b32 [status], 0;
  ret;
}
`;

let loaded: CheckedModule | null = null;

/** The library as a module. It is checked when it is needed for the first time. */
export function deviceLibrary(): CheckedModule {
  if (loaded === null) {
    const { module } = loadModule(text);
    if (module === null) throw new Error('the device library has errors');
    loaded = module;
  }
  return loaded;
}

/** The names of the functions in the library. */
export const libraryNames: ReadonlySet<string> = new Set(['cudaCGGetIntrinsicHandle', 'cudaCGSynchronize']);
