/** How a stack converts between two formats: PTX's conversions, and where the other stacks differ. */
import type { Bits } from '../../base/bits.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { randomLayoutOf } from '../../isa/random-layout.ts';
import { type Conversion, plainConversion, type Rounding } from '../../numerics/conversion.ts';
import { conversion } from '../../numerics/convert.ts';
import { formats, type FormatName, floatFormat } from '../../numerics/formats.ts';
import type { ConversionStages, ConversionStage, Replacement } from '../../numerics/conversion-stages.ts';
import {
  missingFormats,
  roundsTwice,
  type RuleResult,
  type SemanticRule,
  semanticRules,
  type Semantics,
} from './semantic-rules.ts';
import { patternsOfInputs } from '../elements/source-patterns.ts';

export interface ConversionRequest {
  readonly from: FormatName;
  readonly to: FormatName;
  /**
   * By default, results are rounded to nearest even. Conversions to ue8m0 differ: `ptx` requires `rz` or `rp`, `ocp`
   * rounds down, and the other stacks round to nearest.
   */
  readonly rounding?: Rounding | undefined;
  /**
   * Whether values beyond the format's range, including infinities, are clamped to that range. The default depends on
   * the stack.
   */
  readonly saturate?: boolean | undefined;
  readonly relu?: boolean | undefined;
  /** Subnormal f32 inputs and results become zeros of the same sign. */
  readonly ftz?: boolean | undefined;
  /** Default `ptx`. */
  readonly semantics?: Semantics | undefined;
}

/** Why a conversion is not available: a stable code, and a message. */
export interface SemanticsError {
  readonly code: 'rounding-required' | 'not-offered';
  readonly message: string;
}

/**
 * The conversion between two formats as performed by the given stack. Every source is decoded exactly and rounded once,
 * even if PTX has no `cvt` instruction for the pair. With `ptx`, conversions to e4m3, e5m2, e2m3, e3m2, e2m1 and s2f6
 * saturate, because every `cvt` to these formats does. Conversions to ue5m3 saturate unless `saturate` is false.
 * Conversions from floats to integers clamp the value. Conversions between integers clamp it if `saturate` is set;
 * otherwise, they truncate or extend the bits. Stacks other than `ptx` round only to nearest even and convert only
 * between floats.
 */
export function conversionOf(request: ConversionRequest): Result<ConversionStages, SemanticsError> {
  const semantics = request.semantics ?? 'ptx';
  if (semantics === 'ptx') return ptxPlan(request);
  return request.from === 'f64' && roundsTwice(semantics, request.to)
    ? inTwo(request, semantics)
    : alone(request, semantics);
}

/**
 * Applies a plan to one value. This is the exact reference for all faster implementations. `random` is the same as for
 * `Converter`.
 */
export function planConverter(plan: ConversionStages): (source: Bits, random?: number) => Bits {
  const stages = plan.map(stageConverter);
  return (source, random = 0) => stages.reduce((bits, stage) => stage(bits, random), source);
}

function stageConverter({ conversion: c, replacements }: ConversionStage): (source: Bits, random: number) => Bits {
  const convert = conversion(c);
  return (source, random) => replacedBits(c, replacements, source) ?? convert(source, random, 0x7f);
}

/** The result that replaces the usual one in this stack; null if there is no replacement for this input. */
export function replacedBits(c: Conversion, replacements: readonly Replacement[], source: Bits): Bits | null {
  const found = replacementOf(c, replacements, source);
  if (found === null) return null;
  const { result } = found;
  if (result.kind === 'payload') return movedNan(c, source, result.quiet);
  return isNegative(c.from, source) ? result.negative : result.positive;
}

/**
 * The first replacement that applies to the source: its range must contain the magnitude of the source, and it must
 * have a result for the sign of the source.
 */
export function replacementOf(c: Conversion, replacements: readonly Replacement[], source: Bits): Replacement | null {
  const { width, signed } = formats[c.from];
  const magnitude = signed ? BigInt.asUintN(width - 1, BigInt(source)) : BigInt(source);
  const side = isNegative(c.from, source) ? 'negative' : 'positive';
  const applies = ({ first, last, result }: Replacement): boolean =>
    magnitude >= first && magnitude <= last && (result.kind === 'payload' || result[side] !== null);
  return replacements.find(applies) ?? null;
}

