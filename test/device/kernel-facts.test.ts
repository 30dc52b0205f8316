/**
 * Tests what is known about a kernel before it is launched: its parameters, its limits, and instructions that cannot be
 * executed.
 */
import { describe, expect, test } from 'vitest';
import { Device, type Kernel, type LaunchOptions, UnsupportedInstructionsError } from '../../src/device.ts';

async function kernelOf(text: string): Promise<Kernel> {
  const device = await Device.create();
  return device.load(`.version 9.0\n.target sm_100a\n.address_size 64\n${text}`).kernel('k');
}

test('parameters have names, types, sizes, alignments, offsets, and what is known about pointers', async () => {
  const kernel = await kernelOf(`.visible .entry k(
  .param .u32 n, .param .u64 .ptr .global .align 16 out, .param .u64 .ptr any, .param .align 16 .b8 s[24], .param .f64 x
) { ret; }`);
  expect(kernel.parameters).toEqual([
    { name: 'n', type: '.u32', dimensions: [], size: 4, align: 4, offset: 0, pointer: null },
    {
      name: 'out',
      type: '.u64',
      dimensions: [],
      size: 8,
      align: 8,
      offset: 8,
      pointer: { space: '.global', align: 16 },
    },
    { name: 'any', type: '.u64', dimensions: [], size: 8, align: 8, offset: 16, pointer: { space: null, align: null } },
    { name: 's', type: '.b8', dimensions: [24], size: 24, align: 16, offset: 32, pointer: null },
    { name: 'x', type: '.f64', dimensions: [], size: 8, align: 8, offset: 56, pointer: null },
  ]);
  expect(kernel.attributes.parameterSize).toBe(64);
});

describe('attributes', () => {
  test('without directives', async () => {
    const kernel = await kernelOf(
      '.visible .entry k() { .shared .align 4 .b8 tile[100]; .reg .u32 %r<2>; mov.u32 %r1, tile; ret; }',
    );
    expect(kernel.attributes).toMatchObject({ sharedSize: 100, requiredBlock: null, maxThreads: 1024, directives: [] });
  });

  test.each([
    ['.maxntid 64, 2', { requiredBlock: null, maxThreads: 128 }],
    ['.reqntid 32, 4', { requiredBlock: [32, 4, 1], maxThreads: 128 }],
    ['.minnctapersm 2 .maxntid 256', { maxThreads: 256 }],
  ])('with %s', async (header, expected) => {
    expect((await kernelOf(`.visible .entry k() ${header} { ret; }`)).attributes).toMatchObject(expected);
  });

  test('directives are listed as in the header', async () => {
    const kernel = await kernelOf('.visible .entry k() .maxntid 128, 1, 1 .maxnreg 32 { ret; }');
    expect(kernel.attributes.directives).toEqual([
      { name: '.maxntid', values: [128, 1, 1] },
      { name: '.maxnreg', values: [32] },
    ]);
  });
});

describe('instructions that no engine executes', () => {
  const shift = 'tcgen05.shift.cta_group::1.down [0];';
  const cases: readonly (readonly [string, string, readonly (readonly [string, number, number])[]])[] = [
    ['reached in a row', `mov.u32 %r1, 0;\n${shift}\n${shift}`, [['tcgen05.shift.cta_group::1.down', 6, 2]]],
    [
      'after a branch that may be taken',
      `setp.eq.u32 %p1, %r1, 0;\n@%p1 bra there;\nret;\nthere:\n${shift}`,
      [['tcgen05.shift.cta_group::1.down', 9, 1]],
    ],
    ['after a branch that is always taken', `bra there;\n${shift}\nthere:`, []],
    ['after the end', `ret;\n${shift}`, []],
    ['in a function that is called', 'call helper;', [['tcgen05.shift.cta_group::1.down', 4, 1]]],
    ['in a function that is not called', '', []],
  ];

  test.each(cases)('%s', async (_, body, expected) => {
    const helper = `.func helper() { .reg .b32 %r<2>; mov.u32 %r1, 0; ${shift} ret; }`;
    const kernel = await kernelOf(
      `${helper} .visible .entry k() { .reg .b32 %r<2>; .reg .pred %p<2>;\n${body}\nret; }`,
    );
    expect(kernel.unsupported.map(({ mnemonic, line, count }) => [mnemonic, line, count])).toEqual(expected);
    const launch = kernel.launch();
    if (expected.length === 0) return expect(await launch).toMatchObject({ ok: true });
    await expect(launch).rejects.toThrow(UnsupportedInstructionsError);
    await expect(launch).rejects.toMatchObject({
      code: 'unsupported-instructions',
      kernel: 'k',
      instructions: kernel.unsupported,
    });
  });

  test.each<readonly [LaunchOptions]>([[{ engine: 'interp' }], [{ engine: 'jit' }]])(
    'run until one is reached, if requested, %o',
    async (way) => {
      const kernel = await kernelOf(`.visible .entry k(.param .u32 n) { .reg .b32 %r<2>; .reg .pred %p<2>;
ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 bra there; ret;
there: ${shift} ret; }`);
      const guarded = await kernelOf(
        `.visible .entry k() { .reg .b32 %r<2>; .reg .pred %p<2>; setp.ne.u32 %p1, %r1, %r1; @%p1 ${shift} ret; }`,
      );
      expect(await guarded.launch({ ...way, unsupported: 'fault' })).toMatchObject({ ok: true });
      const outcome = (n: number): Promise<unknown> => kernel.launch({ ...way, args: [n], unsupported: 'fault' });
      expect(await outcome(1)).toMatchObject({ ok: true });
      expect(await outcome(0)).toMatchObject({ ok: false, fault: { code: 'PTX6030', line: 6 } });
    },
  );
});
