import { expect, test } from 'vitest';
import { shortName } from './short-name.ts';

test.each<[number, string]>([
  [39, 'model.layers.12.self_attn.q_proj.weight'],
  [38, 'mode.layers.12.self_attn.q_proj.weight'],
  [34, 'm.layer.12.self_attn.q_proj.weight'],
  [29, 'm.l.12.self_att.q_proj.weight'],
  [21, 'm.l.12.s.q_pro.weight'],
  [16, 'm.l.1\u2026s.q.weight'],
  [1, '\u2026'],
])('in %i columns is %s', (room, short) => {
  expect(shortName('model.layers.12.self_attn.q_proj.weight', room, false)).toBe(short);
});

test('wide characters count twice, and the name need not contain a dot', () => {
  expect(shortName('重み重み重み', 12, false)).toBe('重み重み重み');
  expect(shortName('abcdefghijklmnop', 9, true)).toBe('ab...mnop');
});
