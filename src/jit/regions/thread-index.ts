/**
 * Keeps `%tid` up to date while a region iterates over its threads. `%tid` and the linear index of the thread are
 * always advanced together.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Region } from '../../program/regions.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionShape } from './function-shape.ts';
import type { ContextField } from '../layout.ts';
import type { RegionLocals } from '../lowering.ts';

type PushField = (name: ContextField) => Code;

/** Whether an instruction of a region reads `%tid`. */
export function readsIndex({ blocks, program }: FunctionShape, { order }: Region): boolean {
  return order.some((number) => {
    const { start, end } = elementAt(blocks, number);
    const instructions = program.instructions.slice(start, end);
    return instructions.some(({ specials }) => specials.some(({ register }) => register.value === 'threadIndex'));
  });
}

/**
 * Computes `%tid` of the first thread from its linear index, using divisions. Needed only in regions that read `%tid`.
 */
export function startIndex(code: Code, { thread, index }: RegionLocals, field: PushField): void {
  const [x, y, z] = index;
  code.get(thread);
  field('threadsX').op('i32.rem_u').set(x);
  code.get(thread);
  field('threadsX').op('i32.div_u').tee(z);
  field('threadsY').op('i32.rem_u').set(y);
  code.get(z);
  field('threadsY').op('i32.div_u').set(z);
}

/** Advances the linear thread index by `count`, but does not update `%tid`. */
export function advanceThread(code: Code, { thread }: RegionLocals, count: number): void {
  code.get(thread).i32(count).op('i32.add').set(thread);
}

/**
 * Advances the linear thread index and `%tid` by `count` threads. The new thread is in the same row or at the start of
 * the next row.
 */
export function advanceIndex(code: Code, { thread, index }: RegionLocals, field: PushField, count: number): void {
  const [x, y, z] = index;
  const advance = (local: number, by: number): Code => code.get(local).i32(by).op('i32.add').tee(local);
  advance(thread, count).op('drop');
  advance(x, count);
  field('threadsX').op('i32.eq');
  code.if(() => {
    code.i32(0).set(x);
    advance(y, 1);
    field('threadsY').op('i32.eq');
    code.if(() => {
      code.i32(0).set(y);
      advance(z, 1).op('drop');
    });
  });
}
