import { describe, expect, test } from 'vitest';
import { FrameLayout } from './frame.ts';

describe('once the size of the frames is fixed', () => {
  test('code that is compiled later can use only the bytes for registers that exist', () => {
    const frame = new FrameLayout(32);
    const before = [frame.overflow(1), frame.overflow(0)];
    const size = frame.close();
    expect([frame.overflow(1), frame.overflow(0), frame.overflow(2)]).toEqual([...before, null]);
    expect(frame.close()).toBe(size);
  });

  test('nothing else can be added', () => {
    const frame = new FrameLayout(32);
    const room = frame.room(100);
    frame.close();
    expect(frame.room(80)).toBe(room);
    expect(() => frame.room(200)).toThrow('fixed');
    expect(() => frame.array(4)).toThrow('fixed');
  });
});

test('arrays after bytes for registers start at multiples of 16', () => {
  const frame = new FrameLayout(32);
  frame.overflow(0);
  expect(frame.array(8) % 16).toBe(0);
});
