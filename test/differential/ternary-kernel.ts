/**
 * A kernel that applies instructions to three numbers per thread, for tests that compare the two engines on many
 * operands.
 */

/** Number of threads per block. The total number of threads is a multiple of this number. */
export const ternaryBlock = 256;

/**
 * Returns a module with the kernel `ternary(from, to)`. The given instructions read %a, %b and %c and write %d. `from`
 * contains the values of a for all threads, followed by all values of b and then all values of c. `count` is the number
 * of threads.
 */
export function ternaryKernel(
  format: 'f32' | 'f64' | 'b16' | 'b32' | 'b64',
  count: number,
  instructions: string,
): string {
  const bytes = Number(format.slice(1)) / 8;
  return `
.version 8.6
.target sm_90
.address_size 64
.visible .entry ternary(.param .u64 from, .param .u64 to)
{
  .reg .${format} %a, %b, %c, %d;
  .reg .pred %p;
  .reg .u32 %i, %block;
  .reg .b64 %from, %to, %offset;
  ld.param.u64 %from, [from];
  ld.param.u64 %to, [to];
  mov.u32 %i, %tid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %i, %block, ${ternaryBlock}, %i;
  mul.wide.u32 %offset, %i, ${bytes};
  add.u64 %from, %from, %offset;
  add.u64 %to, %to, %offset;
  ld.global.${format} %a, [%from];
  ld.global.${format} %b, [%from + ${bytes * count}];
  ld.global.${format} %c, [%from + ${2 * bytes * count}];
  ${instructions}
  st.global.${format} [%to], %d;
  ret;
}`;
}
