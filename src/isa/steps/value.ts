/** Steps that only compute values from other values. */
import type { Bits } from '../../base/bits.ts';
import type { Conversion } from '../../numerics/conversion.ts';
import type { IntegerName } from '../../numerics/formats.ts';
import type { MufuFunction } from '../../numerics/mufu-tables.ts';
import type {
  BitFunction,
  Comparison,
  FloatArithmeticFormat,
  FloatFunction,
  FloatMode,
  IntegerFunction,
} from '../../numerics/operations.ts';
import { type FactsOf, pure } from './facts.ts';
import type { Ref } from './ref.ts';

/**
 * A layout of lanes within a register. `lane` is the width of a lane in bits, and `stride` is the distance from the
 * start of one lane to the start of the next, also in bits. In a list of lanes, the topmost lane comes first.
 */
export type LaneLayout = { readonly lane: number; readonly stride: number };

/** The fields of each kind of step. */
export interface ValueSteps {
  /**
   * Converts one lane. `random` and `scale` are the bits of `rbits` and of the scale factor that belong to this lane.
   */
  readonly convert: {
    readonly conversion: Conversion;
    readonly to: Ref;
    readonly from: Ref;
    readonly random: Ref | null;
    readonly scale: Ref | null;
  };
  /** For cvt.pack: clamps a signed 32-bit integer to the range of `type`. */
  readonly clamp: { readonly type: IntegerName; readonly to: Ref; readonly from: Ref };
  readonly unpack: { readonly to: readonly Ref[]; readonly from: Ref } & LaneLayout;
  readonly pack: { readonly to: Ref; readonly from: readonly Ref[] } & LaneLayout;
  /** `to` = the `width` bits of `from` that start at bit `low`. */
  readonly extract: { readonly to: Ref; readonly from: Ref; readonly low: number; readonly width: number };
  /** `to` = the low `width` bits of (`high` << `shift`) | `low`. */
  readonly join: {
    readonly to: Ref;
    readonly high: Ref;
    readonly low: Ref;
    readonly shift: number;
    readonly width: number;
  };
  readonly copy: { readonly to: Ref; readonly from: Ref };
  readonly constant: { readonly to: Ref; readonly value: Bits };
  readonly float: {
    readonly fn: FloatFunction;
    readonly format: FloatArithmeticFormat;
    readonly mode: FloatMode;
    readonly to: Ref;
    readonly from: readonly Ref[];
  };
  /** A function of the special function unit. The operand and the result are 32 bits wide. */
  readonly mufu: { readonly fn: MufuFunction; readonly to: Ref; readonly from: Ref };
  readonly integer: {
    readonly fn: IntegerFunction;
    readonly type: IntegerName;
    readonly sat: boolean;
    readonly to: Ref;
    readonly from: readonly Ref[];
  };
  readonly bits: { readonly fn: BitFunction; readonly width: number; readonly to: Ref; readonly from: readonly Ref[] };
  /** Computes a predicate from two values, which are compared as `type`. */
  readonly compare: {
    readonly comparison: Comparison;
    readonly type: IntegerName | FloatArithmeticFormat;
    readonly flush: boolean;
    readonly to: Ref;
    readonly from: readonly [Ref, Ref];
  };
  readonly select: { readonly to: Ref; readonly condition: Ref; readonly from: readonly [Ref, Ref] };
}

export const valueFacts: FactsOf<ValueSteps> = {
  convert: pure({ to: 'out', from: 'in', random: 'in', scale: 'in' }),
  clamp: pure({ to: 'out', from: 'in' }),
  unpack: pure({ to: 'out', from: 'in' }),
  pack: pure({ to: 'out', from: 'in' }),
  extract: pure({ to: 'out', from: 'in' }),
  join: pure({ to: 'out', high: 'in', low: 'in' }),
  copy: pure({ to: 'out', from: 'in' }),
  constant: pure({ to: 'out' }),
  float: pure({ to: 'out', from: 'in' }),
  mufu: pure({ to: 'out', from: 'in' }),
  integer: pure({ to: 'out', from: 'in' }),
  bits: pure({ to: 'out', from: 'in' }),
  compare: pure({ to: 'out', from: 'in' }),
  select: pure({ to: 'out', condition: 'in', from: 'in' }),
};

/** A step that only computes values from other values. */
export type ValueStep = {
  readonly [Kind in keyof ValueSteps]: { readonly kind: Kind } & ValueSteps[Kind];
}[keyof ValueSteps];
