/** A kernel that copies a part of a tensor between global and shared memory. */

/** The size in bytes of the largest part that fits into the kernel's shared memory. */
export const mostBoxBytes = 4096;

interface BoxKernel {
  /** The number of dimensions of the tensor, which is also the number of coordinates. */
  readonly dimensions: number;
  /** Whether the part is copied to shared memory. */
  readonly isLoad: boolean;
  /** The mode of the copy, such as `.im2col`. Default: `.tile`. */
  readonly mode?: string;
  /** The number of im2col offsets. */
  readonly offsets?: number;
}

/**
 * The kernel `k` copies a part of a tensor to shared memory and from there to a buffer, or in the opposite direction.
 * The first argument is the tensor map, and the second is the buffer. The other arguments are the size of the part in
 * shared memory, the number of bytes that arrive at the mbarrier object, the coordinates, and the offsets.
 */
export function boxKernel({ dimensions, isLoad, mode = '.tile', offsets = 0 }: BoxKernel): string {
  const numbered = (prefix: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const coordinates = numbered('c', dimensions);
  const moved = numbered('o', offsets);
  const list = coordinates.map((name) => `%${name}`).join();
  const distances = offsets === 0 ? '' : `, {${moved.map((name) => `%${name}`).join()}}`;
  const part = `cp.async.bulk.tensor.${dimensions}d`;
  const move = (of: string): string =>
    `mov.u32 %r4, 0; mov.u64 %rd5, %rd2; mov.u32 %r5, tile;
${of}: ${
      of === 'out'
        ? 'ld.shared.b32 %r6, [%r5]; st.global.b32 [%rd5], %r6;'
        : 'ld.global.b32 %r6, [%rd5]; st.shared.b32 [%r5], %r6;'
    } add.u32 %r4, %r4, 4; add.u64 %rd5, %rd5, 4; add.u32 %r5, %r5, 4; setp.lt.u32 %p1, %r4, %r3; @%p1 bra ${of};`;
  const load = `mbarrier.init.shared::cta.b64 [object], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], %r7;
${part}.shared::cluster.global${mode}.mbarrier::complete_tx::bytes [tile], [%rd3, {${list}}], [object]${distances};
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [object], 0; @!%p1 bra wait; ${move('out')}`;
  const store = `${move('in')} fence.proxy.async;
${part}.global.shared::cta${mode}.bulk_group [%rd3, {${list}}], [tile];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;`;
  return `.version 8.4
.target sm_90
.address_size 64
.shared .align 1024 .b8 tile[${mostBoxBytes}];
.shared .align 8 .b64 object;
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 box, .param .u32 size, .param .u32 arriving, ${[
    ...coordinates.map((name) => `.param .s32 ${name}`),
    ...moved.map((name) => `.param .u16 ${name}`),
  ].join(', ')}) {
.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b32 %c<5>; .reg .b16 %o<3>; .reg .b64 %rd<8>;
mov.b64 %rd1, map; cvta.param.u64 %rd3, %rd1; ld.param.u64 %rd2, [box]; ld.param.u32 %r3, [size];
ld.param.u32 %r7, [arriving];
${coordinates.map((name) => `ld.param.s32 %${name}, [${name}];`).join(' ')}
${moved.map((name) => `ld.param.u16 %${name}, [${name}];`).join(' ')}
${isLoad ? load : store}
ret; }
`;
}
