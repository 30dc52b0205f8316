/**
 * Finds the undefined bits of a step's results, given the undefined bits of its sources. Moves, logic, shifts and
 * selections are tracked exactly. For sums, and for the low halves of products, every bit from the lowest undefined bit
 * upward is undefined. The result of a comparison is undefined if it depends on undefined bits. In all other steps, one
 * undefined source bit makes the whole result undefined.
 */
import { type Bits, chop } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import type { StepOf } from '../isa/steps/step.ts';
import type { ValueStep, ValueSteps } from '../isa/steps/value.ts';
import type { Undefined } from '../machine/memory/definedness.ts';
import { comparison } from '../numerics/compare.ts';
import { formats } from '../numerics/formats.ts';
import { bitOperation } from '../numerics/integers.ts';
import type { BitFunction, IntegerFunction } from '../numerics/operations.ts';
import { type CarefulAction, setUndefined, type Shadowed, strongest } from './shadow.ts';
import { type Action, type Frame, type PlaceOf, prepareStep } from './value-steps.ts';

/** How a result depends on its sources. */
export interface Flow {
  readonly to: number;
  readonly from: readonly number[];
  /** The undefined bits of the result, given the undefined bits and the values of the sources. */
  readonly through: (masks: readonly bigint[], values: readonly Bits[]) => bigint;
}

/** Wraps a step's action for a thread that may have undefined values. */
export function careful(flows: readonly Flow[], run: Action): CarefulAction {
  return (frame, thread) => {
    const found = flows.map((flow) => undefinedResult(flow, frame, thread));
    run(frame);
    flows.forEach(({ to }, i) => setUndefined(thread, to, found[i] ?? null));
  };
}

export function prepareCarefully(step: ValueStep, placeOf: PlaceOf): CarefulAction {
  return careful(flowsOf(step, placeOf), prepareStep(step, placeOf));
}

function undefinedResult({ from, through }: Flow, frame: Frame, { shadow }: Shadowed): Undefined | null {
  const sources = from.map((place) => shadow?.get(place));
  const strong = strongest(sources);
  if (strong === null) return null;
  const masks = sources.map((source) => source?.mask ?? 0n);
  const values = from.map((place) => elementAt(frame, place));
  const mask = through(masks, values);
  return mask === 0n ? null : { mask, origin: strong.origin };
}

export function allBits(width: number): bigint {
  return (1n << BigInt(width)) - 1n;
}

/** If any bit of a source is undefined, all bits of the result are undefined. */
export function everything(width: number): Flow['through'] {
  const all = allBits(width);
  return (masks) => (masks.some((mask) => mask !== 0n) ? all : 0n);
}

/** All bits from the lowest undefined bit upward are undefined, because carries move upward. */
export function upwards(width: number): Flow['through'] {
  const all = allBits(width);
  return (masks) => {
    const union = masks.reduce((found, mask) => found | mask, 0n);
    return (union | -union) & all;
  };
}

type FlowsOf<Kind extends keyof ValueSteps> = (step: StepOf<Kind>, placeOf: PlaceOf) => readonly Flow[];

const flows: { readonly [Kind in keyof ValueSteps]: FlowsOf<Kind> } = {
  convert: ({ conversion, to, from, random, scale }, placeOf) => {
    const sources = [from, random, scale].flatMap((ref) => (ref === null ? [] : [placeOf(ref)]));
    return [{ to: placeOf(to), from: sources, through: throughConversion(conversion) }];
  },
  clamp: ({ type, to, from }, placeOf) => [
    { to: placeOf(to), from: [placeOf(from)], through: everything(formats[type].width) },
  ],
  unpack: ({ to, from, lane, stride }, placeOf) =>
    to.map((ref, i) => ({
      to: placeOf(ref),
      from: [placeOf(from)],
      through: ([mask = 0n]) => (mask >> BigInt((to.length - 1 - i) * stride)) & allBits(lane),
    })),
  pack: ({ to, from, lane, stride }, placeOf) => [
    {
      to: placeOf(to),
      from: from.map(placeOf),
      through: (masks) => masks.reduce((all, mask) => (all << BigInt(stride)) | (mask & allBits(lane)), 0n),
    },
  ],
  extract: ({ to, from, low, width }, placeOf) => [
    { to: placeOf(to), from: [placeOf(from)], through: ([mask = 0n]) => (mask >> BigInt(low)) & allBits(width) },
  ],
  join: ({ to, high, low, shift, width }, placeOf) => [
    {
      to: placeOf(to),
      from: [placeOf(high), placeOf(low)],
      through: ([above = 0n, below = 0n]) => ((above << BigInt(shift)) | below) & allBits(width),
    },
  ],
  copy: ({ to, from }, placeOf) => [{ to: placeOf(to), from: [placeOf(from)], through: ([mask = 0n]) => mask }],
  constant: ({ to }, placeOf) => [{ to: placeOf(to), from: [], through: () => 0n }],
  float: ({ format, to, from }, placeOf) => [
    { to: placeOf(to), from: from.map(placeOf), through: everything(formats[format].width) },
  ],
  mufu: ({ to, from }, placeOf) => [{ to: placeOf(to), from: [placeOf(from)], through: everything(32) }],
  integer: ({ fn, type, sat, to, from }, placeOf) => {
    const width = fn.endsWith('.wide') ? 2 * formats[type].width : formats[type].width;
    const through = !sat && carrying.has(fn) ? upwards(width) : everything(width);
    return [{ to: placeOf(to), from: from.map(placeOf), through }];
  },
  bits: ({ fn, width, to, from }, placeOf) => [
    { to: placeOf(to), from: from.map(placeOf), through: throughBits(fn, width) },
  ],
  compare: (step, placeOf) => [
    { to: placeOf(step.to), from: step.from.map(placeOf), through: throughComparison(step) },
  ],
  select: ({ to, condition, from }, placeOf) => [
    { to: placeOf(to), from: [condition, ...from].map(placeOf), through: throughSelection },
  ],
};

