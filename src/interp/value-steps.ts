/**
 * Turns steps that compute values into functions that operate on a frame. A frame is the array in which an engine keeps
 * registers, constants and temporaries. The format, mode and slots of each step are looked up only once, when the step
 * is prepared, so that running it takes a single call.
 *
 * Values are represented as described in base/bits.ts: as a JavaScript number up to 32 bits, and as a bigint above
 * that. Predicates are 0 or 1.
 */
import { type Bits, chop, numberOf, bigintOf } from '../base/bits.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { StepOf } from '../isa/steps/step.ts';
import type { ValueSteps } from '../isa/steps/value.ts';
import { floatOperation } from '../numerics/arithmetic.ts';
import { comparison } from '../numerics/compare.ts';
import { conversion } from '../numerics/convert.ts';
import { bitOperation, integerOperation, packClamp } from '../numerics/integers.ts';
import { mufu } from '../numerics/mufu.ts';
import type { Operation } from '../numerics/operations.ts';

/** The value in each slot. */
export type Frame = Bits[];

/** Returns the value in a slot of the frame. */
export function valueIn(frame: Frame, place: number): Bits {
  return frame[place] ?? emptySlot(frame, place);
}

/** The error is thrown in a separate function, so that V8 inlines the callers. */
function emptySlot({ length }: Frame, place: number): never {
  throw new Error(`slot ${place} of a frame of ${length} is empty`);
}

/** Returns a value of at most 32 bits. */
export function numberIn(frame: Frame, place: number): number {
  return numberOf(valueIn(frame, place));
}

/** Returns a value of more than 32 bits, such as an effective address. */
export function bigintIn(frame: Frame, place: number): bigint {
  return bigintOf(valueIn(frame, place));
}

/**
 * A function that reads and writes slots of a frame. The frame must have the layout for which the action was prepared.
 */
export type Action = (frame: Frame) => void;

/** Returns the slot of a name in the frame. */
export type PlaceOf = (ref: Ref) => number;

type Prepare<Kind extends keyof ValueSteps> = (step: StepOf<Kind>, placeOf: PlaceOf) => Action;

const prepares: { readonly [Kind in keyof ValueSteps]: Prepare<Kind> } = {
  convert: prepareConvert,
  clamp: (step, placeOf) => unary(placeOf(step.to), placeOf(step.from), packClamp(step.type)),
  unpack: prepareUnpack,
  pack: preparePack,
  extract: (step, placeOf) => unary(placeOf(step.to), placeOf(step.from), extractor(step.low, step.width)),
  join: prepareJoin,
  copy: (step, placeOf) => {
    const [to, from] = [placeOf(step.to), placeOf(step.from)];
    return (frame) => {
      frame[to] = valueIn(frame, from);
    };
  },
  constant: ({ to, value }, placeOf) => {
    const place = placeOf(to);
    return (frame) => {
      frame[place] = value;
    };
  },
  float: (step, placeOf) => prepareOperation(floatOperation(step.fn, step.format, step.mode), step, placeOf),
  mufu: (step, placeOf) => {
    const compute = mufu(step.fn);
    return unary(placeOf(step.to), placeOf(step.from), (value) => compute(Number(value)));
  },
  integer: (step, placeOf) => prepareOperation(integerOperation(step.fn, step.type, step.sat), step, placeOf),
  bits: (step, placeOf) => prepareOperation(bitOperation(step.fn, step.width), step, placeOf),
  compare: prepareCompare,
  select: prepareSelect,
};

/** Turns a step into a function that operates on a frame. */
export function prepareStep<Kind extends keyof ValueSteps>(step: StepOf<Kind>, placeOf: PlaceOf): Action {
  return prepares[step.kind](step, placeOf);
}

function unary(to: number, from: number, compute: (value: Bits) => Bits): Action {
  return (frame) => {
    frame[to] = compute(valueIn(frame, from));
  };
}

function prepareConvert(step: StepOf<'convert'>, placeOf: PlaceOf): Action {
  const convert = conversion(step.conversion);
  const [to, from] = [placeOf(step.to), placeOf(step.from)];
  if (step.random === null && step.scale === null) {
    return (frame) => {
      frame[to] = convert(valueIn(frame, from), 0, 0x7f);
    };
  }
  const random = step.random === null ? -1 : placeOf(step.random);
  const scale = step.scale === null ? -1 : placeOf(step.scale);
  return (frame) => {
    const bits = random < 0 ? 0 : numberIn(frame, random);
    frame[to] = convert(valueIn(frame, from), bits, scale < 0 ? 0x7f : numberIn(frame, scale));
  };
}

