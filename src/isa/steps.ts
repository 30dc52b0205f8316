/**
 * What an instruction does, as data. A form yields a short list of steps over named values: its operands, by the names
 * of its syntax line, and temporaries. Steps are printed by explain, executed by the reference engine, lowered by the
 * fast engine; no step computes anything itself.
 *
 * Operands are read before the first step, chopped to the type of the operand, and written after the last, extended to
 * the register (PTX ISA 9.1, 9.4.1); so a step never sees a register's width.
 */
import type { Bits } from '../base/bits.ts';
import type { Collective } from './collective.ts';
import type { Conversion } from '../numerics/conversion.ts';
import type { IntegerName } from '../numerics/formats.ts';
import type {
  BitFunction,
  Comparison,
  FloatArithmeticFormat,
  FloatFunction,
  FloatMode,
  IntegerFunction,
} from '../numerics/operations.ts';

/** A value inside one instruction: an operand's name (`a`, `d`, `rbits`) or a temporary. */
export type Ref = string;

/**
 * The condition code: a value that instructions share without naming it. A thread has one, false at its start;
 * `.cc` writes it, addc, subc and madc read it (PTX ISA 9.1, 9.7.2).
 */
export const conditionCode: Ref = 'CC.CF';

/** Bytes that alloca has taken in this activation; 0 at its start. */
export const stackTop: Ref = 'STACK.TOP';

/** The address from which it takes them. */
export const stackBase: Ref = 'STACK.BASE';

/** Bytes that it may take in an activation. */
export const stackLimit = 8192;

/** Values that outlive instructions as registers do, zero or false at the start of an activation. */
export const sharedRefs: ReadonlyMap<Ref, '.pred' | '.u64'> = new Map([
  [conditionCode, '.pred'],
  [stackTop, '.u64'],
]);

/** Lanes of `lane` to `stride` bits, the first name in the topmost lane. */
export interface LaneLayout {
  readonly lane: number;
  readonly stride: number;
}

/** `generic` is the absence of a space in the instruction: the address itself says which window it is in. */
export type AccessSpace = 'generic' | 'global' | 'shared' | 'local' | 'const' | 'param';

/** A window of the generic address space that `cvta` and `isspacep` name. */
export type WindowSpace = 'global' | 'shared' | 'shared::cluster' | 'local' | 'const' | 'param';

/** bar.red: how many predicates hold, whether all do, whether any does. */
export type BarrierReduction = 'popc' | 'and' | 'or';

