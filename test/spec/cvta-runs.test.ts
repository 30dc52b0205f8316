/**
 * Checks the examples of cvta in section 9.7.9.20 of PTX ISA 9.1, and runs them with 64-bit and 32-bit addresses on
 * both engines.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { check } from '../../src/index.ts';
import { ways } from '../device/run.ts';

interface Example {
  readonly line: string;
  /**
   * Code that runs before the example. It stores 77 in a variable, or computes the address that the example converts.
   */
  readonly before?: string;
  /** Code that loads the value from the address that the example has computed. */
  readonly load: string;
  /** The register that contains the generic address. */
  readonly generic: string;
  readonly space: string;
}

const examples: readonly Example[] = [
  { line: 'cvta.const.u32   ptr,cvar;', load: 'ld.u32 v, [ptr];', generic: 'ptr', space: 'const' },
  {
    line: 'cvta.local.u32   ptr,lptr;',
    before: 'mov.u32 lptr, stack; st.local.u32 [stack], 77;',
    load: 'ld.u32 v, [ptr];',
    generic: 'ptr',
    space: 'local',
  },
  {
    line: 'cvta.shared::cta.u32  p,As+4;',
    before: 'st.shared.u32 [As+4], 77;',
    load: 'ld.u32 v, [p];',
    generic: 'p',
    space: 'shared',
  },
  {
    line: 'cvta.shared::cluster.u32 ptr, As;',
    before: 'st.shared.u32 [As], 77;',
    load: 'ld.u32 v, [ptr];',
    generic: 'ptr',
    space: 'shared::cluster',
  },
  {
    line: 'cvta.to.global.u32  p,gptr;',
    before: 'cvta.global.u32 gptr, gvar;',
    load: 'ld.global.u32 v, [p];',
    generic: 'gptr',
    space: 'global',
  },
  { line: 'cvta.param.u64   ptr,pvar;', load: 'ld.u32 v, [ptr];', generic: 'ptr', space: 'param' },
  {
    line: 'cvta.to.param::entry.u64  epptr, ptr;',
    before: 'cvta.param.u64 ptr, pvar;',
    load: 'ld.param.u32 v, [epptr];',
    generic: 'ptr',
    space: 'param',
  },
];

/**
 * A kernel that reads 77 through the address that the example computes. The kernel also tests whether the generic
 * address is in the expected window.
 */
function moduleOf({ line, before = '', load, generic, space }: Example, size: 32 | 64, addresses: 32 | 64): string {
  const sized = (text: string): string => text.replaceAll(/(cvta\.\S+\.u|mov\.u)(32|64)/g, `$1${size}`);
  return `.version 9.0
.target sm_90
.address_size ${addresses}
.const .u32 cvar = 77; .global .u32 gvar = 77;
.visible .entry k(.param .u${addresses} out, .param .u32 pvar) {
  .reg .u${size} ptr, p, lptr, gptr, epptr; .reg .u${addresses} to; .reg .u32 v, in; .reg .pred q;
  .shared .u32 As[2]; .local .u32 stack;
  ${sized(before)}
  ${sized(line)}
  ld.param.u${addresses} to, [out]; ${load} st.global.u32 [to], v;
  isspacep.${space} q, ${generic}; selp.u32 in, 1, 0, q; st.global.u32 [to+4], in;
  isspacep.${space === 'global' || space.startsWith('param') ? 'shared' : 'global'} q, ${generic}; selp.u32 in, 1, 0, q; st.global.u32 [to+8], in;
  ret;
}`;
}

const sizes = [
  { size: 64, addresses: 64 },
  { size: 32, addresses: 32 },
  { size: 32, addresses: 64 },
] as const;

describe.each(sizes)('.u$size in a module with addresses of $addresses bits', ({ size, addresses }) => {
  test.each(examples)('$line', async (example) => {
    const text = moduleOf(example, size, addresses);
    expect(check(text).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    for (const [way, options] of Object.entries(ways)) {
      const device = await Device.create();
      const out = device.alloc(12);
      const result = await device
        .load(text)
        .kernel('k')
        .launch({ args: [out, 77], ...options });
      expect(result, way).toMatchObject({ ok: true });
      expect([...new Uint32Array(out.read().buffer)], way).toEqual([77, 1, 0]);
    }
  });
});
