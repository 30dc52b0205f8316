/** A launch gets code for four threads if it is large, may loop for a long time, or is repeated often. */
import { expect, test } from 'vitest';
import { type KernelProgram, linkKernel } from '../../program/link.ts';
import { loadModule } from '../../check/check.ts';
import { FunctionTable } from '../../program/function-table.ts';
import { earnsFours, hasFours, paysOff, runsInFours } from './four-threads.ts';
import { shapeOf } from '../../../test/device/shape-of.ts';

function kernel(body: string): KernelProgram {
  const declarations = '.reg .pred %p1; .reg .b32 %r<4>; .reg .b128 %q1;';
  const text = `.version 8.3\n.target sm_70\n.address_size 64\n.visible .func f() { ret; }\n.visible .func g() { bar.sync 0; ret; }\n.visible .entry k() { ${declarations} ${body} ret; }`;
  const { module, report } = loadModule(text, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  return linkKernel(module, new FunctionTable(module), 'k', []);
}

const straight = kernel('add.u32 %r1, %r1, 1; add.u32 %r2, %r1, 1;');
const rounds = 'add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100;';
const loop = kernel(`bar.sync 0; again: ${rounds} @%p1 bra again;`);

test('code for four threads depends on the number of threads and instructions', () => {
  expect(earnsFours(straight, shapeOf(1, 128), 0)).toBe(false);
  expect(earnsFours(straight, shapeOf(2 ** 16, 128), 0)).toBe(true);
});

test('a loop is assumed to run for some rounds, or for very many if its threads never meet at a barrier', () => {
  expect(earnsFours(straight, shapeOf(2 ** 10, 128), 0)).toBe(false);
  expect(earnsFours(loop, shapeOf(1, 128), 0)).toBe(false);
  expect(earnsFours(loop, shapeOf(2 ** 10, 128), 0)).toBe(true);
  expect(earnsFours(kernel(`again: ${rounds} @%p1 bra again;`), shapeOf(1, 128), 0)).toBe(true);
});

test('nested loops are assumed to run for many more rounds', () => {
  const nested = kernel(
    `bar.sync 0; outer: mov.u32 %r1, 0; inner: ${rounds} @%p1 bra inner; add.u32 %r2, %r2, 1; @%p1 bra outer;`,
  );
  expect(earnsFours(loop, shapeOf(8, 1024), 0)).toBe(false);
  expect(earnsFours(nested, shapeOf(8, 1024), 0)).toBe(true);
});

const parts = Array.from(
  { length: 40 },
  (_, i) => `setp.eq.u32 %p1, %r1, ${i}; @%p1 bra L${i}; ${'div.u32 %r2, %r2, %r1;'.repeat(5)} L${i}:`,
);
const costly = kernel(`mov.u32 %r1, %tid.x; again: ${parts.join(' ')} ${rounds} @%p1 bra again;`);

test('a launch of several blocks starts without code that costs much, and finds out how long it takes', () => {
  expect(earnsFours(costly, shapeOf(2 ** 10, 128), 0)).toBe(false);
  expect(earnsFours(costly, shapeOf(2 ** 10, 128), 2 ** 28)).toBe(true);
  expect(paysOff(costly, 2 ** 24, 2 ** 24)).toBe(false);
  expect(paysOff(costly, 2 ** 24, 2 ** 28)).toBe(true);
  expect(paysOff(loop, 2 ** 20, 2 ** 24)).toBe(true);
});

test('a launch of few blocks cannot change its code for long', () => {
  expect(earnsFours(costly, shapeOf(4, 128), 0)).toBe(true);
});

test('a large launch uses code that is already compiled, whatever it cost; a small launch does not look for it', () => {
  expect(earnsFours(costly, shapeOf(2 ** 10, 128), 0, () => true)).toBe(true);
  const neverAsked = (): boolean => expect.fail('a small launch looked for code');
  expect(earnsFours(straight, shapeOf(1, 128), 0, neverAsked)).toBe(false);
});

test('instructions executed in earlier launches count as well', () => {
  expect(earnsFours(straight, shapeOf(1, 128), 2 ** 30)).toBe(true);
});

test('blocks whose row length is not a multiple of four get no such code', () => {
  expect(hasFours(shapeOf(1, 128))).toBe(true);
  expect(hasFours(shapeOf(1, 30))).toBe(false);
});

test('kernels with many calls at which threads part, or with 128-bit registers run one thread after the other', () => {
  expect(runsInFours(straight)).toBe(true);
  expect(runsInFours(kernel('call f;'))).toBe(true);
  expect(runsInFours(kernel('call f; '.repeat(49)))).toBe(true);
  expect(runsInFours(kernel('call g; '.repeat(49)))).toBe(false);
  expect(runsInFours(kernel('mov.b128 %q1, %q1;'))).toBe(false);
});
