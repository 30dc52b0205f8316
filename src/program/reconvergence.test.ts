/** Tests where threads that have diverged continue together. */
import { expect, test } from 'vitest';
import { elementAt } from '../base/element-at.ts';
import { loadModule } from '../check/check.ts';
import { blocksOf } from './flow.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { reconvergences } from './reconvergence.ts';

/**
 * Returns the texts of the guarded branches and switches at which threads may diverge. If the threads continue
 * together, the text of the instruction where they do so is appended.
 */
function places(...body: readonly string[]): readonly string[] {
  const source = `.version 8.0\n.target sm_75\n.address_size 64\n.entry k() {
    .reg .pred %p<4>; .reg .b32 %r<8>; .shared .b32 s[64];
    ${body.join('\n')}\n}`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  const { entry } = linkKernel(module, new FunctionTable(module), 'k', []);
  const { instructions } = entry;
  const cuts = [...instructions.keys()].filter((i) => /^(@|brx)/.test(elementAt(instructions, i).text));
  const blocks = blocksOf(entry, new Set(), new Set(cuts));
  const partings = cuts.map((at) => blocks.findIndex(({ start, end }) => start === at && end > start));
  const found = reconvergences(blocks, partings);
  const textAt = (block: number): string =>
    instructions[elementAt(blocks, block).start]?.text ?? 'the end of the kernel';
  return partings.map((block) => {
    const place = found.get(block);
    return place === undefined ? textAt(block) : `${textAt(block)} until ${textAt(place.at)}`;
  });
}

const some = (count: number): readonly string[] => Array.from({ length: count }, () => 'add.u32 %r1, %r1, 1;');
const many = some(24);
const meet = 'mov.u32 %r2, 0;';

test('after a branch, if enough instructions follow', () => {
  const branch = ['@%p1 bra L;', ...some(3), 'L:', meet];
  expect(places(...branch, ...many)).toEqual([`@%p1 bra L; until ${meet}`]);
  expect(places(...branch, ...some(20))).toEqual(['@%p1 bra L;']);
});

test('after both sides of a branch', () => {
  expect(places('@%p1 bra L;', ...some(3), 'bra E;', 'L:', ...some(2), 'E:', meet, ...many)).toEqual([
    `@%p1 bra L; until ${meet}`,
  ]);
});

test('after a switch', () => {
  const table = 't: .branchtargets A, B;';
  expect(places(table, 'brx.idx %r1, t;', 'A:', ...some(2), 'bra E;', 'B:', ...some(1), 'E:', meet, ...many)).toEqual([
    `brx.idx %r1, t; until ${meet}`,
  ]);
});

test('after a loop that threads leave one after the other, if it is repeated', () => {
  const inner = ['I:', ...some(3), '@%p1 bra I;'];
  expect(places('O:', ...some(1), ...inner, meet, 'setp.ne.u32 %p2, %r1, 9;', '@%p2 bra O;')).toEqual([
    `@%p1 bra I; until ${meet}`,
    '@%p2 bra O;',
  ]);
  expect(places(...inner, meet)).toEqual(['@%p1 bra I;']);
});

test('after the loop, if the rest of the loop is short', () => {
  const loop = ['O:', '@%p1 bra S;', ...some(9), 'S:', ...some(2), '@%p2 bra O;'];
  const after = [meet, ...many];
  expect(places(...loop, ...after)).toEqual([`@%p1 bra S; until ${meet}`, `@%p2 bra O; until ${meet}`]);
});

test('in the loop, if the rest of the loop is long', () => {
  const loop = ['O:', '@%p1 bra S;', ...some(9), 'S:', meet, ...many, '@%p2 bra O;'];
  expect(places(...loop)).toEqual([`@%p1 bra S; until ${meet}`, '@%p2 bra O;']);
});

test('at the first instruction of a loop', () => {
  const loop = ['O:', meet, '@%p3 bra E;', ...many, '@%p1 bra O;', ...some(3), 'bra O;', 'E:'];
  expect(places(...loop)).toEqual(['@%p3 bra E;', `@%p1 bra O; until ${meet}`]);
});

test.each([
  ['a path ends', ['@%p1 bra L;', 'ret;', 'L:']],
  ['a path leads to a barrier', ['@%p1 bra L;', 'bar.sync 0;', 'L:']],
  ['a path never leaves a loop', ['@%p1 bra L;', 'I:', 'bra I;', 'L:', 'ret;']],
])('not if %s', (_, body) => {
  expect(places(...body, ...many)).toEqual(['@%p1 bra L;']);
});
