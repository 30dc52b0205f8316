import { expect, test } from 'vitest';
import { matchesGlob } from './glob.ts';

test.each([
  ['*', 'model.layers.0.mlp.weight', true],
  ['*.weight', 'model.layers.0.mlp.weight', true],
  ['*.weight', 'model.layers.0.mlp.bias', false],
  ['model.layers.*.mlp.*', 'model.layers.10.mlp.weight', true],
  ['layers.?.w', 'layers.1.w', true],
  ['layers.?.w', 'layers.10.w', false],
  ['layers.[0-3].w', 'layers.2.w', true],
  ['layers.[0-3].w', 'layers.4.w', false],
  ['layers.[!0-3].w', 'layers.4.w', true],
  ['w', 'w.1', false],
  ['', '', true],
  ['', 'w', false],
  ['a.b', 'axb', false],
  ['w[', 'w[', true],
  ['ä?', 'ä😀', true],
  ['a/*', 'a/b/c', true],
])('%s and %s: %s', (pattern, name, matches) => {
  expect(matchesGlob(pattern, name)).toBe(matches);
});

test('a pattern with many stars is matched in reasonable time', () => {
  expect(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(5_000))).toBe(false);
});
