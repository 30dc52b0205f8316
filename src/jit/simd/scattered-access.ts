/**
 * Creates WebAssembly functions that load from or store to arbitrary addresses for four threads. Most programs rarely
 * need these functions. There is one function for each kind of access, so that the calling code remains small.
 */
import { loads, opcodeFor, stores } from '../memory/access.ts';
import { type AccessFacts, type CheckLowering, pushUnallocated, writeQuickCheck } from '../memory/checks.ts';
import { placeFunction } from '../memory/place.ts';
import { firstNearAddress } from '../../machine/memory/address-space.ts';
import type { AccessSpan } from '../../program/access-spans.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import type { ValueType } from '../../wasm/opcodes.ts';
import type { Lowering } from '../lowering.ts';
import { laneCount } from './vectors.ts';

export interface ScatteredAccess extends AccessFacts {
  /** Width of an element in bits. */
  readonly width: number;
  /** Number of elements per thread. */
  readonly count: number;
}

/**
 * The parameters that both kinds of functions have in common: the context, the number of the call, the first thread,
 * the fuel, and two vectors with the addresses.
 */
const common: readonly ValueType[] = ['i32', 'i32', 'i32', 'i32', 'v128', 'v128'];

type Surroundings = Pick<Lowering, 'helpers' | 'layout' | 'program'>;

/**
 * Returns the index of the function that loads the elements. The function returns one vector for each element of up to
 * 32 bits, or two vectors for each 64-bit element.
 */
export function gatherFunction(surroundings: Surroundings, access: ScatteredAccess): number {
  const { helpers, layout } = surroundings;
  const { width, count } = access;
  const type: FunctionType = { parameters: common, results: vectorsOf(access) };
  return helpers.function(keyOf('gather', surroundings, access), type, (code) => {
    const results = type.results.map((one) => code.local(one));
    eachLane(code, surroundings, access, (lane, at) => {
      for (let element = 0; element < count; element++) {
        const [vector, name, index] = placeIn(results, width, element, lane);
        code.get(vector).get(at);
        code.memory(opcodeFor(loads, width), layout.origin + (element * width) / 8);
        code.lane(`${name}.replace_lane`, index).set(vector);
      }
    });
    for (const result of results) code.get(result);
  });
}

/**
 * Returns the index of the function that stores elements. Vectors with the elements are additional parameters after the
 * addresses.
 */
export function scatterFunction(surroundings: Surroundings, access: ScatteredAccess): number {
  const { helpers, layout } = surroundings;
  const { width, count } = access;
  const vectors = vectorsOf(access);
  const type: FunctionType = { parameters: [...common, ...vectors], results: [] };
  return helpers.function(keyOf('scatter', surroundings, access), type, (code) => {
    const values = vectors.map((_, i) => common.length + i);
    eachLane(code, surroundings, access, (lane, at) => {
      for (let element = 0; element < count; element++) {
        const [vector, name, index] = placeIn(values, width, element, lane);
        code.get(at).get(vector).lane(`${name}.extract_lane`, index);
        code.memory(opcodeFor(stores, width), layout.origin + (element * width) / 8);
      }
    });
  });
}

/**
 * Returns the index of a function that takes the start addresses of four spans of global memory. The function returns 1
 * if all of these spans are allocated, and otherwise 0.
 */
export function allValidFunction({ helpers, layout }: Surroundings, { size, bytes }: AccessSpan): number {
  const type: FunctionType = { parameters: ['v128', 'v128'], results: ['i32'] };
  return helpers.function(`all valid ${size} ${bytes}`, type, (code) => {
    const [effective, at] = [code.local('i64'), code.local('i32')];
    const beyond = layout.checked ? BigInt(layout.origin) * 16n - BigInt(bytes) : BigInt(firstNearAddress);
    for (let lane = 0; lane < laneCount; lane++) {
      code
        .get(lane >> 1)
        .lane('i64x2.extract_lane', lane & 1)
        .tee(effective)
        .i64(beyond)
        .op('i64.ge_u');
      code.if(() => code.i32(0).op('return'));
      if (!layout.checked) continue;
      code.get(effective).op('i32.wrap_i64').set(at);
      pushUnallocated(code, at, 0, size);
      if (size > 1)
        code
          .get(at)
          .i32(size - 1)
          .op('i32.and', 'i32.or');
      if (bytes > size) pushUnallocated(code, at, bytes - size, size).op('i32.or');
      code.if(() => code.i32(0).op('return'));
    }
    code.i32(1);
  });
}

function vectorsOf({ width, count }: ScatteredAccess): readonly ValueType[] {
  return Array.from({ length: count * (width > 32 ? 2 : 1) }, () => 'v128' as const);
}

function keyOf(what: string, { program }: Surroundings, { space, width, count }: ScatteredAccess): string {
  return `${what} ${space} ${width} ${count} ${program.localBytes}`;
}

/** Returns the vector that holds an element of a thread, the vector's shape, and the lane. */
function placeIn(
  vectors: readonly number[],
  width: number,
  element: number,
  lane: number,
): readonly [number, 'i32x4' | 'i64x2', number] {
  if (width <= 32) return [vectors[element] ?? -1, 'i32x4', lane];
  return [vectors[2 * element + (lane >> 1)] ?? -1, 'i64x2', lane & 1];
}

/** Runs `body` for one thread after the other, so that a fault is reported for the first thread that causes one. */
function eachLane(
  code: Code,
  { helpers, layout, program }: Surroundings,
  access: ScatteredAccess,
  body: (lane: number, at: number) => void,
): void {
  const [contextAddress, call, first, fuel, low, high] = [0, 1, 2, 3, 4, 5] as const;
  const [effective, at, thread] = [code.local('i64'), code.local('i32'), code.local('i32')];
  const locals = { context: contextAddress, thread, fuel, base: null };
  const lowering: CheckLowering = { code, helpers, layout, program, locals };
  for (let lane = 0; lane < laneCount; lane++) {
    code
      .get(lane < 2 ? low : high)
      .lane('i64x2.extract_lane', lane & 1)
      .set(effective);
    code.get(first).i32(lane).op('i32.add').set(thread);
    code.block((done) => {
      code.block((slow) => {
        writeQuickCheck(lowering, access, { effective, at, slow });
        code.br(done);
      });
      code.get(contextAddress).get(call).get(effective).get(thread).get(fuel).i32(0);
      code.call(placeFunction(lowering, access)).set(at);
    });
    body(lane, at);
  }
}
