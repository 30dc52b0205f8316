/**
 * Tests groups of memory accesses for which the fast engine makes a single check, either because their addresses differ
 * only by constants or because four threads make them at once. Random groups of such accesses are generated, some of
 * which extend past the end of the memory that they access. Both engines must leave the same bytes in memory, and must
 * report the same fault if there is one.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { RandomSource } from '../differential/random-source.ts';
import { moduleOf, ways } from './run.ts';

const sizes = { u8: 1, u16: 2, u32: 4, u64: 8, 'v2.u32': 8, 'v4.u32': 16 } as const;

const registers: Readonly<Record<keyof typeof sizes, string>> = {
  u8: '%r10',
  u16: '%r10',
  u32: '%r10',
  u64: '%rd10',
  'v2.u32': '{%r10, %r11}',
  'v4.u32': '{%r10, %r11, %r12, %r13}',
};

/** Size of the buffer and of shared memory in bytes. */
const [global, shared] = [1552, 512];

/**
 * The kinds of accesses that a kernel can make. With each kind of access, the kernel's result does not depend on the
 * order in which threads run.
 */
type Kind = 'loads' | 'stores of one value' | 'own bytes';

/** The threads fill 512 bytes of shared memory, and then access random addresses in or near global or shared memory. */
function bodyOf(random: RandomSource): string {
  const type = random.pick(['u8', 'u16', 'u32', 'u32', 'u64', 'v2.u32', 'v4.u32'] as const);
  const kind: Kind = random.pick(['loads', 'loads', 'stores of one value', 'own bytes']);
  const space = random.pick(['global', 'shared', 'shared', 'generic global', 'generic shared'] as const);
  return [
    'ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd4, %r1; ld.param.u64 %rd5, [sums]; add.u64 %rd4, %rd4, %rd5;',
    'mul.lo.u32 %r3, %r1, 16; mov.u32 %r4, s; add.u32 %r4, %r4, %r3;',
    'st.shared.v4.u32 [%r4], {%r1, %r3, %r4, %r1}; bar.sync 0;',
    ['%r10', '%r11', '%r12', '%r13'].map((register) => `mov.u32 ${register}, 0x7a7a7a7a;`).join(' '),
    'mov.u64 %rd10, 0x7a7a7a7a7a7a7a7a; mov.u32 %r9, 0;',
    kind !== 'own bytes' && random.percent(30) ? 'ld.global.u8 %r1, [%rd4]; and.b32 %r1, %r1, 31;' : '',
    ...addressLines(random, kind, space, sizes[type]),
    ...accessLines(random, kind, space, type),
    'mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; ld.param.u64 %rd1, [sums]; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3+32], %r9;',
  ].join('\n');
}

/** Sets %r2 and %rd2. */
function addressLines(random: RandomSource, kind: Kind, space: string, size: number): readonly string[] {
  const stride = kind === 'own bytes' ? 48 : random.pick([size, size, size, 0, 2 * size, 48, -size, 3]);
  const inShared = space.endsWith('shared');
  const end = inShared ? shared : global;
  const last = end - 31 * Math.abs(stride);
  const starts = [0, 16, 64, last - size, last - 2 * size, last - 5 * size, -16, 4];
  const start = kind === 'own bytes' ? random.pick([0, 0, 0, -16 * 48, 16]) : random.pick(starts);
  return [
    `mov.u32 %r2, ${inShared ? 's' : 0}; mad.lo.s32 %r2, %r1, ${stride}, %r2; add.s32 %r2, %r2, ${start};`,
    inShared
      ? 'cvt.u64.u32 %rd2, %r2; cvta.shared.u64 %rd2, %rd2;'
      : 'cvt.s64.s32 %rd2, %r2; add.u64 %rd2, %rd2, %rd1;',
  ];
}

/** Generates the lines that perform the accesses. Some of the accesses use a different base register. */
function accessLines(random: RandomSource, kind: Kind, space: string, type: keyof typeof sizes): readonly string[] {
  const size = sizes[type];
  const step = random.pick([size, size, 2 * size, 64, 160, 3]);
  const [family, base] = space === 'shared' ? ['32', '%r'] : ['64', '%rd'];
  const suffix = space.startsWith('generic') ? '' : `.${space}`;
  return Array.from({ length: random.below(6) + 1 }, (_, i) => {
    const near = random.below(48 / size) * size;
    const offset = kind === 'own bytes' ? near : random.pick([i * step, i * step, -i * step, near, 0]);
    const isMoved = random.percent(25);
    const moved = isMoved ? `add.u${family} ${base}5, ${base}2, ${offset}; ` : '';
    const address = isMoved ? `[${base}5]` : `[${base}2+${offset}]`;
    const store = `${moved}st${suffix}.${type} ${address}, ${registers[type]};`;
    if (kind === 'stores of one value') return store;
    if (kind === 'own bytes' && random.percent(50)) return store;
    const used = type === 'u64' ? 'cvt.u32.u64 %r10, %rd10; ' : '';
    return `${moved}ld${suffix}.${type} ${registers[type]}, ${address}; ${used}add.u32 %r9, %r9, %r10;`;
  });
}

const seeds = 120;

test(`${seeds} random groups of accesses give the same results on both engines`, async () => {
  let faults = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const body = bodyOf(new RandomSource(seed));
    const module = `.shared .align 16 .b8 s[${shared}];`;
    const device = await Device.create();
    const kernel = device.load(moduleOf({ body, module, parameters: '.param .u64 out, .param .u64 sums' })).kernel('k');
    const seen = [];
    for (const options of Object.values(ways)) {
      const out = device.alloc(Uint8Array.from({ length: global }, (_, i) => i * 37));
      const sums = device.alloc(Uint8Array.from({ length: 32 + 128 }, (_, i) => i * 11));
      const result = await kernel.launch({ block: 32, args: [out, sums], ...options });
      if (!result.ok) faults++;
      seen.push(result.ok ? [...out.read(), ...sums.read()] : 'fault');
      for (const buffer of [out, sums]) buffer.free();
    }
    const [first, ...others] = seen;
    for (const other of others) expect(other, body).toEqual(first);
  }
  // Both faults and successful launches must be common, because the test has to cover both.
  expect(faults).toBeGreaterThan(seeds / 3);
  expect(faults).toBeLessThan(seeds * 2.5);
});
