/** Finds the functions of two modules that correspond to each other. */
import { append } from '../../base/append.ts';
import { demangle } from '../../base/demangle/demangle.ts';
import { elementAt } from '../../base/element-at.ts';
import type { FunctionPlace } from '../functions.ts';
import type { NormalBody } from './normal-body.ts';

/** The functions of one module, and `read`, which returns the body of one of these functions. */
export interface Side {
  readonly functions: readonly FunctionPlace[];
  /** Null if the function cannot be read. */
  readonly read: (place: FunctionPlace) => NormalBody | null;
}

export interface FunctionMatches {
  /** Functions that correspond to each other, in the order of the first module. */
  readonly pairs: readonly (readonly [a: FunctionPlace, b: FunctionPlace])[];
  readonly onlyInA: readonly FunctionPlace[];
  readonly onlyInB: readonly FunctionPlace[];
}

/**
 * Matches functions by name first. The remaining functions are matched by their C++ name without arguments, if only one
 * function on each side has that name. Functions that still have no counterpart are matched by their instructions.
 */
export function matchFunctions(a: Side, b: Side): FunctionMatches {
  const found = new Map<FunctionPlace, FunctionPlace>();
  const taken = new Set<FunctionPlace>();
  const match = (one: FunctionPlace, other: FunctionPlace): void => {
    if (found.has(one) || taken.has(other) || one.entry !== other.entry) return;
    found.set(one, other);
    taken.add(other);
  };
  const restA = (): readonly FunctionPlace[] => a.functions.filter((one) => !found.has(one));
  const restB = (): readonly FunctionPlace[] => b.functions.filter((one) => !taken.has(one));
  for (const nameOf of [({ name }: FunctionPlace) => name, baseName]) {
    const inB = uniqueBy(restB(), nameOf);
    for (const [name, one] of uniqueBy(restA(), nameOf)) {
      const other = inB.get(name);
      if (other !== undefined) match(one, other);
    }
  }
  for (const pairsOf of [equalPairs, similarPairs]) {
    for (const [one, other] of pairsOf({ ...a, functions: restA() }, { ...b, functions: restB() })) match(one, other);
  }
  return {
    pairs: a.functions.flatMap((one) => {
      const other = found.get(one);
      return other === undefined ? [] : [[one, other] as const];
    }),
    onlyInA: restA(),
    onlyInB: restB(),
  };
}

/**
 * The name without template arguments and parameters, such as `scale` for `void scale<float>(float*, int)`. This name
 * identifies a function even if the function's parameters have changed.
 */
function baseName({ name }: FunctionPlace): string {
  const demangled = demangle(name);
  if (demangled === null) return name;
  const before = demangled.replace(/[<(].*$/, '');
  return before.slice(before.lastIndexOf(' ') + 1);
}

function uniqueBy(
  functions: readonly FunctionPlace[],
  nameOf: (one: FunctionPlace) => string,
): ReadonlyMap<string, FunctionPlace> {
  const counts = new Map<string, number>();
  const named = functions.map((one) => [nameOf(one), one] as const);
  for (const [name] of named) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(named.filter(([name]) => counts.get(name) === 1));
}

/**
 * The number of hashes that describe a function. Two functions are considered similar if at least a quarter of their
 * hashes agree.
 */
const hashes = 16;
const fewestEqual = 4;

/**
 * The maximum number of functions that are recorded for each hash value. Further functions with this value are ignored.
 */
const mostWithOneHash = 16;

/**
 * Pairs of similar functions, the most similar first. The instruction shapes of a function are hashed in several ways,
 * and the smallest hash of each kind is kept. The more of these hashes two functions have in common, the more shapes
 * they are likely to have in common (Broder 1997).
 */
function similarPairs(a: Side, b: Side): readonly (readonly [a: FunctionPlace, b: FunctionPlace])[] {
  if (a.functions.length === 0 || b.functions.length === 0) return [];
  const sketches = b.functions.map((one) => sketchOf(b.read(one)));
  const buckets = new Map<string, number[]>();
  for (const [j, sketch] of sketches.entries()) {
    for (const [h, value] of sketch.entries()) {
      const key = `${h} ${value}`;
      const others = buckets.get(key);
      if (others === undefined) buckets.set(key, [j]);
      else if (others.length < mostWithOneHash) others.push(j);
    }
  }
  const scored = a.functions.flatMap((one) => {
    const scores = new Map<number, number>();
    for (const [h, value] of sketchOf(a.read(one)).entries()) {
      for (const j of buckets.get(`${h} ${value}`) ?? []) scores.set(j, (scores.get(j) ?? 0) + 1);
    }
    return [...scores].filter(([, score]) => score >= fewestEqual).map(([j, score]) => ({ one, j, score }));
  });
  return scored.toSorted((x, y) => y.score - x.score).map(({ one, j }) => [one, elementAt(b.functions, j)]);
}

/**
 * Pairs of functions with the same instructions. If several functions have the same instructions, they are paired in
 * order.
 */
function equalPairs(a: Side, b: Side): readonly (readonly [a: FunctionPlace, b: FunctionPlace])[] {
  if (a.functions.length === 0 || b.functions.length === 0) return [];
  const textOf = (body: NormalBody | null): string => (body?.lines ?? []).map(({ shape }) => shape).join('\n');
  const digest = (side: Side, one: FunctionPlace): string => {
    const text = textOf(side.read(one));
    return `${text.length} ${hashOf(text)}`;
  };
  const waiting = new Map<string, FunctionPlace[]>();
  for (const one of b.functions) {
    const key = digest(b, one);
    append(waiting, key, one);
  }
  return a.functions.flatMap((one) => {
    const other = waiting.get(digest(a, one))?.shift();
    return other === undefined ? [] : [[one, other] as const];
  });
}

function sketchOf(body: NormalBody | null): Uint32Array {
  const lines = body?.lines ?? [];
  if (lines.length === 0) return new Uint32Array(0);
  const sketch = new Uint32Array(hashes).fill(0xffff_ffff);
  for (const shape of new Set(lines.map((line) => line.shape))) {
    const hash = hashOf(shape);
    for (let h = 0; h < hashes; h++) sketch[h] = Math.min(sketch[h] ?? 0, mixed(hash, h));
  }
  return sketch;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  return hash >>> 0;
}

function mixed(hash: number, seed: number): number {
  let mix = hash ^ Math.imul(seed + 1, 0x9e37_79b1);
  mix = Math.imul(mix ^ (mix >>> 16), 0x85eb_ca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2_ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
