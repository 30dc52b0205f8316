/**
 * Translates cvt into steps, following the semantics and notes in section 9.7.9.21 of PTX ISA 9.1. This file determines
 * the order of the lanes, the layout of the random bits, and whether old targets flush subnormals; the conversion of
 * each lane is left to `numerics`.
 */
import { parseVersion } from '../../targets.ts';
import { elementAt } from '../../../base/element-at.ts';
import { type Conversion, type Rounding, roundings } from '../../../numerics/conversion.ts';
import { type FormatName, formats } from '../../../numerics/formats.ts';
import type { Variant } from '../../form.ts';
import { has, slotType, choice } from '../../variant.ts';
import type { Environment } from '../../environment.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { isInteger, type PtxType } from '../../types.ts';

const oneScale = '.scaled::n1::ue8m0';
const twoScales = '.scaled::n2::ue8m0';

const integerRoundings: Readonly<Record<string, Rounding>> = { '.rni': 'rn', '.rzi': 'rz', '.rmi': 'rm', '.rpi': 'rp' };

/**
 * Where each lane finds its random bits in `rbits`, starting with the topmost lane. `low` contains the position of the
 * lowest bit for each lane.
 */
interface RandomLayout {
  readonly bits: number;
  readonly low: readonly number[];
}

const bytes: RandomLayout = { bits: 16, low: [16, 16, 0, 0] };

const randomLayouts: Readonly<Record<string, RandomLayout>> = {
  '.f16x2': { bits: 13, low: [16, 0] },
  '.bf16x2': { bits: 16, low: [16, 0] },
  '.e4m3x4': bytes,
  '.e5m2x4': bytes,
  '.e2m3x4': bytes,
  '.e3m2x4': bytes,
  '.e2m1x4': { bits: 8, low: [24, 8, 16, 0] },
};

/**
 * The layout of the random bits for a stochastic conversion to this type; null for types that have no such conversion.
 */
export function randomLayout(type: PtxType): RandomLayout | null {
  return randomLayouts[type.name] ?? null;
}

/** Converts a single value. */
export function scalar(variant: Variant, environment: Environment): readonly Step[] {
  return [convert(conversionOf(variant, environment), '$d', '$a')];
}

/** Converts f32 operands to the lanes of `d`, with `a` in the topmost lane. */
export function lanesToPacked(variant: Variant, environment: Environment): readonly Step[] {
  const d = slotType(variant, 0);
  const sources = (['$a', '$b', '$e', '$f'] as const).slice(0, d.lanes);
  const conversion = conversionOf(variant, environment);
  const layout = conversion.rounding === 'rs' ? randomLayout(d) : null;
  const scales = scaleLanes(variant);
  const steps: Step[] = [...scales.steps];
  const lanes = sources.map((source, lane): Ref => {
    const low = layout?.low[lane];
    const random = low === undefined ? null : (`${source}.random` as const);
    if (random !== null && low !== undefined) {
      steps.push({ kind: 'extract', to: random, from: '$rbits', low, width: conversion.randomBits });
    }
    steps.push(convert(conversion, `$d.${lane}`, source, random, scales.refs[lane] ?? null));
    return `$d.${lane}`;
  });
  return [...steps, { kind: 'pack', to: '$d', from: lanes, lane: laneBits(d), stride: d.laneStride }];
}

/** Converts each lane of `a` to the same lane of `d`. */
export function packedToPacked(variant: Variant, environment: Environment): readonly Step[] {
  const d = slotType(variant, 0);
  const a = slotType(variant, 1);
  const conversion = conversionOf(variant, environment);
  const scales = scaleLanes(variant);
  const lanes = [0, 1].map((lane): Ref => `$a.${lane}`);
  const results = [0, 1].map((lane): Ref => `$d.${lane}`);
  return [
    ...scales.steps,
    { kind: 'unpack', to: lanes, from: '$a', lane: laneBits(a), stride: a.laneStride },
    ...results.map((to, lane) => convert(conversion, to, elementAt(lanes, lane), null, scales.refs[lane] ?? null)),
    { kind: 'pack', to: '$d', from: results, lane: laneBits(d), stride: d.laneStride },
  ];
}