function isNegative(name: FormatName, bits: Bits): boolean {
  const { width, signed } = formats[name];
  return signed && BigInt(bits) >> BigInt(width - 1) === 1n;
}

/**
 * Converts a NaN to the destination format, and keeps its sign and the leading bits of its payload. If the kept bits
 * are all zero, the lowest payload bit is set, so that the result is still a NaN.
 */
function movedNan(c: Conversion, source: Bits, quiet: boolean): Bits {
  const [from, to] = [floatFormat(c.from), floatFormat(c.to)];
  const fraction = BigInt.asUintN(from.fractionBits, BigInt(source) >> BigInt(from.padding));
  const shift = to.fractionBits - from.fractionBits;
  const cut = shift >= 0 ? fraction << BigInt(shift) : fraction >> BigInt(-shift);
  const top = quiet ? 1n << BigInt(to.fractionBits - 1) : 0n;
  const payload = (cut | top) === 0n ? 1n : cut | top;
  const exponent = ((1n << BigInt(to.exponentBits)) - 1n) << BigInt(to.fractionBits);
  const sign = isNegative(c.from, source) ? 1n << BigInt(to.width - 1) : 0n;
  const bits = sign | ((exponent | payload) << BigInt(to.padding));
  return to.width > 32 ? bits : Number(bits);
}

// --- PTX ------------------------------------------------------------------------------------------------------------

/** Every `cvt` to narrow signed formats saturates. */
function alwaysSaturates(to: FormatName): boolean {
  const { kind, width, signed } = formats[to];
  return kind !== 'integer' && width <= 8 && signed;
}

/** ue5m3 has no infinity, so a value that does not fit would become NaN. */
function saturatesByDefault(to: FormatName): boolean {
  return alwaysSaturates(to) || to === 'ue5m3';
}

const integerRoundings: ReadonlySet<Rounding> = new Set(['rn', 'rz', 'rm', 'rp']);

function notOffered(message: string): Result<never, SemanticsError> {
  return err({ code: 'not-offered', message });
}

function ptxPlan(request: ConversionRequest): Result<ConversionStages, SemanticsError> {
  const { from, to, saturate, relu = false, ftz = false } = request;
  const [source, target] = [formats[from], formats[to]];
  const isInteger = target.kind === 'integer';
  const amongIntegers = isInteger && source.kind === 'integer';
  const always = alwaysSaturates(to) || (isInteger && !amongIntegers);
  if (saturate === false && always) {
    return notOffered(
      `PTX saturates every conversion to ${to}; semantics 'ocp' and 'ml_dtypes' do not always saturate`,
    );
  }
  if (relu && (isInteger || !target.signed)) return notOffered(`relu needs a signed float, not ${to}`);
  if (ftz && from !== 'f32' && to !== 'f32') return notOffered('ftz needs f32 as source or destination');
  const rounding = ptxRounding(request, amongIntegers);
  if (!rounding.ok) return rounding;
  const stage: ConversionStage = {
    conversion: {
      ...plainConversion(from, to),
      rounding: rounding.value,
      integral: isInteger && !amongIntegers,
      flush: ftz,
      sat: isInteger && (always || saturate === true),
      satfinite: !isInteger && (saturate ?? saturatesByDefault(to)),
      relu,
      randomBits: rounding.value === 'rs' ? (randomLayoutOf(to)?.bits ?? 0) : 0,
    },
    replacements: [],
  };
  return ok([stage]);
}

function ptxRounding(
  { to, rounding }: ConversionRequest,
  amongIntegers: boolean,
): Result<Rounding | null, SemanticsError> {
  if (amongIntegers) return rounding === 'rs' ? notOffered('conversions between integers do not round') : ok(null);
  if (to === 'ue8m0') {
    if (rounding === 'rz' || rounding === 'rp') return ok(rounding);
    if (rounding !== undefined) return notOffered(`ue8m0 is rounded by rz or rp, not by ${rounding}`);
    return err({ code: 'rounding-required', message: 'ue8m0 needs a rounding: rz (down) or rp (up)' });
  }
  const chosen = rounding ?? 'rn';
  if (formats[to].kind === 'integer' && !integerRoundings.has(chosen)) {
    return notOffered(`${to} is rounded by rn, rz, rm or rp, not by ${chosen}`);
  }
  if (chosen === 'rs' && randomLayoutOf(to) === null) return notOffered(`${to} has no stochastic rounding`);
  return ok(chosen);
}

