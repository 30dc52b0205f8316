/**
 * Checks what `explain` says about special values, for every conversion in the table. To find false statements, each
 * row is compared with the result of `evaluate`. To find missing rows, each special result of `evaluate` is looked up
 * in the rows.
 */
import { describe, expect, it } from 'vitest';
import { type Bits, chop, hex, signExtend } from '../base/bits.ts';
import { rowsOf as rowsOfVersion } from '../check/availability.ts';
import { evaluator } from '../interp/evaluate.ts';
import { type Environment, namedEnvironment } from '../isa/environment.ts';
import { expandForm } from '../isa/expand.ts';
import type { Variant } from '../isa/form.ts';
import { isAvailable } from '../isa/targets.ts';
import { allForms } from '../isa/table.ts';
import type { PtxType } from '../isa/types.ts';
import { patternsOf } from '../numerics/encode.ts';
import { decode, power } from '../numerics/exact.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import {
  lowBits,
  quietBits,
  sameBits,
  shiftedBits,
  type SpecialInput,
  type SpecialValue,
  specialValues,
} from './special-values.ts';

const conversions = allForms().filter(({ id }) => id.startsWith('cvt.'));
const newest = namedEnvironment('sm_121a', '9.1');
const environments = [newest, namedEnvironment('sm_13', '1.3')];

interface Sample {
  readonly bits: Bits;
  /** The ue8m0 scale that is used for every lane. */
  readonly scale: number;
}

describe('special values of conversions', () => {
  it.each(conversions.map((form) => [form.id, form] as const))('%s', (_, form) => {
    const found = [...expandForm(form)].flatMap((variant) =>
      distinctEnvironments(variant).flatMap((environment) => findings(variant, environment)),
    );
    expect(found.slice(0, 20)).toEqual([]);
  });

  it('have a row for every cvt and cvt.pack', () => {
    const silent = conversions
      .flatMap((form) => [...expandForm(form)])
      .filter((variant) => !rowsOf(variant, newest).some(({ input }) => input === 'overflow'));
    expect(silent.map(({ mnemonic }) => mnemonic)).toEqual([]);
  });
});

/** Returns one environment for each distinct sequence of steps that the variant can have. */
function distinctEnvironments(variant: Variant): readonly Environment[] {
  const meanings = environments
    .filter((environment) => rowsAvailable(variant, environment))
    .map((environment) => [JSON.stringify(variant.form.steps(variant, environment)), environment] as const);
  return [...new Map(meanings).values()];
}

function rowsAvailable(variant: Variant, { version, target }: Environment): boolean {
  return rowsOfVersion(variant).every((row) => isAvailable(row.ways, version, target));
}

function rowsOf(variant: Variant, environment: Environment): readonly SpecialValue[] {
  return specialValues(variant.form.steps(variant, environment));
}

function findings(variant: Variant, environment: Environment): readonly string[] {
  const made = evaluator(variant, environment);
  if (made === null) return [`${variant.mnemonic} is not evaluated`];
  const judge = new VariantJudge(variant, rowsOf(variant, environment));
  const [result, source] = variant.types as readonly [PtxType, PtxType];
  for (const sample of samplesOf(source.format as FormatName, variant)) {
    const inputs = made.inputs.map(({ name, type }) => operand(variant, name, type, sample));
    const [bits = 0] = made.run(inputs);
    // All lanes have the same input, so they should have the same result.
    for (const lane of new Set(lanesOf(result, bits, variant))) judge.judge(sample, lane);
  }
  judge.judgeTexts();
  return judge.findings;
}

/** Returns the bits of an operand, with the sample in every lane. An operand that provides random bits is zero. */
function operand(variant: Variant, name: string, type: PtxType, { bits, scale }: Sample): Bits {
  if (name === 'rbits' || (name === 'c' && variant.mnemonic.startsWith('cvt.pack'))) return 0;
  if (name === 'scale-factor') return scale * 0x101;
  const { lanes, laneStride, width } = type;
  if (lanes === 1) return bits;
  let all = 0n;
  for (let lane = 0; lane < lanes; lane++) all |= BigInt(bits) << BigInt(lane * laneStride);
  return width > 32 ? all : Number(all);
}

function lanesOf(type: PtxType, bits: Bits, variant: Variant): readonly Bits[] {
  const { width } = formats[type.format as FormatName];
  const lanes = variant.mnemonic.startsWith('cvt.pack') ? 2 : type.lanes;
  const stride = lanes === type.lanes ? type.laneStride : width;
  if (lanes === 1) return [chop(bits, width)];
  return Array.from({ length: lanes }, (_, lane) => chop(BigInt(bits) >> BigInt(lane * stride), width));
}