function convert(
  conversion: Conversion,
  to: Ref,
  from: Ref,
  random: Ref | null = null,
  scale: Ref | null = null,
): Step {
  return { kind: 'convert', conversion, to, from, random, scale };
}

/**
 * The ue8m0 scale factors of the lanes. Two factors are packed; a single factor applies to both lanes. Without
 * `.scaled`, values are not scaled.
 */
function scaleLanes(variant: Variant): { readonly steps: readonly Step[]; readonly refs: readonly Ref[] } {
  if (has(variant, oneScale)) return { steps: [], refs: ['$scale-factor', '$scale-factor'] };
  if (!has(variant, twoScales)) return { steps: [], refs: [] };
  const refs: readonly Ref[] = ['$scale.0', '$scale.1'];
  return { steps: [{ kind: 'unpack', to: refs, from: '$scale-factor', lane: 8, stride: 8 }], refs };
}

function conversionOf(variant: Variant, environment: Environment): Conversion {
  const d = slotType(variant, 0);
  const from = laneFormat(slotType(variant, 1));
  const to = laneFormat(d);
  const { rounding, integral } = roundingOf(variant);
  return {
    from,
    to,
    rounding,
    integral,
    // With a single scale factor, subnormal inputs are flushed regardless of their format.
    flush: has(variant, '.ftz') || has(variant, oneScale) || flushesByTarget(variant, environment),
    sat: has(variant, '.sat'),
    satfinite: has(variant, '.satfinite'),
    relu: has(variant, '.relu'),
    randomBits: rounding === 'rs' ? (randomLayout(d)?.bits ?? 0) : 0,
    positiveZero: has(variant, '.pzo'),
    scaled: scalingOf(variant, from, to),
    gpu: environment.gpu.recorded,
  };
}

/** Values are divided by the factors when they are narrowed, and multiplied by them when they are widened. */
function scalingOf(variant: Variant, from: FormatName, to: FormatName): Conversion['scaled'] {
  if (has(variant, oneScale) || to === 's2f6') return 'divide';
  return has(variant, twoScales) || from === 's2f6' ? 'multiply' : null;
}

function roundingOf(variant: Variant): { readonly rounding: Rounding | null; readonly integral: boolean } {
  const written = variant.modifiers['rounding'];
  if (written === undefined) return { rounding: defaultRounding(variant), integral: false };
  const integral = integerRoundings[written];
  if (integral !== undefined) return { rounding: integral, integral: true };
  return { rounding: choice(variant, 'rounding', roundings), integral: false };
}

/**
 * Conversions between f16 and bf16 are not exact, although they need no rounding modifier; measurements show that the
 * hardware rounds as with `.rn`.
 */
function defaultRounding(variant: Variant): Rounding | null {
  const names = variant.types.map((type) => type.name).sort();
  return names[0] === '.bf16' && names[1] === '.f16' ? 'rn' : null;
}

/**
 * sm_1x flushes f32 subnormals with or without `.ftz`. Up to PTX 1.4, there are two exceptions: conversions to 64-bit
 * integers, and conversions from or to f64, keep subnormals (see the notes on subnormal numbers in the ISA's section on
 * cvt).
 */
function flushesByTarget(variant: Variant, environment: Environment): boolean {
  if (environment.target.sm >= 20) return false;
  const d = slotType(variant, 0);
  const a = slotType(variant, 1);
  if (d.name !== '.f32' && a.name !== '.f32') return false;
  if (environment.version >= parseVersion('1.5')) return true;
  if (isInteger(d)) return d.width < 64;
  return d.name !== '.f64' && a.name !== '.f64';
}

function laneFormat(type: PtxType): FormatName {
  if (type.format === null) throw new Error(`${type.name} is not a number format`);
  return type.format;
}

/** The number of bits that a value occupies in its lane. For fp6, this is 6, although lanes are 8 bits apart. */
export function laneBits(type: PtxType): number {
  return formats[laneFormat(type)].width;
}
