import { describe, expect, test } from 'vitest';
import {
  firstGlobalAddress,
  firstNearAddress,
  isInWindow,
  resolveGeneric,
  windowBase,
  windowBits,
} from './address-space.ts';
import { GlobalMemory } from './global-memory.ts';

const spaces = ['shared', 'local', 'const', 'param'] as const;

describe.each([64, 32] as const)('windows for addresses of %i bits', (width) => {
  test.each(spaces)('%s has a window of its own', (space) => {
    const base = windowBase(space, width);
    const size = 1n << BigInt(windowBits(width));
    expect(resolveGeneric(base)).toEqual({ space, offset: 0 });
    expect(resolveGeneric(base + size - 1n)).toEqual({ space, offset: Number(size) - 1 });
    expect(isInWindow(base, space)).toBe(true);
    expect(isInWindow(base, 'global')).toBe(false);
    expect(isInWindow(base - 1n, space)).toBe(false);
    expect(isInWindow(base + size, space)).toBe(false);
    expect(BigInt.asUintN(width, base + size - 1n)).toBe(base + size - 1n);
  });

  test('both shared windows are the same', () => {
    expect(windowBase('shared::cluster', width)).toBe(windowBase('shared', width));
    expect(isInWindow(windowBase('shared', width), 'shared::cluster')).toBe(true);
  });

  test('global memory is at its own address', () => {
    expect(windowBase('global', width)).toBe(0n);
    expect(resolveGeneric(BigInt(firstGlobalAddress))).toEqual({ space: 'global', offset: firstGlobalAddress });
    expect(isInWindow(5n, 'global')).toBe(true);
  });
});

test('the largest device ends below all windows', () => {
  const { origin } = new GlobalMemory(2 ** 40);
  expect(origin * 16).toBe(firstNearAddress);
  expect(origin * 17).toBeLessThan(2 ** 32);
});
