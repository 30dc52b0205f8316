/**
 * The state of the Convert page: a conversion, the bits of its inputs, and the lane in view. Every change creates a new
 * state.
 */
import {
  type Bits,
  type ConversionEntry,
  explainEvaluation,
  type EvaluationExplanation,
  type FormatName,
  formats,
  type LaneExplanation,
  nextNumber,
  numberAt,
  numberRank,
  numberValue,
  readNumber,
} from 'ptxlab/numbers';
import type { Catalog, Choice } from './catalog.ts';

export interface ConvertState {
  readonly entry: ConversionEntry;
  /** The bits of each input of the conversion. */
  readonly inputs: readonly Bits[];
  /** The index of the lane that is shown. In a packed input, lane 0 has the highest bits. */
  readonly lane: number;
}

/** A state, together with the results of its evaluation. */
export interface View {
  readonly state: ConvertState;
  readonly evaluation: EvaluationExplanation;
  readonly lane: LaneExplanation;
  /** The source bits of the lane. */
  readonly source: Bits;
}

export function viewOf(state: ConvertState): View {
  const evaluation = explainEvaluation(state.entry.mnemonic, state.inputs);
  const lane = evaluation.conversions[state.lane];
  if (lane === undefined) throw new Error(`${state.entry.mnemonic} has no lane ${state.lane}`);
  return { state, evaluation, lane, source: sourceOf(state, state.lane) };
}

/**
 * The location of a lane's source: the index of the input that contains it, and the position of its lowest bit in that
 * input.
 */
function placeOf({ entry }: ConvertState, lane: number): { input: number; low: number } {
  const values = entry.inputs.filter(({ name }) => name.length === 1).length;
  if (values === entry.lanes) return { input: lane, low: 0 };
  const stride = (entry.inputs[0]?.width ?? 0) / entry.lanes;
  return { input: 0, low: (entry.lanes - 1 - lane) * stride };
}

/** The bits of a lane's source. */
export function sourceOf(state: ConvertState, lane: number): Bits {
  const { input, low } = placeOf(state, lane);
  return narrow(BigInt(state.inputs[input] ?? 0) >> BigInt(low), formats[state.entry.from].width);
}

/** Returns a copy of the state in which the source bits of a lane are replaced with the given ones. */
export function withSource(state: ConvertState, lane: number, bits: Bits): ConvertState {
  const { input, low } = placeOf(state, lane);
  const mask = ((1n << BigInt(formats[state.entry.from].width)) - 1n) << BigInt(low);
  const old = BigInt(state.inputs[input] ?? 0);
  const whole = (old & ~mask) | ((BigInt(bits) << BigInt(low)) & mask);
  return withInput(state, input, narrow(whole, state.entry.inputs[input]?.width ?? 0));
}

export function withInput(state: ConvertState, input: number, bits: Bits): ConvertState {
  return { ...state, inputs: state.inputs.map((old, i) => (i === input ? bits : old)) };
}

/**
 * Returns the state for the conversion that is closest to what the user has chosen. The values are converted to the new
 * source format.
 */
export function withChoice(catalog: Catalog, state: ConvertState, choice: Choice, must?: string): ConvertState {
  const entry = catalog.nearest(choice, must ?? null) ?? state.entry;
  const empty = emptyState(entry);
  const lanes = Math.max(entry.lanes, state.entry.lanes);
  let next = { ...empty, lane: Math.min(state.lane, entry.lanes - 1) };
  for (let lane = 0; lane < Math.min(lanes, entry.lanes, state.entry.lanes); lane++) {
    next = withSource(next, lane, carried(sourceOf(state, lane), state.entry.from, entry.from));
  }
  entry.inputs.forEach(({ name }, i) => {
    const old = state.entry.inputs.findIndex((input) => input.name === name);
    if (name.length > 1 && old >= 0) next = withInput(next, i, state.inputs[old] ?? 0);
  });
  return next;
}

