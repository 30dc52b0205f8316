/**
 * Lowers the steps of conversions to code that keeps all values in locals. A local holds one 32-bit value, one 64-bit
 * value, or a vector of four 32-bit values.
 */
import type { Ref } from '../../isa/steps/ref.ts';
import type { Step, StepOf } from '../../isa/steps/step.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import { type Conversion, plainConversion } from '../../numerics/conversion.ts';
import type { Code } from '../../wasm/code.ts';
import { converter, unscaled } from '../arithmetic/convert.ts';
import type { Helpers } from '../helpers.ts';
import { vectorConversion } from '../simd/vector-convert.ts';
import { splat } from '../simd/vector-words.ts';
import { holder } from '../regions/values.ts';

/**
 * Lowers steps to code that keeps each named value in a local. If the same conversion is applied to the same locals
 * more than once, it is computed only once.
 */
export abstract class SweepLowering {
  protected readonly code: Code;
  private readonly locals = new Map<Ref, number>();
  private readonly converted = new Map<string, number>();

  constructor(code: Code) {
    this.code = code;
  }

  bind(name: Ref, local: number): void {
    this.locals.set(name, local);
  }

  get(name: Ref): number {
    const local = this.locals.get(name);
    if (local === undefined) throw new Error(`no value '${name}'`);
    return local;
  }

  abstract constant(name: Ref, bits: number): void;

  lower(step: Step): void {
    switch (step.kind) {
      case 'convert':
        this.bind(step.to, this.convert(step.conversion, step.from, step.random, step.scale));
        return;
      case 'clamp':
        this.bind(step.to, this.convert(clamping(step.type), step.from, null, null));
        return;
      case 'unpack':
        step.to.forEach((to, i) => this.extract(to, step.from, (step.to.length - 1 - i) * step.stride, step.lane));
        return;
      case 'extract':
        this.extract(step.to, step.from, step.low, step.width);
        return;
      case 'pack':
        this.bind(step.to, this.pack(step));
        return;
      case 'join':
        // Bits that are shifted out of a word are discarded.
        this.bind(
          step.to,
          this.writePack([
            [this.get(step.high), step.shift],
            [this.get(step.low), 0],
          ]),
        );
        return;
      case 'copy':
        this.bind(step.to, this.get(step.from));
        return;
      default:
        throw new Error(`a conversion must not contain a '${step.kind}' step`);
    }
  }

  private convert(c: Conversion, from: Ref, random: Ref | null, scale: Ref | null): number {
    const optional = (name: Ref | null): number | null => (name === null ? null : this.get(name));
    const operands = [this.get(from), optional(random), optional(scale)] as const;
    const key = JSON.stringify([c, operands]);
    const known = this.converted.get(key) ?? this.writeConversion(c, operands);
    this.converted.set(key, known);
    return known;
  }

  private extract(to: Ref, from: Ref, low: number, width: number): void {
    this.bind(to, this.writeExtract(this.get(from), low, width));
  }

  private pack({ from, stride }: StepOf<'pack'>): number {
    return this.writePack(from.map((name, i) => [this.get(name), (from.length - 1 - i) * stride] as const));
  }

  protected abstract writeConversion(
    c: Conversion,
    operands: readonly [source: number, random: number | null, scale: number | null],
  ): number;
  protected abstract writeExtract(from: number, low: number, width: number): number;
  protected abstract writePack(lanes: readonly (readonly [local: number, low: number])[]): number;
}

function clamping(to: FormatName): Conversion {
  return { ...plainConversion('s32', to), rounding: null, sat: true };
}

export class VectorSweep extends SweepLowering {
  constant(name: Ref, bits: number): void {
    const local = this.code.local('v128');
    splat(this.code, bits).set(local);
    this.bind(name, local);
  }

  protected override writeConversion(
    c: Conversion,
    [source, random, scale]: readonly [number, number | null, number | null],
  ): number {
    const local = this.code.local('v128');
    const factor = scale ?? this.code.local('v128');
    if (scale === null && c.scaled !== null) splat(this.code, unscaled).set(factor);
    const write = vectorConversion(c);
    if (write === null) throw new Error('no vector form');
    write(this.code, { source, random: random ?? source, scale: factor });
    this.code.set(local);
    return local;
  }

  protected override writeExtract(from: number, low: number, width: number): number {
    const local = this.code.local('v128');
    this.code.get(from).i32(low).vector('i32x4.shr_u');
    splat(this.code, 2 ** width - 1)
      .vector('v128.and')
      .set(local);
    return local;
  }

  protected override writePack(lanes: readonly (readonly [number, number])[]): number {
    const local = this.code.local('v128');
    lanes.forEach(([lane, low], i) => {
      this.code.get(lane);
      if (low > 0) this.code.i32(low).vector('i32x4.shl');
      if (i > 0) this.code.vector('v128.or');
    });
    this.code.set(local);
    return local;
  }
}

export class ScalarSweep extends SweepLowering {
  private readonly helpers: Helpers;

  constructor(code: Code, helpers: Helpers) {
    super(code);
    this.helpers = helpers;
  }

  constant(name: Ref, bits: number): void {
    const local = this.code.local('i32');
    this.code.i32(bits).set(local);
    this.bind(name, local);
  }

  protected override writeConversion(
    c: Conversion,
    [source, random, scale]: readonly [number, number | null, number | null],
  ): number {
    const local = this.code.local(holder(formats[c.to].width));
    this.code.get(source);
    if (random === null) this.code.i32(0);
    else this.code.get(random);
    if (scale === null) this.code.i32(unscaled);
    else this.code.get(scale);
    this.code.call(converter(this.helpers, c)).set(local);
    return local;
  }

  protected override writeExtract(from: number, low: number, width: number): number {
    const local = this.code.local('i32');
    this.code.get(from).i32(low).op('i32.shr_u');
    this.code
      .i32(2 ** width - 1)
      .op('i32.and')
      .set(local);
    return local;
  }

  protected override writePack(lanes: readonly (readonly [number, number])[]): number {
    const local = this.code.local('i32');
    lanes.forEach(([lane, low], i) => {
      this.code.get(lane);
      if (low > 0) this.code.i32(low).op('i32.shl');
      if (i > 0) this.code.op('i32.or');
    });
    this.code.set(local);
    return local;
  }
}