function flowsOf<Kind extends keyof ValueSteps>(step: StepOf<Kind>, placeOf: PlaceOf): readonly Flow[] {
  return flows[step.kind](step, placeOf);
}

/**
 * If an integer is only truncated or extended, its undefined bits are preserved. If the sign bit of the integer is
 * undefined, all bits that repeat it are undefined as well.
 */
function throughConversion({ from, to, sat, relu, integral }: StepOf<'convert'>['conversion']): Flow['through'] {
  const [source, target] = [formats[from], formats[to]];
  if (source.kind !== 'integer' || target.kind !== 'integer' || sat || relu || integral)
    return everything(target.width);
  return ([mask = 0n]) => BigInt.asUintN(target.width, source.signed ? BigInt.asIntN(source.width, mask) : mask);
}

/** Functions in which each bit of the result depends only on source bits at the same or lower positions. */
const carrying: ReadonlySet<IntegerFunction> = new Set([
  'add',
  'sub',
  'neg',
  'mul.lo',
  'mad.lo',
  'mul.wide',
  'mad.wide',
]);

const bitwise: ReadonlySet<BitFunction> = new Set(['and', 'or', 'xor', 'not', 'lop3']);
const counting: ReadonlySet<BitFunction> = new Set(['popc', 'clz', 'fns']);

function throughBits(fn: BitFunction, width: number): Flow['through'] {
  const operation = bitOperation(fn, width);
  if (bitwise.has(fn)) return throughLogic(operation, width);
  if (counting.has(fn)) return everything(32);
  if (fn === 'cnot') return ([mask = 0n], [value = 0]) => (mask === 0n || (BigInt(value) & ~mask) !== 0n ? 0n : 1n);
  // The remaining functions only move the bits of their first source, or of the first two for `prmt`. The other
  // sources, if any, determine how the bits are moved.
  const movers = fn === 'brev' ? 1 : fn.startsWith('prmt') ? 2 : 1;
  return (masks, values) => {
    if (masks.slice(movers).some((mask) => mask !== 0n)) return allBits(width);
    const [a = 0, b = 0, c = 0] = values.map((value, i) => (i < movers ? chop(masks[i] ?? 0n, width) : value));
    return BigInt(operation(a, b, c));
  };
}

/**
 * Computes the result again with the undefined bits of some sources flipped, for every possible selection of sources. A
 * bit that is not the same in all of these results is undefined.
 */
function throughLogic(operation: ReturnType<typeof bitOperation>, width: number): Flow['through'] {
  return (masks, values) => {
    const flipped = (which: number): bigint => {
      const [a = 0, b = 0, c = 0, d = 0] = values.map((value, i) =>
        ((which >> i) & 1) === 0 ? value : chop(BigInt(value) ^ (masks[i] ?? 0n), width),
      );
      return BigInt(operation(a, b, c, d));
    };
    const found = flipped(0);
    let differing = 0n;
    for (let which = 1; which < 1 << values.length; which++) differing |= flipped(which) ^ found;
    return differing & allBits(width);
  };
}

/** The result of an integer comparison is defined if it is the same regardless of the values of the undefined bits. */
function throughComparison({ comparison: name, type, flush }: StepOf<'compare'>): Flow['through'] {
  const format = formats[type];
  if (format.kind !== 'integer') return everything(1);
  const { width, signed } = format;
  const holds = comparison(name, type, flush);
  const sign = signed ? 1n << BigInt(width - 1) : 0n;
  const least = (value: bigint, mask: bigint): Bits => chop((value & ~mask) | (mask & sign), width);
  const most = (value: bigint, mask: bigint): Bits => chop((value | mask) & ~(mask & sign), width);
  return ([ofA = 0n, ofB = 0n], [first = 0, second = 0]) => {
    const [a, b] = [BigInt(first), BigInt(second)];
    if (name === 'eq' || name === 'ne') return ((a ^ b) & ~(ofA | ofB)) === 0n ? 1n : 0n;
    return holds(least(a, ofA), most(b, ofB)) === holds(most(a, ofA), least(b, ofB)) ? 0n : 1n;
  };
}

/**
 * If the condition is undefined, a bit of the result is defined only if the bit at this position is defined in both
 * sources and has the same value in both.
 */
const throughSelection: Flow['through'] = ([ofCondition = 0n, ofA = 0n, ofB = 0n], [condition, a = 0, b = 0]) => {
  if (ofCondition === 0n) return condition === 0 ? ofB : ofA;
  return ofA | ofB | (BigInt(a) ^ BigInt(b));
};
