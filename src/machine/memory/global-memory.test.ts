import { describe, expect, test } from 'vitest';
import { elementAt } from '../../base/element-at.ts';
import { PtxlabError } from '../../base/error.ts';
import { quarantine } from './allocations.ts';
import { MachineFault } from '../fault.ts';
import { GlobalMemory } from './global-memory.ts';
import { MemoryView, type SharedMemory } from './memory-view.ts';

describe('allocations', () => {
  test('begin above the first 64 KiB, at multiples of 256, with gaps between them', () => {
    const memory = new GlobalMemory();
    const a = memory.allocate(1, 'a');
    const b = memory.allocate(300, 'b');
    const c = memory.allocate(0, 'c');
    expect(a.address).toBe(0x10000);
    expect([a, b, c].every(({ address }) => address % 256 === 0)).toBe(true);
    expect(b.address).toBeGreaterThan(a.address + 256);
    expect(c.address).toBeGreaterThan(b.address + 300);
  });

  test('are zeroed, even where something was stored earlier', () => {
    const memory = new GlobalMemory(70_000);
    const first = memory.allocate(60_000, 'first');
    memory.bytesOf(first).fill(0xee);
    memory.free(first);
    const second = memory.allocate(60_000, 'second');
    expect(memory.bytesOf(second).every((byte) => byte === 0)).toBe(true);
  });

  test('must not exceed the limit together; freed ones do not count', () => {
    const memory = new GlobalMemory(1024);
    const a = memory.allocate(512, 'a');
    memory.allocate(512, 'b');
    expect(() => memory.allocate(1, 'c')).toThrow(PtxlabError);
    memory.free(a);
    expect(() => memory.allocate(100, 'c')).not.toThrow();
  });

  test('can be freed only once', () => {
    const memory = new GlobalMemory(512);
    const a = memory.allocate(256, 'a');
    memory.free(a);
    memory.free(a);
    memory.allocate(512, 'b');
    expect(() => memory.allocate(1, 'c')).toThrow('c needs 1 bytes; the device has 0 of 512 left');
    const odd = new GlobalMemory(1000);
    expect(() => odd.allocate(1000, 'd')).toThrow('d needs 1000 bytes, rounded up to 1024; the device has 1000');
  });
});

describe('freed allocations', () => {
  test('keep their addresses until many others have been freed; then the oldest address of that size is reused', () => {
    const memory = new GlobalMemory();
    const addresses = new Set<number>();
    for (let i = 0; i < 2 * quarantine; i++) {
      const one = memory.allocate(16, `number ${i}`);
      addresses.add(one.address);
      memory.free(one);
    }
    expect(addresses.size).toBe(quarantine + 1);
    const [first = 0] = addresses;
    // The allocations use only quarantine + 1 different addresses, so most addresses are used twice. The address of the
    // first allocation is the first to be reused, and now belongs to allocation number quarantine + 1.
    expect(() => memory.check('load', first, 4)).toThrow(`number ${quarantine + 1}, 16 bytes`);
  });

  test('make room for smaller ones when the addresses run out, the smallest sufficient one first', () => {
    const memory = new GlobalMemory(4096);
    const sizes = [1024, 512, 256, 2048];
    const freed = sizes.map((size) => memory.allocate(size, `of ${size}`));
    for (const one of freed) memory.free(one);
    const [, second, third, fourth] = freed.map(({ address }) => address);
    expect([300, 10, 1500].map((size) => memory.allocate(size, 'new').address)).toEqual([second, third, fourth]);
  });

  test('are reused in the same order after the state has been saved and restored', () => {
    const memory = new GlobalMemory(2048);
    const made = Array.from({ length: 4 }, (_, i) => memory.allocate(256, `number ${i}`));
    memory.allocate(1024, 'rest');
    for (const i of [3, 1, 0, 2]) memory.free(elementAt(made, i));
    const saved = memory.give();
    const next = (): readonly number[] => [0, 1, 2, 3].map(() => memory.allocate(256, 'new').address);
    const before = next();
    memory.take(saved);
    expect(next()).toEqual(before);
    expect(before).toEqual([3, 1, 0, 2].map((i) => made[i]?.address));
  });
});

