/**
 * A generic address refers to the same variable no matter how it was computed. This is tested in each state space, for
 * both address sizes, and on both engines.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ways } from '../device/run.ts';

const spaces = ['global', 'shared', 'local', 'const', 'param'] as const;

/**
 * How the address is computed: from a name and an offset, from an offset in a register, or as the initial value of a
 * variable.
 */
const origins = ['name', 'register', 'initializer'] as const;

const pointer = fc.record({
  space: fc.constantFrom(...spaces),
  size: fc.constantFrom(32, 64),
  origin: fc.constantFrom(...origins),
  element: fc.nat(3),
  /** This amount is subtracted from the address, and the access adds it back as an offset. */
  detour: fc.integer({ min: -64, max: 64 }),
  back: fc.boolean(),
});

const addresses = fc.constantFrom(32, 64);

type Pointer = typeof pointer extends fc.Arbitrary<infer T> ? T : never;

/** The value of an element of the variable in the given state space. */
const valueOf = (space: Pointer['space'], element: number): number => 100 * (1 + spaces.indexOf(space)) + element;

const values = (space: Pointer['space']): number[] => [0, 1, 2, 3].map((i) => valueOf(space, i));

function read({ space, size, origin, element, detour, back }: Pointer, i: number): string {
  const [g, o] = [`g${size}`, `o${size}`];
  const name = space === 'param' ? 'pvar' : `${space}Var`;
  const fromMemory = origin === 'initializer' && (space === 'global' || space === 'const');
  const made = fromMemory
    ? `ld.global.u${size} ${g}, [${space}At${size}]; add.u${size} ${g}, ${g}, ${4 * element};`
    : origin === 'register'
      ? `mov.u${size} ${o}, ${name}; add.u${size} ${o}, ${o}, ${4 * element}; cvta.${space}.u${size} ${g}, ${o};`
      : `cvta.${space}.u${size} ${g}, ${name}+${4 * element};`;
  const load = back
    ? `cvta.to.${space}.u${size} ${o}, ${g}; ld.${space}.u32 v, [${o}];`
    : `ld.u32 v, [${g}+${detour}];`;
  const moved = back ? '' : `sub.u${size} ${g}, ${g}, ${detour};`;
  return `${made} isspacep.${space} q, ${g}; ${moved} ${load} selp.u32 v, v, 0, q; st.global.u32 [to+${4 * i}], v;`;
}

function moduleOf(pointers: readonly Pointer[], bits: number): string {
  const fill = (space: 'shared' | 'local'): string =>
    values(space)
      .map((value, i) => `st.${space}.u32 [${space}Var+${4 * i}], ${value};`)
      .join(' ');
  return `.version 9.0
.target sm_90
.address_size ${bits}
.global .u32 globalVar[4] = {${values('global').join(', ')}}; .const .u32 constVar[4] = {${values('const').join(', ')}};
.global .u32 globalAt32 = generic(globalVar); .global .u64 globalAt64 = generic(globalVar);
.global .u32 constAt32 = generic(constVar); .global .u64 constAt64 = generic(constVar);
.visible .entry k(.param .u${bits} out, .param .align 4 .b8 pvar[16]) {
  .reg .u32 g32, o32, v; .reg .u64 g64, o64; .reg .u${bits} to; .reg .pred q;
  .shared .u32 sharedVar[4]; .local .u32 localVar[4];
  ld.param.u${bits} to, [out]; ${fill('shared')} ${fill('local')}
  ${pointers.map(read).join('\n  ')}
  ret;
}`;
}

test('a generic address refers to its variable', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pointer, { minLength: 1, maxLength: 8 }), addresses, async (pointers, bits) => {
      const text = moduleOf(pointers, bits);
      const parameter = new Uint8Array(Uint32Array.from(values('param')).buffer);
      for (const [way, options] of Object.entries(ways)) {
        const device = await Device.create({ memory: 1 << 20 });
        const out = device.alloc(4 * pointers.length);
        const kernel = device.load(text).kernel('k');
        const result = await kernel.launch({ args: [out, parameter], ...options });
        expect(result, way).toMatchObject({ ok: true });
        const expected = pointers.map(({ space, element }) => valueOf(space, element));
        expect([...new Uint32Array(out.read().buffer)], way).toEqual(expected);
      }
    }),
    { numRuns: 60 },
  );
});
