/** Generated code calls a function directly if a thread runs it from start to end without waiting for others. */
import { expect, test } from 'vitest';
import { loadModule } from '../check/check.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';

/** Returns the names of the direct functions of a kernel; those that call built-in functions are marked with `*`. */
function directIn(functions: string, body = 'call f;'): readonly string[] {
  const source = `.version 8.3\n.target sm_70\n.address_size 64
    .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a); .func f(); .global .b32 g; .global .u64 table = f;
    ${functions}\n.visible .entry k() { .reg .b64 %rd<4>; ${body} ret; }`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  const { functions: linked, direct } = linkKernel(module, new FunctionTable(module), 'k', []);
  return linked.flatMap((fn, i) =>
    fn.kind === 'program' && direct.all.has(i) ? [direct.alone.has(i) ? fn.program.name : `${fn.program.name}*`] : [],
  );
}

const print = '.param .b32 r; .reg .b64 a; mov.u64 a, 0; call (r), vprintf, (a, a);';

const sums = Array.from({ length: 256 }, (_, i) => `add.u32 r${i + 1}, r${i}, 1;`).join(' ');

test.each([
  ['arithmetic', '.func f() { .reg .b32 r; add.u32 r, r, 1; ret; }', ['f']],
  ['loads and stores', '.func f() { .reg .b32 r; ld.global.u32 r, [g]; st.global.u32 [g], r; ret; }', ['f']],
  ['calls of such functions', '.func e() { ret; } .func f() { call e; ret; }', ['f', 'e']],
  ['printing', `.func f() { ${print} ret; }`, ['f*']],
  ['calls of a function that prints', `.func e() { ${print} ret; } .func f() { call e; ret; }`, ['f*', 'e*']],
  ['a trap', '.func f() { trap; }', ['f']],
  ['the end of the thread', '.func f() { exit; }', []],
  ['a barrier', '.func e() { ret; } .func f() { call e; bar.sync 0; ret; }', ['e']],
  ['an atomic update', '.func f() { .reg .b32 r; atom.global.add.u32 r, [g], 1; ret; }', []],
  ['a volatile load', '.func f() { .reg .b32 r; ld.volatile.global.u32 r, [g]; ret; }', []],
  ['calls of itself', '.func f() { call f; ret; }', []],
  ['calls of a recursive function', '.func e() { call e; ret; } .func f() { call e; ret; }', []],
  ['more than 256 registers', `.func f() { .reg .b32 r<257>; ${sums} ret; }`, []],
])('%s', (_, functions, expected) => {
  expect(directIn(functions)).toEqual(expected);
});

test('a function that is also called through a register', () => {
  const body = 'P: .callprototype _ (); ld.global.u64 %rd1, [table]; call f; call %rd1, (), P;';
  expect(directIn('.func f() { ret; }', body)).toEqual([]);
});

test('functions that call one another are direct up to a depth of 16', () => {
  const chain = Array.from({ length: 20 }, (_, i) => `.func f${i}() { ${i === 0 ? '' : `call f${i - 1};`} ret; }`);
  const direct = directIn(`${chain.join('\n')} .func f() { call f19; ret; }`);
  expect(direct.toSorted()).toEqual(Array.from({ length: 16 }, (_, i) => `f${i}`).toSorted());
});
