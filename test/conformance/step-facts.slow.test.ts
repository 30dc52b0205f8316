/**
 * Runs every kind of step in the table on a recording engine and compares what the step read, wrote and affected with
 * the facts that are declared for this kind of step. Each fact is then replaced by a wrong one, and the comparison must
 * detect this mistake.
 */
import { describe, expect, test } from 'vitest';
import type { Bits } from '../../src/base/bits.ts';
import { elementAt } from '../../src/base/element-at.ts';
import { type Collective, keyOf as collectiveKey } from '../../src/isa/collective.ts';
import type { Variant } from '../../src/isa/form.ts';
import { type Environment, namedEnvironment } from '../../src/isa/environment.ts';
import { expandForm } from '../../src/isa/expand.ts';
import { isSameFor, type Sameness } from '../../src/isa/sameness.ts';
import {
  flowOf,
  groupOf,
  inputsOf,
  isGroupStep,
  looksAtOthers,
  memoryUses,
  outputsOf,
  refsOf,
  samenessOfSpace,
  uniformityOf,
} from '../../src/isa/steps/effects.ts';
import { operandRef, type Ref, sharedRefs } from '../../src/isa/steps/ref.ts';
import { impliedRegisters } from '../../src/isa/registers.ts';
import { type Step, stepFacts, type StepKind, type StepOf } from '../../src/isa/steps/step.ts';
import { allForms } from '../../src/isa/table.ts';
import { windowBase } from '../../src/machine/memory/address-space.ts';
import { tensorElement, swizzles } from '../../src/isa/tensor-map-fields.ts';
import { encodeTensorMap } from '../../src/machine/tensor-maps/tensor-map.ts';
import { RandomSource } from '../differential/random-source.ts';
import { operandWidths, type Player, record, textureAddress, type Touched } from './recording-engine.ts';

// --- samples --------------------------------------------------------------------------------------------------------

interface Sample {
  readonly step: Step;
  /** A value for every name that the step uses. */
  readonly values: ReadonlyMap<Ref, Bits>;
  readonly widths: ReadonlyMap<Ref, number>;
}

/** Approximate functions have different steps on sm_90. */
const environments = ['sm_100a', 'sm_90a'].map((target) => namedEnvironment(target, '9.1'));
const variantsOfForm = 4;
const samplesAlike = 3;
const random = new RandomSource(11);

const sampledVariants = (): readonly Variant[] =>
  [...allForms()].flatMap((form) => [...take(expandForm(form), variantsOfForm)]);

/**
 * Collects samples of the steps that the forms in the table produce, by kind. Each sample includes a value for each
 * name that the step uses, as computed by the earlier steps of the same form.
 */
function collectSamples(): ReadonlyMap<StepKind, readonly Sample[]> {
  const found = new Map<StepKind, Sample[]>();
  const seen = new Set<string>();
  const alike = new Map<string, number>();
  const isWanted = (step: Step): boolean => (alike.get(likeness(step)) ?? 0) < samplesAlike && !seen.has(keyOf(step));
  for (const environment of environments) {
    for (const variant of sampledVariants()) {
      const widths = operandWidths(variant);
      const values = new Map<Ref, Bits>();
      const steps = variant.form.steps(variant, environment);
      // Steps after the last wanted step are not sampled, so they do not have to be run.
      for (const step of steps.slice(0, steps.findLastIndex(isWanted) + 1)) {
        for (const ref of refsOf(step))
          values.set(ref, legalInput(step, ref) ?? values.get(ref) ?? randomBits(widths.get(ref)));
        const sample = { step, values: new Map(values), widths };
        if (isWanted(step)) {
          found.set(step.kind, [...(found.get(step.kind) ?? []), sample]);
          alike.set(likeness(step), (alike.get(likeness(step)) ?? 0) + 1);
          seen.add(keyOf(step));
        }
        if (step === steps.at(-1)) break;
        const { writes, results } = record(step, [playerOf(sample, 0, 0)]);
        [...writes].forEach((ref, i) => values.set(ref, results[0]?.[i] ?? 0));
      }
    }
  }
  // No form produces the step for instructions that are only checked, so this step is added explicitly.
  found.set('unsupported', [{ step: { kind: 'unsupported', what: 'test' }, values: new Map(), widths: new Map() }]);
  return found;
}

