/**
 * Functions of the CUDA device runtime library that compilers expect the linker to add: Numba, for example, calls them
 * to synchronize the blocks of a cooperative grid. nvcc generates its own code instead.
 */
import { once } from '../base/once.ts';
import { type CheckedModule, loadModule } from '../check/check.ts';

interface LibraryFunction {
  readonly name: string;
  readonly result: string;
  readonly parameters: string;
  readonly body: string;
}

/** Sets `%p` if the thread or block with this index is not the first. Overwrites `%x`, `%y` and `%z`. */
const isNotFirst = (index: '%tid' | '%ctaid'): string => `
  mov.u32 %x, ${index}.x;
  mov.u32 %y, ${index}.y;
  mov.u32 %z, ${index}.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.ne.u32 %p, %x, 0;`;

/**
 * The handle of a grid is the address of its workspace, which is 0 if the launch is not cooperative. The word at offset
 * 4 of the workspace is the barrier: when a block arrives, it adds 1, except for block 0, which adds 2^31 minus the
 * number of the other blocks. The highest bit therefore changes once all blocks have arrived.
 */
const functions: readonly LibraryFunction[] = [
  {
    name: 'cudaCGGetIntrinsicHandle',
    result: '.param .b64 handle',
    parameters: '.param .b32 scope',
    body: `
  .reg .b32 %low, %high;
  .reg .b64 %workspace;
  mov.u32 %high, %envreg1;
  mov.u32 %low, %envreg2;
  mov.b64 %workspace, {%low, %high};
  st.param.b64 [handle], %workspace;`,
  },
  {
    name: 'cudaCGSynchronize',
    result: '.param .b32 status',
    parameters: '.param .b64 handle, .param .b32 flags',
    body: `
  .reg .pred %p;
  .reg .b32 %x, %y, %z, %blocks, %before, %now;
  .reg .b64 %workspace;
  ld.param.u64 %workspace, [handle];
  setp.eq.u64 %p, %workspace, 0;
  @%p trap;
  barrier.sync 0;${isNotFirst('%tid')}
  @%p bra passed;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %y, %nctaid.y;
  mov.u32 %z, %nctaid.z;
  mul.lo.u32 %blocks, %blocks, %y;
  mul.lo.u32 %blocks, %blocks, %z;
  sub.u32 %blocks, 0x80000001, %blocks;${isNotFirst('%ctaid')}
  selp.b32 %x, 1, %blocks, %p;
  atom.release.gpu.global.add.u32 %before, [%workspace+4], %x;
waits:
  ld.acquire.gpu.global.u32 %now, [%workspace+4];
  xor.b32 %now, %now, %before;
  setp.ge.s32 %p, %now, 0;
  @%p bra waits;
passed:
  barrier.sync 0;
  st.param.b32 [status], 0;`,
  },
];

const text = ['.version 6.0\n.target sm_70\n.address_size 64']
  .concat(functions.map((fn) => `.visible .func (${fn.result}) ${fn.name}(${fn.parameters})\n{${fn.body}\n  ret;\n}`))
  .join('\n');

/** The library as a module. It is checked when it is needed for the first time. */
export const deviceLibrary: () => CheckedModule = once(() => {
  const { module } = loadModule(text);
  if (module === null) throw new Error('the device library has errors');
  return module;
});

export function isInLibrary(name: string): boolean {
  return functions.some((fn) => fn.name === name);
}