export type Step =
  /** One lane through one conversion. `random` and `scale` are lanes of `rbits` and the scale factor. */
  | {
      readonly kind: 'convert';
      readonly conversion: Conversion;
      readonly to: Ref;
      readonly from: Ref;
      readonly random: Ref | null;
      readonly scale: Ref | null;
    }
  /** cvt.pack: a signed 32-bit integer clamped to `type`. */
  | { readonly kind: 'clamp'; readonly type: IntegerName; readonly to: Ref; readonly from: Ref }
  | ({ readonly kind: 'unpack'; readonly to: readonly Ref[]; readonly from: Ref } & LaneLayout)
  | ({ readonly kind: 'pack'; readonly to: Ref; readonly from: readonly Ref[] } & LaneLayout)
  /** `to` = the `width` bits of `from` that start at bit `low`. */
  | { readonly kind: 'extract'; readonly to: Ref; readonly from: Ref; readonly low: number; readonly width: number }
  /** `to` = the low `width` bits of `high` << `shift` | `low`. */
  | {
      readonly kind: 'join';
      readonly to: Ref;
      readonly high: Ref;
      readonly low: Ref;
      readonly shift: number;
      readonly width: number;
    }
  | { readonly kind: 'copy'; readonly to: Ref; readonly from: Ref }
  | { readonly kind: 'constant'; readonly to: Ref; readonly value: Bits }
  | {
      readonly kind: 'float';
      readonly fn: FloatFunction;
      readonly format: FloatArithmeticFormat;
      readonly mode: FloatMode;
      readonly to: Ref;
      readonly from: readonly Ref[];
    }
  | {
      readonly kind: 'integer';
      readonly fn: IntegerFunction;
      readonly type: IntegerName;
      readonly sat: boolean;
      readonly to: Ref;
      readonly from: readonly Ref[];
    }
  | {
      readonly kind: 'bits';
      readonly fn: BitFunction;
      readonly width: number;
      readonly to: Ref;
      readonly from: readonly Ref[];
    }
  /** A predicate out of two values; `type` is an integer or float format, or `bits` compared as unsigned of `width`. */
  | {
      readonly kind: 'compare';
      readonly comparison: Comparison;
      readonly type: IntegerName | FloatArithmeticFormat;
      readonly flush: boolean;
      readonly to: Ref;
      readonly from: readonly [Ref, Ref];
    }
  | { readonly kind: 'select'; readonly to: Ref; readonly condition: Ref; readonly from: readonly [Ref, Ref] }
  /** Memory access of `to.length` (or `from.length`) elements of `width` bits at consecutive addresses, the first name lowest. */
  | {
      readonly kind: 'load';
      readonly space: AccessSpace;
      readonly width: number;
      readonly to: readonly Ref[];
      readonly address: Ref;
      readonly readOnly: boolean;
      /** Others may write there at any time (volatile, relaxed, acquire): a loop around it may be waiting for that. */
      readonly watched: boolean;
      /** Nothing that is loaded is used, so nobody need have written it. */
      readonly unused: boolean;
    }
  | {
      readonly kind: 'store';
      readonly space: AccessSpace;
      readonly width: number;
      readonly from: readonly Ref[];
      readonly address: Ref;
      /** Others may be looking at any time (volatile, relaxed, release): what was written before, they see too. */
      readonly watched: boolean;
    }
  /**
   * Copies `size` bytes between memories, both addresses being multiples of it. Only the first `count` are read, where
   * that is less; the others become zeros.
   */
  | {
      readonly kind: 'transfer';
      readonly space: AccessSpace;
      readonly address: Ref;
      readonly sourceSpace: AccessSpace;
      readonly source: Ref;
      readonly size: Ref;
      readonly count: Ref;
    }
  /** cvta: `to-generic` adds the window's base, `from-generic` removes it. */
  | {
      readonly kind: 'window';
      readonly direction: 'to-generic' | 'from-generic';
      readonly space: WindowSpace;
      readonly width: 32 | 64;
      readonly to: Ref;
      readonly from: Ref;
    }
  | { readonly kind: 'in-window'; readonly space: WindowSpace; readonly to: Ref; readonly from: Ref }
  | { readonly kind: 'branch'; readonly target: Ref }
  /** brx.idx: goes on at the target whose number is `index`. */
  | { readonly kind: 'switch'; readonly index: Ref; readonly targets: Ref }
  /**
   * Calls a function: what it is given and gives back differs from call to call and is not in the step. The callee is
   * named, or `indirect`, its address is in a register.
   */
  | { readonly kind: 'call'; readonly callee: Ref; readonly indirect: boolean }
  /** Back to the caller; in a kernel, the thread ends. */
  | { readonly kind: 'return' }
  | { readonly kind: 'exit' }
  /**
   * The thread is counted at barrier `barrier`, and `waits` until `count` threads (all of the block where null) have
   * come. With `reduce` each brings a predicate `from` and gets its reduction over all `to`.
   */
  | {
      readonly kind: 'barrier';
      readonly barrier: Ref;
      readonly count: Ref | null;
      readonly waits: boolean;
      readonly reduce: BarrierReduction | null;
      readonly to: readonly Ref[];
      readonly from: readonly Ref[];
    }
  /**
   * Threads exchange values (collective.ts): those in `mask`, or those that come to it together where there is none. Each
   * brings `from` and gets `to`.
   */
  | {
      readonly kind: 'collective';
      readonly fn: Collective;
      readonly to: readonly Ref[];
      readonly from: readonly Ref[];
      readonly mask: Ref | null;
    }
  /**
   * Elements of `width` bits are read to `old`, `steps` make `next` of them, `next` is written back, and nobody comes
   * between.
   */
  | {
      readonly kind: 'atomic';
      readonly space: AccessSpace;
      readonly width: number;
      readonly address: Ref;
      readonly old: readonly Ref[];
      readonly next: readonly Ref[];
      readonly steps: readonly Step[];
    }
  /** The thread asks for the launch to be ended. */
  | { readonly kind: 'trap' }
  /** Orders memory accesses, or lets others run: no value changes. */
  | { readonly kind: 'yield' }
  /** An instruction that is checked but not yet executed; running it is a named fault. */
  | { readonly kind: 'unsupported'; readonly what: string };