/** Compares the results of one variant with the rows that describe its special values. */
class VariantJudge {
  readonly findings: string[] = [];
  private readonly rows: ReadonlyMap<SpecialInput, SpecialValue>;
  private readonly variant: Variant;
  private readonly from: FormatName;
  private readonly to: FormatName;
  private readonly isScaled: boolean;
  private readonly clampsToOne: boolean;

  constructor(variant: Variant, rows: readonly SpecialValue[]) {
    this.variant = variant;
    this.rows = new Map(rows.map((row) => [row.input, row]));
    this.from = variant.types[1]?.format as FormatName;
    this.to = variant.types[0]?.format as FormatName;
    this.isScaled = variant.mnemonic.includes('.scaled');
    this.clampsToOne = formats[this.to].kind === 'float' && variant.mnemonic.split('.').includes('sat');
  }

  /**
   * If the text of a row states the bits of a result, they must match the row's result for either positive or negative
   * inputs.
   */
  judgeTexts(): void {
    for (const { rule, positive, negative } of this.rows.values()) {
      const named = rule.match(/0x[0-9a-f]+(?![.0-9a-f])/g) ?? [];
      const wrong = named.filter((text) => text !== positive && text !== negative);
      if (wrong.length > 0) this.findings.push(`${this.variant.mnemonic}: ${rule}`);
    }
  }

  judge({ bits, scale }: Sample, lane: Bits): void {
    const { from, to, rows } = this;
    const value = decode(from, bits);
    if (this.isScaled && scale === 0xff && value.kind !== 'nan') {
      return this.expectRow(formats[from].kind === 'float' ? 'NaN' : 'NaN scale', 0, bits, lane);
    }
    switch (value.kind) {
      case 'nan':
        return this.expectRow('NaN', value.sign, bits, lane);
      case 'infinity':
        return this.expectRow('infinity', value.sign, bits, lane);
      case 'zero':
        if (rows.has('zero')) return this.expectRow('zero', value.sign, bits, lane);
        return this.expect('zero', bits, lane, patternsOf(to).zero[formats[from].kind === 'float' ? value.sign : 0]);
      case 'finite': {
        const magnitude = value.significand * power(value.exponent);
        if (rows.has('subnormal') && magnitude < 2 ** -126 * (1 - 2 ** -20)) {
          return this.expectRow('subnormal', value.sign, bits, lane);
        }
        const factor = this.isScaled ? 2 ** (to === 's2f6' ? 127 - scale : scale - 127) : 1;
        this.judgeFinite(value.sign === 1 ? -magnitude * factor : magnitude * factor, bits, lane);
      }
    }
  }

  private judgeFinite(value: number, bits: Bits, lane: Bits): void {
    const { from, to, rows } = this;
    const sign = value < 0 ? 1 : 0;
    if (sign === 1 && rows.get('negative')?.negative?.startsWith('0x') === true) {
      return this.expectRow('negative', 1, bits, lane);
    }
    const overflow = rows.get('overflow');
    const claimed = sign === 0 ? overflow?.positive : overflow?.negative;
    if (claimed === lowBits) {
      const { width } = formats[to];
      const meant = formats[from].signed ? signExtend(bits, formats[from].width, width) : chop(bits, width);
      return this.expect('overflow', bits, lane, meant);
    }
    if (formats[from].kind === 'integer' && formats[to].kind === 'integer') return this.judgeInteger(bits, lane);
    const { largest, zero, one } = patternsOf(to);
    const ends = formats[to].signed ? numberOf(to, largest[1]) : 0;
    const [most, least] = this.clampsToOne
      ? [1, 0]
      : [numberOf(to, largest[0]), to === 'ue8m0' ? -numberOf(to, largest[0]) : ends];
    if (value >= most + lastPlace(to, most) || value <= least - lastPlace(to, least)) {
      return this.expectRow('overflow', sign, bits, lane);
    }
    if (value > most || value < least) {
      // Near the end of the range, rounding decides between the last value and the overflow result.
      if (lane !== largest[sign] && lane !== zero[0] && lane !== one) this.expectRow('overflow', sign, bits, lane);
      return;
    }
    const { kind } = decode(to, lane);
    const isSpecial = kind === 'nan' || kind === 'infinity' || (kind === 'zero' && Math.abs(value) >= 1);
    if (isSpecial) this.findings.push(`${this.where(bits, lane)}, but no row says so`);
  }

