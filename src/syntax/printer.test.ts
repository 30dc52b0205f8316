import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseInstruction, parseModule } from './parser.ts';
import { printInstruction, printModule } from './printer.ts';

const kernels = new URL('../../examples/kernels/', import.meta.url);
const verdicts = new URL('../../test/golden/syntax/verdicts.jsonl', import.meta.url);
const header = '.version 9.0\n.target sm_100a\n.address_size 64\n';

/** A tree with its offsets removed. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([key]) => !/^(span|start|end|\w+Start|\w+End)$/.test(key));
  return Object.fromEntries(fields.map(([key, field]) => [key, shape(field)]));
}

function expectRoundTrip(source: string): void {
  const { items } = parseModule(source);
  const text = printModule(items);
  const again = parseModule(text);
  expect(again.diagnostics).toEqual([]);
  expect(shape(again.items)).toEqual(shape(items));
  expect(printModule(again.items)).toBe(text);
}

function printed(instruction: string): string | null {
  const parsed = parseInstruction(instruction).instruction;
  return parsed === null ? null : printInstruction(parsed);
}

describe('printed text parses back to the same tree', () => {
  it.each(readdirSync(kernels).filter((name) => name.endsWith('.ptx')))('%s', (name) => {
    expectRoundTrip(readFileSync(new URL(name, kernels), 'utf8'));
  });

  const lines = readFileSync(verdicts, 'utf8').trim().split('\n');
  const accepted = lines.map((line) => JSON.parse(line) as { scope: string; text: string; ptxas: string });
  it.each(accepted.filter(({ scope, ptxas }) => scope !== 'file' && ptxas === 'reads'))('$text', ({ scope, text }) => {
    const source = scope === 'module' ? `${header}${text}\n` : `${header}.func f() {\n${text}\n}\n`;
    const { diagnostics } = parseModule(source);
    if (diagnostics.every((diagnostic) => diagnostic.severity !== 'error')) expectRoundTrip(source);
  });
});

describe('an instruction has one canonical spelling', () => {
  it.each([
    ['@ ! %p1 ld .global .v2.f32{%f1,%f2},[%rd1 + 8]', '@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8];'],
    ['mov.b32 %r1, 0x1F + 017', 'mov.b32 %r1, 46;'],
    ['mov.b64 %rd1, ~0', 'mov.b64 %rd1, 18446744073709551615;'],
    ['mov.b64 %rd1, 5U', 'mov.b64 %rd1, 5U;'],
    ['mov.b64 %rd1, -9223372036854775807-1', 'mov.b64 %rd1, (-9223372036854775807-1);'],
    ['mov.f64 %fd1, 1e3', 'mov.f64 %fd1, 1000.0;'],
    ['mov.f64 %fd1, -.5', 'mov.f64 %fd1, -0.5;'],
    ['mov.f64 %fd1, -0.0', 'mov.f64 %fd1, -0.0;'],
    ['mov.f64 %fd1, 1e300*1e300', 'mov.f64 %fd1, (1e308*10.0);'],
    ['mov.f32 %f1, 0F7fc00000', 'mov.f32 %f1, 0f7FC00000;'],
    ['mov.u32 %r1, a[ 2 ]', 'mov.u32 %r1, a[2];'],
    ['mov.u32 %r1, a + -4', 'mov.u32 %r1, a+-4;'],
    ['ld.shared.u32 %r1, [16]', 'ld.shared.u32 %r1, [16];'],
    ['setp.eq.s32 %p1 | _, %r1, %r2', 'setp.eq.s32 %p1|_, %r1, %r2;'],
    ['call(r),f,(a,1),p', 'call (r), f, (a, 1), p;'],
    ['ret', 'ret;'],
  ])('%s', (text, canonical) => {
    expect(printed(text)).toBe(canonical);
    expect(printed(canonical)).toBe(canonical);
  });
});

describe('floats without a literal are printed as arithmetic', () => {
  it.each(['1e-300*1e-20', '-1e-300*1e-10', '1e308*10.0', '-1e308*10.0', '1e308*10.0-1e308*10.0'])('%s', (text) => {
    const bits = (instruction: string): unknown => parseInstruction(instruction).instruction?.operands[1];
    const original = `mov.f64 %fd1, ${text}`;
    expect(shape(bits(printed(original) ?? ''))).toEqual(shape(bits(original)));
  });
});