/** A state in which all inputs are 0 and all scales are 1. */
export function emptyState(entry: ConversionEntry): ConvertState {
  return { entry, lane: 0, inputs: entry.inputs.map(emptyInput) };
}

function emptyInput({ name, width }: ConversionEntry['inputs'][number]): Bits {
  if (name === 'scale-factor') return width === 8 ? 0x7f : 0x7f7f;
  return narrow(0n, width);
}

/** Converts a value to another format, rounding to the nearest value of that format, and returns its bits. */
function carried(bits: Bits, from: FormatName, to: FormatName): Bits {
  if (from === to) return bits;
  const isInteger = formats[to].kind === 'integer';
  if (isInteger && formats[from].kind === 'integer') return narrow(BigInt(bits), formats[to].width);
  const value = numberValue(from, bits);
  try {
    return readNumber(String(isInteger ? Math.trunc(value) : value).replace('Infinity', 'inf'), to).bits;
  } catch {
    return 0;
  }
}

/**
 * The state with the next larger (or smaller) source value; the same state if there is no larger (or smaller) value.
 */
export function stepSource(state: ConvertState, up: boolean): ConvertState {
  const next = nextNumber(state.entry.from, sourceOf(state, state.lane), up);
  return next === null ? state : withSource(state, state.lane, next);
}

/** Maximum number of times that the distance is doubled in a search for the next result. */
const longestSearch = 70;

/**
 * Returns the state with the nearest larger (or smaller) source value that gives a different result, or the same state
 * if there is no such value. Because the results of a conversion are monotonic, the search doubles the distance until
 * the result differs, and then bisects.
 */
export function stepResult(state: ConvertState, up: boolean): ConvertState {
  const result = (candidate: ConvertState): Bits | undefined => viewOf(candidate).lane.explanation.result.bits;
  const here = result(state);
  const from = numberRank(state.entry.from, sourceOf(state, state.lane));
  const at = (distance: bigint): ConvertState | null => {
    const bits = numberAt(state.entry.from, from + (up ? distance : -distance));
    return bits === null ? null : withSource(state, state.lane, bits);
  };
  let near = 0n;
  let far = 1n;
  for (let tries = 0; tries < longestSearch; tries++) {
    const candidate = at(far);
    if (candidate === null) return lastBefore(at, near, far, here, result) ?? state;
    if (result(candidate) !== here) return firstOther(at, near, far, here, result) ?? state;
    near = far;
    far *= 2n;
  }
  return state;
}

type At = (distance: bigint) => ConvertState | null;
type Result = (state: ConvertState) => Bits | undefined;

/**
 * Finds the smallest distance at which the result differs from the current one. The result is still the same at the
 * distance `same`, and differs at the greater distance `other`.
 */
function firstOther(at: At, same: bigint, other: bigint, here: Bits | undefined, result: Result): ConvertState | null {
  let [near, far] = [same, other];
  while (far - near > 1n) {
    const middle = (near + far) / 2n;
    const candidate = at(middle);
    if (candidate !== null && result(candidate) === here) near = middle;
    else far = middle;
  }
  return at(far);
}

/**
 * Searches for a different result among the remaining values of the format. The format has a value at the distance
 * `inside`, but none at the larger distance `outside`.
 */
function lastBefore(
  at: At,
  inside: bigint,
  outside: bigint,
  here: Bits | undefined,
  result: Result,
): ConvertState | null {
  let [near, far] = [inside, outside];
  while (far - near > 1n) {
    const middle = (near + far) / 2n;
    if (at(middle) === null) far = middle;
    else near = middle;
  }
  const last = at(near);
  return last === null || result(last) === here ? null : firstOther(at, inside, near, here, result);
}

function narrow(bits: bigint, width: number): Bits {
  const low = BigInt.asUintN(width, bits);
  return width > 32 ? low : Number(low);
}
