import { expect, test } from 'vitest';
import { firstGlobalAddress, isInWindow, resolveGeneric, windowBase } from './address-space.ts';

test.each(['shared', 'local', 'const', 'param'] as const)('the %s window holds 4 GiB and nothing beside', (space) => {
  const base = windowBase(space);
  expect(resolveGeneric(base)).toEqual({ space, offset: 0 });
  expect(resolveGeneric(base + 0xffff_ffffn)).toEqual({ space, offset: 0xffff_ffff });
  expect(isInWindow(base, space)).toBe(true);
  expect(isInWindow(base - 1n, space)).toBe(false);
  expect(isInWindow(base + 0x1_0000_0000n, space)).toBe(false);
});

test('global memory is at its own address', () => {
  expect(windowBase('global')).toBe(0n);
  expect(resolveGeneric(BigInt(firstGlobalAddress))).toEqual({ space: 'global', offset: firstGlobalAddress });
  expect(isInWindow(5n, 'global')).toBe(true);
  expect(isInWindow(windowBase('shared'), 'global')).toBe(false);
});

test('both shared windows are one', () => {
  expect(windowBase('shared::cluster')).toBe(windowBase('shared'));
  expect(isInWindow(windowBase('shared'), 'shared::cluster')).toBe(true);
});