function prepareOperation(
  operation: Operation,
  step: { readonly to: Ref; readonly from: readonly Ref[] },
  placeOf: PlaceOf,
): Action {
  const to = placeOf(step.to);
  const [a = 0, b = a, c = a, d = a] = step.from.map(placeOf);
  switch (step.from.length) {
    case 1:
      return (frame) => {
        frame[to] = operation(valueIn(frame, a), 0, 0);
      };
    case 2:
      return (frame) => {
        frame[to] = operation(valueIn(frame, a), valueIn(frame, b), 0);
      };
    case 3:
      return (frame) => {
        frame[to] = operation(valueIn(frame, a), valueIn(frame, b), valueIn(frame, c));
      };
    default:
      return (frame) => {
        frame[to] = operation(valueIn(frame, a), valueIn(frame, b), valueIn(frame, c), frame[d]);
      };
  }
}

function prepareCompare(step: StepOf<'compare'>, placeOf: PlaceOf): Action {
  const holds = comparison(step.comparison, step.type, step.flush);
  const [to, a, b] = [placeOf(step.to), placeOf(step.from[0]), placeOf(step.from[1])];
  return (frame) => {
    frame[to] = holds(valueIn(frame, a), valueIn(frame, b)) ? 1 : 0;
  };
}

function prepareSelect(step: StepOf<'select'>, placeOf: PlaceOf): Action {
  const [to, condition] = [placeOf(step.to), placeOf(step.condition)];
  const [a, b] = [placeOf(step.from[0]), placeOf(step.from[1])];
  return (frame) => {
    frame[to] = valueIn(frame, frame[condition] === 0 ? b : a);
  };
}

// --- lanes ----------------------------------------------------------------------------------------------------------

/** Returns a function that extracts `width` bits of a value, starting with bit `low`. */
function extractor(low: number, width: number): (value: Bits) => Bits {
  const shift = BigInt(low);
  const mask = width >= 32 ? 0xffffffff : 2 ** width - 1;
  return (value) => {
    if (typeof value === 'bigint') return chop(value >> shift, width);
    return ((value >>> low) & mask) >>> 0;
  };
}

function prepareUnpack(step: StepOf<'unpack'>, placeOf: PlaceOf): Action {
  const from = placeOf(step.from);
  const top = step.to.length - 1;
  const lanes = step.to.map((ref, i) => ({
    to: placeOf(ref),
    extract: extractor((top - i) * step.stride, step.lane),
  }));
  return (frame) => {
    const value = valueIn(frame, from);
    for (const lane of lanes) frame[lane.to] = lane.extract(value);
  };
}

function preparePack(step: StepOf<'pack'>, placeOf: PlaceOf): Action {
  const to = placeOf(step.to);
  const from = step.from.map(placeOf);
  const { lane, stride } = step;
  if (stride * from.length > 32) return packWide(to, from, lane, stride);
  const mask = lane >= 32 ? 0xffffffff : 2 ** lane - 1;
  if (from.length === 1) {
    const [only = 0] = from;
    return unary(to, only, (value) => chop(value, lane));
  }
  return (frame) => {
    let packed = 0;
    for (const place of from) packed = (packed << stride) | (numberIn(frame, place) & mask);
    frame[to] = packed >>> 0;
  };
}

function packWide(to: number, from: readonly number[], lane: number, stride: number): Action {
  const shift = BigInt(stride);
  return (frame) => {
    let packed = 0n;
    for (const place of from) packed = (packed << shift) | BigInt(chop(valueIn(frame, place), lane));
    frame[to] = packed;
  };
}

function prepareJoin(step: StepOf<'join'>, placeOf: PlaceOf): Action {
  const [to, high, low] = [placeOf(step.to), placeOf(step.high), placeOf(step.low)];
  const { shift, width } = step;
  if (width > 32) {
    const far = BigInt(shift);
    return (frame) => {
      frame[to] = BigInt.asUintN(width, (BigInt(valueIn(frame, high)) << far) | BigInt(valueIn(frame, low)));
    };
  }
  return (frame) => {
    const above = shift >= 32 ? 0 : numberIn(frame, high) << shift;
    frame[to] = chop((above | numberIn(frame, low)) >>> 0, width);
  };
}