// --- other stacks ---------------------------------------------------------------------------------------------------

function inTwo(
  request: ConversionRequest,
  semantics: Exclude<Semantics, 'ptx'>,
): Result<ConversionStages, SemanticsError> {
  const first = alone({ from: 'f64', to: 'f32', semantics }, semantics);
  if (!first.ok) return first;
  const second = alone({ ...request, from: 'f32' }, semantics);
  return second.ok ? ok([first.value[0], second.value[0]]) : second;
}

function alone(
  request: ConversionRequest,
  semantics: Exclude<Semantics, 'ptx'>,
): Result<readonly [ConversionStage], SemanticsError> {
  const { from, to, relu = false, ftz = false } = request;
  const missing = [from, to].find((name) => missingFormats[semantics].includes(name));
  if (missing !== undefined) return notOffered(`${semantics} has no conversion from or to ${missing}`);
  if (formats[from].kind !== 'float' || formats[to].kind !== 'float') {
    return notOffered(
      `semantics '${semantics}' supports only conversions between floats; PTX semantics are needed to convert ${from} to ${to}`,
    );
  }
  if (relu || ftz) return notOffered(`${semantics} has neither relu nor ftz`);
  if ((request.rounding ?? 'rn') !== 'rn' && !(to === 'ue8m0' && semantics === 'ocp' && request.rounding === 'rz')) {
    return notOffered(`${semantics} has no rounding ${request.rounding}`);
  }
  const saturate = request.saturate ?? saturatesByItself(semantics, to);
  if (!saturate && semantics === 'torch' && to === 'e4m3') {
    return notOffered('torch saturates e4m3 from 2.12 on; earlier versions behave like ml_dtypes');
  }
  const rounding: Rounding = to === 'ue8m0' ? (semantics === 'ocp' ? 'rz' : 'rna') : 'rn';
  const satfinite = saturate || isFinite(to) || to === 'e4m3';
  const c: Conversion = { ...plainConversion(from, to), rounding, satfinite };
  return ok([{ conversion: c, replacements: replacementsOf(c, semantics, saturate) }]);
}

/** Whether a float format has neither infinity nor NaN; conversions to such formats always saturate. */
function isFinite(name: FormatName): boolean {
  const format = formats[name];
  return format.kind === 'float' && !format.infinity && format.nan === 'none';
}

/**
 * Whether a stack saturates conversions to a format by default. The rules for `ptx` are more complex and are
 * implemented elsewhere.
 */
export function saturatesByItself(semantics: Exclude<Semantics, 'ptx'>, to: FormatName): boolean {
  if (isFinite(to)) return true;
  if (semantics === 'ocp') return to === 'e4m3' || to === 'e5m2';
  return semantics === 'torch' && to === 'e4m3';
}

function replacementsOf(c: Conversion, semantics: Semantics, saturate: boolean): readonly Replacement[] {
  const taken = new Set<string>();
  return semanticRules.flatMap((row) => {
    if (row.semantics !== semantics || !row.to.includes(c.to) || taken.has(row.inputs.kind)) return [];
    if (row.from !== null && !row.from.includes(c.from)) return [];
    if (row.saturate !== null && row.saturate !== saturate) return [];
    const range = patternsOfInputs(c.from, row.inputs);
    if (range === null) return [];
    if (row.inputs.kind === 'nan') taken.add('nan');
    return [{ ...range, result: resultBits(c.to, row), rule: row.id }];
  });
}

function resultBits(to: FormatName, { result, inputs }: SemanticRule): Replacement['result'] {
  if (result.kind === 'payload') return result;
  const { width } = formats[to];
  const positive = sign(result, 'opposite') | result.bits;
  const negative = sign(result, 'signed') | result.bits;
  const asBits = (bits: bigint): Bits => (width > 32 ? bits : Number(bits));
  return { kind: 'bits', positive: inputs.kind === 'negative' ? null : asBits(positive), negative: asBits(negative) };

  function sign({ sign: kind }: RuleResult & { kind: 'bits' }, when: 'signed' | 'opposite'): bigint {
    return kind === when ? 1n << BigInt(width - 1) : 0n;
  }
}
