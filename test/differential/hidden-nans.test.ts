/**
 * Tests the bits of NaNs that pass through a chain of f32 instructions. In code for four threads at a time, only the
 * last result of a chain has the bits that PTX prescribes. The expected results come from the reference engine.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ternaryBlock, ternaryKernel } from './ternary-kernel.ts';

const patterns = [
  0x7f81_2345, 0xff81_2345, 0x7fc0_0001, 0xffff_ffff, 0x7fff_ffff, 0x7f80_0000, 0xff80_0000, 0, 0x8000_0000,
  0x3f80_0000, 0x0000_0001,
];

/** Every combination of three patterns. The inputs of the last threads are zeros. */
const triples = patterns.flatMap((a) => patterns.flatMap((b) => patterns.map((c) => [a, b, c] as const)));
const count = Math.ceil(triples.length / ternaryBlock) * ternaryBlock;

const operands = new Uint32Array(3 * count);
triples.forEach((triple, i) => triple.forEach((bits, operand) => operands.set([bits], operand * count + i)));

const chains: Readonly<Record<string, string>> = {
  'a chain': `
    fma.rn.f32 %d, %a, %b, %c;
    fma.rn.f32 %d, %d, %b, %a;
    add.f32 %d, %d, %c;`,
  'a chain that flushes subnormals': `
    mul.ftz.f32 %d, %a, %b;
    fma.rn.ftz.f32 %d, %d, %c, %a;`,
  'a result that is stored between': `
    mul.f32 %d, %a, %b;
    st.global.f32 [%to], %d;
    sub.f32 %c, %d, %c;
    ld.global.f32 %d, [%to];
    selp.f32 %d, %c, %d, 1;`,
  'a result that stays if the guard of the next instruction is false': `
    setp.eq.u32 %p, %block, 0;
    add.f32 %d, %a, %b;
    @%p mul.f32 %d, %d, %c;`,
  'a guarded result that arithmetic reads': `
    setp.eq.u32 %p, %block, 0;
    mov.f32 %d, %c;
    @%p add.f32 %d, %a, %b;
    sub.f32 %d, %d, %a;`,
  'a result that is only compared': `
    mul.f32 %d, %a, %b;
    setp.num.f32 %p, %d, %c;
    selp.f32 %d, %a, %c, %p;`,
  'a copy of a result': `
    add.f32 %a, %a, %b;
    mov.f32 %d, %a;
    sub.f32 %a, %a, %c;`,
  'bits of a result': `
    .reg .b32 %bits;
    add.f32 %a, %a, %b;
    mov.b32 %bits, %a;
    and.b32 %bits, %bits, 0x803fffff;
    mul.f32 %a, %a, %c;
    mov.b32 %d, %bits;`,
  'the sign of a result': `
    mul.f32 %a, %a, %b;
    neg.f32 %d, %a;
    abs.f32 %a, %a;
    mul.f32 %d, %d, %a;
    neg.f32 %d, %d;`,
  'the smaller of a result and another value': `
    add.f32 %a, %a, %b;
    min.f32 %d, %a, %c;`,
  'a result that another path reads': `
    add.f32 %d, %a, %b;
    setp.gt.f32 %p, %a, 0f00000000;
    @%p bra done;
    mul.f32 %d, %d, %c;
    done:`,
  'a result that a loop carries': `
    .reg .u32 %round;
    mov.u32 %round, 0;
    mov.f32 %d, %c;
    again:
    fma.rn.f32 %d, %d, %a, %b;
    fma.rn.f32 %d, %d, %b, %a;
    add.u32 %round, %round, 1;
    setp.lt.u32 %p, %round, 3;
    @%p bra again;`,
};

test.each(Object.entries(chains))('%s', async (_, instructions) => {
  const device = await Device.create();
  const kernel = device.load(ternaryKernel('f32', count, instructions)).kernel('ternary');
  const from = device.alloc(operands);
  const results: unknown[] = [];
  for (const way of [{ engine: 'interp' }, { simd: true }, { simd: false }] as const) {
    const to = device.alloc(4 * count);
    const ended = await kernel.launch({ ...way, grid: count / ternaryBlock, block: ternaryBlock, args: [from, to] });
    expect(ended).toMatchObject({ ok: true });
    results.push(to.read('u32'));
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});
