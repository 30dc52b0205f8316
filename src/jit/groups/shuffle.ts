/**
 * `shfl` within a group: each lane takes the value of another lane or keeps its own (section 9.7.9.6 of PTX ISA 9.1).
 * The value of a lane outside the group is unspecified; on an H200, it is 0.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Collective } from '../../isa/collective.ts';
import { warpSize } from '../../machine/launch.ts';
import type { Code } from '../../wasm/code.ts';
import { carriersOf } from './stop.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { pushMembership, quads } from './lanes.ts';

export type ShuffleMode = Extract<Collective, { readonly form: 'shfl' }>['mode'];

/** Parameters of the functions, as described in exchange.ts. */
const [words, members] = [0, 2] as const;

/** What is known at compile time about the shuffle of a group. */
export interface GroupShuffle {
  readonly mode: ShuffleMode;
  /** The operand that contains the segment mask and the clamp value, if it is the same constant for all lanes. */
  readonly bounds: number | null;
  /** See `FixedShuffle`. */
  readonly tellsBounds: boolean;
}

/**
 * Writes a shuffle for any group, one lane after the other. If the bounds are constant, V8 computes most of this code
 * when it optimizes the function.
 */
export function writeShuffle(code: Code, { layout, frame }: KernelShape, group: GroupShuffle): void {
  const { mode, bounds, tellsBounds } = group;
  const { origin } = layout;
  const { sends, receives } = carriersOf(frame, { form: 'shfl', mode });
  const [left, lane, own] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const [segment, shift, source] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const [limit, inBounds] = [code.local('i32'), code.local('i32')];
  const sent = (i: number): Code => code.get(own).memory('i32.load', origin + elementAt(sends, i).array);
  const pushBounds = (): Code => (bounds === null ? sent(2) : code.i32(bounds));
  const outside = (): Code => code.get(segment).i32(-1).op('i32.xor');
  code.get(members).set(left);
  code.loop((again) => {
    code.get(left).op('i32.ctz').tee(lane).i32(2).op('i32.shl').get(words).op('i32.add').set(own);
    sent(1).i32(31).op('i32.and').set(shift);
    pushBounds().i32(8).op('i32.shr_u').i32(31).op('i32.and').set(segment);
    code.get(lane).get(segment).op('i32.and');
    pushBounds().i32(31).op('i32.and');
    outside().op('i32.and', 'i32.or').set(limit);
    if (mode === 'up') code.get(lane).get(shift).op('i32.sub');
    else if (mode === 'down') code.get(lane).get(shift).op('i32.add');
    else if (mode === 'bfly') code.get(lane).get(shift).op('i32.xor');
    else {
      code.get(lane).get(segment).op('i32.and').get(shift);
      outside().op('i32.and', 'i32.or');
    }
    code.tee(source).get(limit);
    code.op(mode === 'up' ? 'i32.ge_s' : 'i32.le_s').set(inBounds);
    code.get(source).i32(31).op('i32.and').get(lane).get(inBounds).op('select').set(source);
    code.get(own).get(words).get(source).i32(2).op('i32.shl', 'i32.add');
    code.memory('i32.load', origin + elementAt(sends, 0).array);
    code.i32(0).get(members).get(source).op('i32.shr_u').i32(1).op('i32.and', 'select');
    code.memory('i32.store', origin + elementAt(receives, 0).array);
    if (tellsBounds) {
      code
        .get(own)
        .get(inBounds)
        .memory('i32.store', origin + elementAt(receives, 1).array);
    }
    code.get(left).get(left).i32(1).op('i32.sub', 'i32.and').tee(left).brIf(again);
  });
}

/** A shuffle whose operands are constants, so that the lane from which each lane reads is known at compile time. */
export interface FixedShuffle {
  readonly mode: ShuffleMode;
  readonly operand: number;
  readonly bounds: number;
  /** True if the program uses the result predicate, which is true if the source lane is in bounds. */
  readonly tellsBounds: boolean;
  /** Whether each lane provides a mask of its own. If so, the lanes of a warp may form several groups. */
  readonly masked: boolean;
}

/**
 * Writes code that performs the shuffle for the members of all groups at once. The mask of a lane determines its group.
 */