function keyOf(step: Step): string {
  return JSON.stringify(step, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

/**
 * Returns a string that is the same for similar steps. Among steps with the same string, only a few have to be sampled.
 * Steps are similar if they use the same fields and the same kind of memory or group.
 */
function likeness(step: Step): string {
  const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
  const used = Object.entries(step).flatMap(([field, value]) => (isEmpty(value) ? [] : [field]));
  const among = step.kind === 'collective' ? [collectiveName(step.fn)] : memoryUses(step).map(({ space }) => space);
  const order = step.kind === 'load' && step.order !== null ? ['strong'] : [];
  return [step.kind, ...used, ...among, ...order].join();
}

/** All matrix products are regarded as similar, and so are all computations of addresses. */
function collectiveName(fn: Collective): string {
  return fn.form === 'mma' || fn.form === 'addresses' ? fn.form : collectiveKey(fn);
}

function* take<T>(all: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const one of all) {
    if (left-- === 0) return;
    yield one;
  }
}

function randomBits(width = 32): Bits {
  if (width > 32) return BigInt.asUintN(width, (BigInt(random.bits()) << 32n) | BigInt(random.bits()));
  return width === 32 ? random.bits() : random.bits() % 2 ** width;
}

/**
 * Some steps access bytes at two addresses, and these bytes must not overlap. Returns the second address of such a
 * step; null for all other steps.
 */
function secondAddress(step: Step): Ref | null {
  if (step.kind === 'bulk' || step.kind === 'bulk-atomic') return step.source;
  return step.kind === 'load-box' || step.kind === 'multicast-box' ? step.object : null;
}

/**
 * Returns an input of the smallest product that the step can compute. The matrices in shared memory begin at byte 64,
 * and all rows overlap.
 */
function productInput({ product, instruction, ...step }: StepOf<'tensor-product'>, ref: Ref): Bits {
  const { a, b, d, metadata, zeroColumns } = step;
  if (ref === b || (ref === a && !product.aInTensor)) return 4n;
  if (ref === d) return 64n;
  if (ref === a || ref === metadata || ref === zeroColumns || ref.startsWith('$scale-')) return 0n;
  if (ref !== instruction) return 0;
  const factor = Math.min(...Object.keys(product.factors).map(Number));
  const isScaled = product.kind === 'float' && product.scaling !== null;
  const sum = isScaled ? 0 : product.kind === 'integer' ? 2 : 1;
  const scaleFormat = isScaled ? 1 : 0;
  const sparse = product.sparse ? 4 : 0;
  const types = sparse | (sum << 4) | (factor << 7) | (factor << 10) | (scaleFormat << 23);
  const { blocks, stationary } = product;
  const [rows, columns] = isScaled ? [128 * blocks, 16] : stationary ? [32, 64] : [64 * blocks, 8 * blocks];
  const size = ((columns / 8) << 17) | ((rows / 16) << 24);
  return (types | size) >>> 0;
}

/** Values for fields that do not accept every value: addresses, barrier numbers, indices of targets, and masks. */
function legalInput(step: Step, ref: Ref): Bits | null {
  if (step.kind === 'require') return 1;
  // Only the first lane of a warp changes which columns of tensor memory are allocated.
  if (step.kind === 'atomic' && ref === '$is-first') return 1;
  if (step.kind === 'tensor-product') return productInput(step, ref);
  if (step.kind === 'tensor-copy') return ref === step.to ? 64n : 4n;
  if (step.kind === 'texture-read' && (ref === step.texture || ref === step.sampler)) return BigInt(textureAddress);
  if (step.kind === 'surface-address' || step.kind === 'surface-store') {
    if (ref === step.surface) return BigInt(textureAddress);
    if (step.coordinates.includes(ref)) return 0;
  }
  for (const { space, address } of memoryUses(step)) {
    // Boxes in shared memory are aligned to 128 bytes.
    const isBox = 'tensorSpace' in step;
    const offset = (ref === secondAddress(step)) === isBox ? 64n : 128n;
    if (address === ref) return (space === 'generic' ? windowBase('local', 64) : 0n) + offset;
  }
  switch (step.kind) {
    case 'load-box':
    case 'store-box':
    case 'reduce-box':
    case 'multicast-box': {
      if (step.kind === 'multicast-box' && ref === step.mask) return 1;
      const word = step.map.indexOf(ref);
      if (word >= 0)
        return elementAt(mapOf(step.mode === 'rows' ? 2 : step.coordinates.length, step.mode === 'im2col'), 1 + word);
      return step.coordinates.includes(ref) || ('offsets' in step && step.offsets.includes(ref)) ? 0 : null;
    }
    case 'barrier':
      return ref === step.barrier ? 3 : ref === step.count ? 32 : null;
    case 'collective':
      return ref === step.mask ? 0xff : shuffleInput(step, ref);
    case 'switch':
      return 1;
    case 'transfer':
      return ref === step.size || ref === step.count ? 4 : null;
    case 'clear':
      return ref === step.size ? 16 : null;
    case 'bulk':
      if (ref === step.mask) return 0xffff;
      if (ref === step.left || ref === step.right) return 1;
      return ref === step.size ? 16 : null;
    case 'bulk-atomic':
      return ref === step.size ? 16 : null;
    case 'window':
      return windowBase(step.space, step.width) + 16n;
    case 'in-window':
      return 16n;
    default:
      return null;
  }
}

/**
 * The words of a tensor map. A copy with this map copies 16 bytes: either a box with a single row, or a single pixel.
 */
function mapOf(rank: number, isIm2col: boolean): readonly bigint[] {
  const each = (first: number, other: number): readonly number[] =>
    Array.from({ length: rank }, (_, i) => (i === 0 ? first : other));
  const corner = each(0, 0).slice(2);
  const { buffer } = encodeTensorMap({
    address: 0n,
    element: tensorElement('u32'),
    dimensions: each(4, 1),
    strides: each(16, 16).slice(1),
    part: isIm2col
      ? { kind: 'im2col', lowerCorner: corner, upperCorner: corner, channelsPerPixel: 4, pixelsPerColumn: 1 }
      : { kind: 'box', sizes: each(4, 1) },
    elementStrides: each(1, 1),
    swizzle: elementAt(swizzles, 0),
    fillsWithNan: false,
  });
  return [...new BigUint64Array(buffer)];
}

/** Operands that make a shuffle read lanes outside of the gang, or lanes beyond the shuffle's bounds. */
function shuffleInput({ fn, from }: StepOf<'collective'>, ref: Ref): Bits | null {
  if (fn.form !== 'shfl') return null;
  const [distance, bounds] = fn.mode === 'up' ? [1, 0] : [4, 0x11f];
  return ref === from[1] ? distance : ref === from[2] ? bounds : null;
}

function playerOf({ values }: Sample, thread: number, block: number): Player {
  return { thread, block, value: (ref) => values.get(ref) ?? 0 };
}

// --- comparison -----------------------------------------------------------------------------------------------------

/**
 * The differences between the facts that are declared for a kind of step and the behavior of the engine. The
 * differences are found one by one, so a caller that needs only the first difference runs no further samples.
 */
function* disagreements(kind: StepKind): Generator<string> {
  const all = samples.get(kind) ?? [];
  for (const sample of all) {
    for (const difference of sampleDifferences(sample)) yield `${keyOf(sample.step)}: ${difference}`;
  }
  yield* modestClaims(all);
}

function* sampleDifferences(sample: Sample): Generator<string> {
  const { step } = sample;
  const touched = record(step, isGroupStep(step) ? gangOf(sample) : [playerOf(sample, 0, 0)]);
  yield* differences('reads', readBefore(step, touched), inputsOf(step), alternatives(step));
  yield* differences('writes', touched.writes, outputsOf(step), []);
  if (touched.flow !== flowOf(step)) yield `goes ${touched.flow}`;
  if (touched.group !== groupOf(step)) yield `joins ${touched.group}`;
  yield* memoryDifferences(step, touched);
  yield* boldClaims(sample);
}

/** What a step reads, not counting the element addresses that the step computes itself. */
function readBefore(step: Step, { reads }: Touched): ReadonlySet<Ref> {
  const computed: readonly Ref[] = step.kind === 'bulk-atomic' ? [step.from, step.to] : [];
  return new Set([...reads].filter((ref) => !computed.includes(ref) || inputsOf(step).includes(ref)));
}

function differences(
  what: string,
  touched: ReadonlySet<Ref>,
  said: readonly Ref[],
  mayBeLeft: readonly Ref[],
): readonly string[] {
  const more = [...touched].filter((ref) => !said.includes(ref)).map((ref) => `${what} ${ref}`);
  const less = said.filter((ref) => !touched.has(ref) && !mayBeLeft.includes(ref)).map((ref) => `${what} no ${ref}`);
  return [...more, ...less];
}

/** The operands that need not be read. For example, a selection reads only the operand that it selects. */
function alternatives(step: Step): readonly Ref[] {
  const steps: readonly Step[] = step.kind === 'atomic' || step.kind === 'bulk-atomic' ? step.steps : [step];
  return steps.flatMap((one) => (one.kind === 'select' ? one.from : []));
}

function memoryDifferences(step: Step, { memory }: Touched): readonly string[] {
  const said = memoryUses(step).map(({ access, space }) => `${access} ${space === 'generic' ? 'local' : space}`);
  const done = [...memory].map(([at, access]) => `${access} ${at.split(' ')[0]}`);
  return [...said.filter((use) => !done.includes(use)), ...done.filter((use) => !said.includes(use))];
}

// --- how far results are shared --------------------------------------------------------------------------------------

/**
 * The first few threads of a warp, which form a gang, and some other threads of the warp. All threads of the gang have
 * the same inputs where the facts require this; the inputs of the other threads may differ.
 */
function gangOf(sample: Sample): readonly Player[] {
  const { step } = sample;
  const { given } = uniformityOf(step);
  return [0, 1, 2, 3, 4, 5, 6, 7].map((thread) => {
    const other = otherPlayer(sample, thread, 0, thread < gangSize ? given : []);
    // The threads are divided into two groups, unless the facts require that all of them are in the same group.
    const own = (ref: Ref): Bits | null => {
      if (given.includes(ref)) return null;
      if (step.kind === 'collective' && ref === step.mask) return (thread & 2) === 0 ? 0x33 : 0xcc;
      return step.kind === 'barrier' && ref === step.barrier ? thread & 2 : null;
    };
    return { thread, block: 0, value: (ref) => own(ref) ?? other.value(ref) };
  });
}

const gangSize = 4;

function otherPlayer(sample: Sample, thread: number, block: number, given: readonly Ref[]): Player {
  const { step, values, widths } = sample;
  return {
    thread,
    block,
    value: (ref): Bits => {
      const known = values.get(ref) ?? 0;
      if (legalInput(step, ref) !== null || given.includes(ref)) return known;
      const other = randomBits(widths.get(ref) ?? (typeof known === 'bigint' ? 64 : 1));
      // Two 1-bit values are often equal by chance, and wrong facts would then go unnoticed.
      if (other !== known) return other;
      return typeof other === 'bigint' ? other ^ 1n : other ^ 1;
    },
  };
}

/**
 * Threads that are compared with the first one: a neighbor, a thread of another warp, and a thread of another block.
 * The first of these threads whose result differs shows how widely the result is shared.
 */
const others: readonly (readonly [Sameness, thread: number, block: number])[] = [
  ['thread', 1, 0],
  ['warp', 33, 0],
  ['block', 0, 1],
];

/** How widely the results were shared when the step was executed once. */
function foundSameness(sample: Sample): Sameness {
  const { step } = sample;
  const scope = groupOf(step);
  if (scope === 'warp' || scope === 'block') {
    const results = new Set(record(step, gangOf(sample)).results.slice(0, gangSize).map(text));
    return results.size > 1 ? 'thread' : scope;
  }
  // Two reads of the same address may return different values, because other threads may write to it in between.
  if (step.kind === 'load' && step.order !== null) return 'thread';
  const { given } = uniformityOf(step);
  for (const [level, thread, block] of others) {
    // Two different values are usually clamped to the same bound, so one try would not be enough.
    const tries = step.kind === 'clamp' ? 8 : 1;
    for (let i = 0; i < tries; i++) {
      const { results } = record(step, [playerOf(sample, 0, 0), otherPlayer(sample, thread, block, given)]);
      if (new Set(results.map(text)).size > 1) return level;
    }
  }
  return 'grid';
}

/** Results that are not shared by as many threads as the facts claim. */
function boldClaims(sample: Sample): readonly string[] {
  const found = foundSameness(sample);
  const { among } = uniformityOf(sample.step);
  return hasResults(sample) && !isSameFor(found, among) ? [`is the same only within the ${found}`] : [];
}

/**
 * Finds the kinds of steps for which the facts claim too little: in every sample, the results are shared more widely
 * than the facts claim.
 */
function modestClaims(all: readonly Sample[]): readonly string[] {
  const kinds = new Set(all.filter(hasResults).map(({ step }) => likeness(step)));
  return [...kinds].flatMap((kind) => {
    const alike = all.filter(({ step }) => likeness(step) === kind);
    const needed = alike.some((sample) => foundSameness(sample) === uniformityOf(sample.step).among);
    return needed ? [] : [`${kind}: is shared more widely than its facts say`];
  });
}

function hasResults({ step }: Sample): boolean {
  return outputsOf(step).length > 0;
}

function text(bits: readonly Bits[]): string {
  return bits.join();
}

// --- tests ----------------------------------------------------------------------------------------------------------

const samples = collectSamples();
const kinds = Object.keys(stepFacts).filter((kind): kind is StepKind => Object.hasOwn(stepFacts, kind));

describe('a step touches exactly what its facts say', () => {
  test.each(kinds)('%s', (kind) => {
    expect(samples.get(kind)?.length ?? 0).toBeGreaterThan(0);
    expect([...disagreements(kind)]).toEqual([]);
  });
});

test('steps that may observe writes of other threads are marked: atomics, strong loads, and steps that order accesses or let other threads run', () => {
  const looking = kinds.filter((kind) => (samples.get(kind) ?? []).some(({ step }) => looksAtOthers(step)));
  expect(looking).toEqual(['load', 'atomic', 'commit-group', 'wait-group', 'fence', 'yield']);
  const loads = (samples.get('load') ?? []).map(({ step }) => step);
  expect(loads.every((step) => step.kind === 'load' && (step.order !== null) === looksAtOthers(step))).toBe(true);
});

// --- wrong facts ----------------------------------------------------------------------------------------------------

type Patch = Readonly<Record<string, unknown>>;

/** Returns patches for the facts of a kind of step, each of which makes a single fact wrong. */
function wrongFacts(kind: StepKind): readonly (readonly [name: string, patch: Patch])[] {
  const { values, memory, flow, group } = stepFacts[kind];
  const fields = Object.entries(values).filter(([, direction]) => direction !== 'inner');
  const results = (samples.get(kind) ?? []).some(hasResults);
  const inputs = (samples.get(kind) ?? []).some(({ step }) => inputsOf(step).length > 0);
  return [
    ...fields.map(([field, direction]) => {
      const wrong = { ...values, [field]: direction === 'in' ? 'out' : 'in' };
      return [`direction of ${field}`, { values: wrong }] as const;
    }),
    ...memory.map((effect, i) => [`access to ${effect.space}`, { memory: memory.toSpliced(i, 1) }] as const),
    ['flow', { flow: flow === 'next' ? 'branch' : 'next' }],
    ['group', { group: group === 'warp' ? 'block' : 'warp' }],
    ...(results ? wrongSameness(kind, inputs) : []),
  ];
}

function wrongSameness(kind: StepKind, inputs: boolean): readonly (readonly [name: string, patch: Patch])[] {
  const steps = (samples.get(kind) ?? []).map(({ step }) => step);
  const claims = new Set(steps.map((step) => uniformityOf(step).among));
  const all = { given: 'inputs' } as const;
  return [
    ...(claims.has('thread') && claims.size === 1
      ? []
      : [['same for less', { same: { ...all, among: 'thread' } }] as const]),
    ...((claims.has('grid') && claims.size === 1) || steps.every(isLimitedByMemory)
      ? []
      : [['same for more', { same: { ...all, among: 'grid' } }] as const]),
    ...(inputs && !claims.has('thread')
      ? [['same given nothing', { same: { among: 'warp', given: [] } }] as const]
      : []),
  ];
}

/**
 * Whether the step accesses memory that only some threads share. No other threads can then share the results, even if
 * the facts claim that they do.
 */
function isLimitedByMemory(step: Step): boolean {
  const { among } = uniformityOf(step);
  return among !== 'grid' && memoryUses(step).some(({ space }) => samenessOfSpace(space, true) === among);
}

describe('a wrong fact is noticed', () => {
  const cases = kinds.flatMap((kind) => wrongFacts(kind).map(([name, patch]) => ({ kind, name, patch })));

  test.each(cases)('$kind: $name', ({ kind, patch }) => {
    const right = stepFacts[kind];
    try {
      Object.defineProperty(stepFacts, kind, { value: { ...right, ...patch } });
      expect(disagreements(kind).next().value).toEqual(expect.any(String));
    } finally {
      Object.defineProperty(stepFacts, kind, { value: right });
    }
  });
});

/**
 * Names that are bound in other ways: previous values of results (`alsoRead`), and coordinates in a tensor map's
 * address.
 */
function boundOtherwise({ form }: Variant): readonly Ref[] {
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => operandRef(`${name}.${i}`));
  return form.operands.flatMap((pattern) => {
    if (pattern.kind === 'registers' && pattern.alsoRead !== undefined) return numbered(pattern.alsoRead, 128);
    return pattern.kind === 'address' ? numbered('coordinate', 5) : [];
  });
}

/** The names that a variant's steps read although nothing assigns values to them. */
function unknownNames(variant: Variant, environment: Environment): readonly Ref[] {
  const outside = [...impliedRegisters.keys(), ...sharedRefs.keys(), ...boundOtherwise(variant)];
  const known = new Set<Ref>([...operandWidths(variant).keys(), ...outside]);
  return variant.form.steps(variant, environment).flatMap((step) => {
    // Inner steps can read what the step itself and other inner steps write.
    const before = new Set('steps' in step ? [...known, ...outputsOf(step)] : known);
    for (const ref of outputsOf(step)) known.add(ref);
    return inputsOf(step).filter((ref) => !before.has(ref));
  });
}

test('every value that a step uses is an operand, or exists outside the instruction, or was written by an earlier step', () => {
  const unknown = environments.flatMap((environment) =>
    sampledVariants().flatMap((variant) =>
      unknownNames(variant, environment).map((ref) => `${variant.mnemonic}: ${ref}`),
    ),
  );
  expect(unknown).toEqual([]);
});