  private judgeInteger(bits: Bits, lane: Bits): void {
    const valueOf = (name: FormatName, pattern: Bits): bigint => {
      const { width, signed } = formats[name];
      return signed ? BigInt.asIntN(width, BigInt(pattern)) : BigInt(pattern);
    };
    const value = valueOf(this.from, bits);
    const [most, least] = patternsOf(this.to).largest.map((end) => valueOf(this.to, end)) as [bigint, bigint];
    if (value > most || value < least) return this.expectRow('overflow', value < 0n ? 1 : 0, bits, lane);
    if (valueOf(this.to, lane) !== value) this.findings.push(`${this.where(bits, lane)}, but no row says so`);
  }

  private expectRow(input: SpecialInput, sign: 0 | 1, bits: Bits, lane: Bits): void {
    const row = this.rows.get(input);
    const claimed = sign === 0 ? row?.positive : row?.negative;
    const result = `0x${hex(lane, formats[this.to].width)}`;
    const meant = claimed === sameBits || claimed === shiftedBits ? this.moved(bits) : claimed;
    const isTrue = claimed === quietBits ? keepsPayload(this.from, this.to, bits, lane) : meant === result;
    if (!isTrue) this.findings.push(`${this.where(bits, lane)}; the row for ${input} says: ${claimed ?? 'nothing'}`);
  }

  /** The bits of a source, placed at the top of a result that is at least as wide as the source. */
  private moved(bits: Bits): string {
    const [from, to] = [formats[this.from].width, formats[this.to].width];
    return `0x${hex(bits, from)}${'0'.repeat((to - from) / 4)}`;
  }

  private expect(what: string, bits: Bits, lane: Bits, wanted: Bits): void {
    if (BigInt(lane) !== BigInt(wanted))
      this.findings.push(`${this.where(bits, lane)}; ${what}: 0x${wanted.toString(16)}`);
  }

  private where(bits: Bits, lane: Bits): string {
    const { mnemonic } = this.variant;
    return `${mnemonic} of 0x${hex(bits, formats[this.from].width)} is 0x${hex(lane, formats[this.to].width)}`;
  }
}

function numberOf(name: FormatName, bits: Bits): number {
  const value = decode(name, bits);
  if (value.kind !== 'finite') return 0;
  const magnitude = value.significand * power(value.exponent);
  return value.sign === 1 ? -magnitude : magnitude;
}

/** Returns the unit in the last place of a value near the end of a format's range. */
function lastPlace(name: FormatName, value: number): number {
  const format = formats[name];
  if (format.kind !== 'float') return 2 ** -format.fractionBits;
  return 2 ** (Math.floor(Math.log2(Math.abs(value) || 1)) - format.fractionBits);
}

/** Whether the sign and the leading bits of the payload are those of the input, and the quiet bit is set. */
function keepsPayload(from: FormatName, to: FormatName, source: Bits, lane: Bits): boolean {
  const [given, result] = [decode(from, source), decode(to, lane)];
  if (given.kind !== 'nan' || result.kind !== 'nan' || given.sign !== result.sign) return false;
  const format = formats[to];
  const unit = format.kind === 'float' ? 2 ** (52 - format.fractionBits) : 1;
  const quiet = 2 ** 51;
  const kept = given.payload < quiet ? given.payload + quiet : given.payload;
  return result.payload === Math.floor(kept / unit) * unit;
}

const knownSamples = new Map<string, readonly Sample[]>();

function samplesOf(name: FormatName, variant: Variant): readonly Sample[] {
  const isScaled = variant.mnemonic.includes('.scaled');
  const key = `${name} ${isScaled}`;
  const samples = knownSamples.get(key) ?? makeSamples(name, isScaled);
  knownSamples.set(key, samples);
  return samples;
}

/** Sample values from the whole range of a format. For formats of at most 8 bits, these are all of its values. */
function makeSamples(name: FormatName, isScaled: boolean): readonly Sample[] {
  const { width } = formats[name];
  const patterns = width <= 8 ? Array.from({ length: 2 ** width }, (_, i) => i) : widePatterns(width);
  const scales = isScaled ? [0x7f, 0x00, 0x60, 0x90, 0xfe, 0xff] : [0x7f];
  return patterns.flatMap((bits) => scales.map((scale) => ({ bits: chop(bits, width), scale })));
}

/** Returns all combinations of the top 9 bits, each with a few different patterns of the remaining bits. */
function widePatterns(width: number): readonly Bits[] {
  const low = BigInt(width - 9);
  const ends = [0n, 1n, 1n << (low - 1n), (1n << low) - 1n];
  const patterns = Array.from({ length: 512 }, (_, top) => ends.map((end) => (BigInt(top) << low) | end)).flat();
  return width > 32 ? patterns : patterns.map(Number);
}