describe('accesses', () => {
  const codeOf = (run: () => void): string => {
    try {
      run();
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
    return 'none';
  };

  test('must lie wholly inside one live allocation', () => {
    const memory = new GlobalMemory();
    const { address } = memory.allocate(64, 'a');
    expect(codeOf(() => memory.check('load', address, 16))).toBe('none');
    expect(codeOf(() => memory.check('load', address + 48, 16))).toBe('none');
    expect(codeOf(() => memory.check('load', address + 64, 1))).toBe('PTX6001');
    expect(codeOf(() => memory.check('load', address - 1, 1))).toBe('PTX6005');
    expect(codeOf(() => memory.check('store', address + 1, 2))).toBe('PTX6002');
    expect(codeOf(() => memory.check('store', 0, 4))).toBe('PTX6005');
  });

  test('to a freed allocation are reported, even right after a valid access to it', () => {
    const memory = new GlobalMemory();
    const allocation = memory.allocate(64, 'buffer 7');
    memory.check('load', allocation.address, 4);
    memory.free(allocation);
    expect(() => memory.check('load', allocation.address, 4)).toThrow('buffer 7, 64 bytes at 0x10000, was freed');
  });

  test('outside all allocations report the nearest one on either side', () => {
    const memory = new GlobalMemory();
    const a = memory.allocate(100, 'a');
    const b = memory.allocate(100, 'b');
    expect(() => memory.check('load', a.address + 104, 4)).toThrow('nearest is a, 100 bytes at 0x10000: 4 bytes past');
    expect(() => memory.check('load', b.address - 8, 4)).toThrow('8 bytes before it');
    expect(() => memory.check('load', a.address + 96, 8)).toThrow('across its end');
  });

  test.each([8, 16, 32, 64, 128])('of %i bits are little-endian', (width) => {
    const memory = new GlobalMemory();
    const allocation = memory.allocate(32, 'a');
    const bits = 0x0f0e0d0c0b0a09080706050403020100n & ((1n << BigInt(width)) - 1n);
    memory.store(allocation.address, width, width > 32 ? bits : Number(bits));
    expect(memory.load(allocation.address, width)).toEqual(width > 32 ? bits : Number(bits));
    const written = [...memory.bytesOf(allocation)].slice(0, width / 8);
    expect(written).toEqual(Array.from({ length: width / 8 }, (_, i) => i));
  });

  test('are kept when memory grows', () => {
    const memory = new GlobalMemory();
    const allocation = memory.allocate(8, 'a');
    memory.store(allocation.address, 32, 0xdeadbeef);
    memory.allocate(10_000_000, 'b');
    expect(memory.load(allocation.address, 32)).toBe(0xdeadbeef);
  });
});

describe('borrowed memory', () => {
  test('belongs to no allocation, and the smallest sufficient piece is reused', () => {
    const memory = new GlobalMemory();
    const large = memory.borrow(10_000);
    const small = memory.borrow(1000);
    expect(() => memory.check('load', large, 4)).toThrow(MachineFault);
    memory.giveBack(large);
    memory.giveBack(small);
    expect([memory.borrow(500), memory.borrow(500), memory.borrow(10_000) > small]).toEqual([small, large, true]);
  });

  test('keeps its size if it is reused for a smaller size', () => {
    const memory = new GlobalMemory();
    const large = memory.borrow(10_000);
    for (const size of [10, 10_000, 20]) {
      memory.giveBack(large);
      expect(memory.borrow(size)).toBe(large);
    }
  });
});

test('a worker sees the memory of the device, and reports the same faults', () => {
  const memory = new GlobalMemory();
  const allocation = memory.allocate(64, 'a');
  const freed = memory.allocate(64, 'b');
  memory.free(freed);
  const room = { address: memory.borrow(512), size: 512 };
  const view = new MemoryView(memory.share() as SharedMemory, room);
  view.store(allocation.address, 32, 7);
  expect(memory.load(allocation.address, 32)).toBe(7);
  expect(() => view.check('load', allocation.address, 4)).not.toThrow();
  expect(() => view.check('load', freed.address, 4)).toThrow('b, 64 bytes at 0x10200, was freed');
  expect([view.borrow(256), view.borrow(256)]).toEqual([room.address, room.address + 256]);
  expect(() => view.borrow(1)).toThrow('no room');
});