export function writeFixedShuffle(code: Code, { layout, frame }: KernelShape, fixed: FixedShuffle): void {
  const { origin } = layout;
  const { sends, receives } = carriersOf(frame, { form: 'shfl', mode: fixed.mode });
  const [from, to, bounded] = [elementAt(sends, 0).array, elementAt(receives, 0).array, elementAt(receives, 1).array];
  const sources = Array.from({ length: warpSize }, (_, lane) => sourceOf(fixed, lane));
  const load = (array: number, quad: number): Code =>
    code.get(words).vectorMemory('v128.load', origin + array + 16 * quad);
  const whole = (quad: number, store: (array: number, push: () => unknown) => void): void => {
    const own = sources.slice(4 * quad, 4 * quad + 4);
    store(to, () => pushSources(code, own, (one) => load(from, one)));
    const inBounds = own.map((one) => (one.inBounds ? 1 : 0));
    if (fixed.tellsBounds) {
      store(bounded, () => code.words(inBounds[0] ?? 0, inBounds[1] ?? 0, inBounds[2] ?? 0, inBounds[3] ?? 0));
    }
  };
  const part = (quad: number, store: (array: number, push: () => unknown) => void): void => {
    const own = sources.slice(4 * quad, 4 * quad + 4).map(({ source }) => 1 << source);
    const bits = [own[0] ?? 0, own[1] ?? 0, own[2] ?? 0, own[3] ?? 0] as const;
    whole(quad, (array, push) => {
      store(array, () => {
        push();
        if (array !== to) return;
        code.get(members).vector('i32x4.splat');
        if (fixed.masked) load(frame.mask, quad).vector('v128.and');
        code.words(...bits).vector('v128.and');
        code.words(0, 0, 0, 0).vector('i32x4.ne', 'v128.and');
      });
    });
  };
  code.get(members).i32(-1).op('i32.eq');
  if (fixed.masked) pushAllMasksFull(code, (quad) => load(frame.mask, quad));
  const plainStore = (quad: number) => (array: number, push: () => unknown) => {
    code.get(words);
    push();
    code.vectorMemory('v128.store', origin + array + 16 * quad);
  };
  const memberStore = (quad: number) => (array: number, push: () => unknown) => {
    plainStore(quad)(array, () => {
      push();
      load(array, quad);
      pushMembership(code, members, quad);
      code.vector('v128.bitselect');
    });
  };
  code.if(
    () => {
      for (const quad of quads) whole(quad, plainStore(quad));
    },
    () => {
      for (const quad of quads) part(quad, memberStore(quad));
    },
  );
}

/** Expects the number 1 on the stack, and replaces it with 0 unless the mask of every lane contains all lanes. */
function pushAllMasksFull(code: Code, load: (quad: number) => Code): void {
  for (const quad of quads) {
    load(quad);
    if (quad > 0) code.vector('v128.and');
  }
  code.words(-1, -1, -1, -1).vector('i32x4.eq', 'i32x4.all_true').op('i32.and');
}

interface Source {
  readonly source: number;
  readonly inBounds: boolean;
}

/** Pushes the words that four lanes receive, loading only the vectors that contain them. */
function pushSources(code: Code, own: readonly Source[], load: (quad: number) => Code): void {
  const needed = [...new Set(own.map(({ source }) => source >> 2))];
  const first = elementAt(needed, 0);
  load(first);
  if (needed.length === 1 && own.every(({ source }, i) => (source & 3) === i)) return;
  let taken = own.map(({ source }) => (source >> 2 === first ? source & 3 : 0));
  const rest = needed.slice(1);
  if (rest.length === 0) {
    load(first).shuffle(bytesOf(taken));
    return;
  }
  for (const quad of rest) {
    load(quad);
    taken = own.map(({ source }, i) => (source >> 2 === quad ? 4 + (source & 3) : elementAt(taken, i)));
    code.shuffle(bytesOf(taken));
    taken = [0, 1, 2, 3];
  }
}

function bytesOf(numbers: readonly number[]): readonly number[] {
  return numbers.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));
}

/** Returns the lane whose value `lane` receives. If the source is out of bounds, the result is `lane` itself. */
function sourceOf({ mode, operand, bounds }: FixedShuffle, lane: number): Source {
  const shift = operand & 31;
  const segment = (bounds >>> 8) & 31;
  const limit = (lane & segment) | (bounds & 31 & ~segment);
  const wanted = {
    up: lane - shift,
    down: lane + shift,
    bfly: lane ^ shift,
    idx: (lane & segment) | (shift & ~segment),
  };
  const source = wanted[mode];
  const inBounds = mode === 'up' ? source >= limit : source <= limit;
  return { source: inBounds ? source & 31 : lane, inBounds };
}
