/**
 * An instruction form: one line of the ISA's syntax block, as plain data. Everything that knows instructions reads the
 * table of forms: resolver, checker, engines, explain, listing, documentation. Adding a form is adding one entry.
 */
import type { Environment } from './environment.ts';
import type { Step } from './steps/step.ts';
import type { Availability } from './targets.ts';
import { type PtxType, type TypeName, typeOf } from './types.ts';

/**
 * How a register's type is held against the instruction's type (PTX ISA 9.1, 9.4.1; regimes as measured).
 * `exact`: same width, compatible class. `relaxed`: Tables 27 and 28, wider registers chop and extend.
 * `strict`: same width, and alternate or packed types want a bit-size register.
 */
export type Regime = 'exact' | 'relaxed' | 'strict';

/** The type of an operand: the n-th type slot of the form, or a fixed one. */
export type TypeRef = number | TypeName;

export type Role = 'read' | 'write';

/** A register, or what may stand for one. */
export interface ValuePattern {
  readonly kind: 'value';
  readonly name: string;
  readonly role: Role;
  readonly type: TypeRef;
  /** The form's regime unless given. */
  readonly regime?: Regime;
  /** Special registers may be read here. */
  readonly special?: boolean;
  /** Constants may not stand here, although the type would allow them. */
  readonly registerOnly?: boolean;
  /** A `.f16x2` register may not stand here, although it may where a type is written. */
  readonly unpacked?: boolean;
  /** Only an integer constant may stand here. */
  readonly constantOnly?: boolean;
  /** Float constants of any spelling may stand here, also for a bit-size type. */
  readonly floats?: boolean;
  /** Names of variables and functions may stand here for their address. */
  readonly address?: boolean;
  /** `!%p` may stand here. */
  readonly negatable?: boolean;
  /** `!%p` of any predicate may stand here, which makes no sense but is what ptxas does. */
  readonly negatedPredicate?: boolean;
  /** `_` may stand here. */
  readonly sink?: boolean;
  /** Integer constants outside `[min, max]` are refused. */
  readonly range?: readonly [min: number, max: number];
  /** Integer constants must be a multiple of this. */
  readonly multiple?: number;
  /** Integer constants must be one of these. */
  readonly oneOf?: readonly number[];
  /** Integer constants, as unsigned, must not be above the constant that this operand is. */
  readonly atMost?: string;
  /** Float constants must be above 0 and at most 1. */
  readonly fraction?: boolean;
  /** Video selectors that may follow the register: `%r1.b3`. */
  readonly parts?: RegExp;
  /** `-%r` may stand here, or must. */
  readonly minus?: 'may' | 'must';
}

export type OperandPattern =
  | ValuePattern
  /** A brace list of exactly these elements; with `whole`, also a vector register of as many. `alike` as in lanes. */
  | {
      readonly kind: 'vector';
      readonly name: string;
      readonly elements: readonly ValuePattern[];
      readonly whole?: boolean;
      readonly alike?: boolean;
    }
  /**
   * One value without a vector modifier, a brace list or vector register of that many with one. `alike`: the elements
   * must be of one kind (all floats or all integers; bit-size registers go with either). `braced`: without a vector
   * modifier the one value may stand in braces too.
   */
  | {
      readonly kind: 'lanes';
      readonly name: string;
      readonly value: ValuePattern;
      readonly alike?: boolean;
      readonly braced?: boolean;
    }
  /**
   * `[a]`, `[a+imm]`, `[variable]` in `space`, or where that is absent in the space of the form's space axis. `short`: 32
   * bits will do where addresses have 64. `element`: `name[1]` may stand here without brackets around it.
   */
  | {
      readonly kind: 'address';
      readonly name: string;
      readonly access: 'load' | 'store';
      readonly space?: string;
      readonly short?: boolean;
      readonly element?: boolean;
    }
  /**
   * What cvta takes: a register, or without `.to` a variable of the space. mapa and getctarank, where variables must be
   * in `space` whatever the axis says, take integer `constants` too.
   */
  | {
      readonly kind: 'window';
      readonly name: string;
      readonly type: TypeRef;
      readonly variables: boolean;
      readonly space?: string;
      readonly constants?: boolean;
    }
  /** A register that holds an address: 32 or 64 bits, integer or bit-size. */
  | { readonly kind: 'pointer'; readonly name: string }
  /** `p` or `p|q`. */
  | {
      readonly kind: 'pair';
      readonly name: string;
      readonly first: ValuePattern;
      readonly second: ValuePattern;
      /** `p` alone will not do. */
      readonly both?: boolean;
    }
  | { readonly kind: 'label'; readonly name: string }
  /** `(a, b)` of a call: what the function takes or gives decides what may stand in it. */
  | { readonly kind: 'list'; readonly name: string; readonly role: Role }
  /** The function called: its name, or a register with its address. */
  | { readonly kind: 'callee'; readonly name: string; readonly indirect: boolean }
  /** A label of `.branchtargets`, or of `.calltargets` or `.callprototype`. */
  | { readonly kind: 'table'; readonly name: string; readonly of: 'branches' | 'calls' };

/** How the type slots of a form must relate for the form to apply at all. */
export type TypeRelation = 'wider' | 'narrower' | 'same';

/** Holds for a variant with one of these types in the slot, with each of these modifiers, without each of those. */
export interface Condition {
  readonly types?: readonly TypeName[];
  /** Which slot `types` speaks of; any slot where absent. */
  readonly slot?: number;
  readonly modifiers?: readonly string[];
  readonly without?: readonly string[];
}

/** A rule that a choice of modifiers must keep, beyond what the axes allow. */
export type Constraint =
  /** The modifier needs one of these types in some slot (in `slot` where given). */
  | {
      readonly kind: 'needs-type';
      readonly modifier: string;
      readonly types: readonly TypeName[];
      readonly slot?: number;
    }
  /** `.sat` needs a destination range that does not include the source's. */
  | { readonly kind: 'needs-narrowing-range'; readonly modifier: string }
  /** At least one of these modifiers. */
  | { readonly kind: 'any-of'; readonly modifiers: readonly string[] }
  /** The modifier needs another of some axis. */
  | { readonly kind: 'needs-modifier'; readonly modifier: string; readonly oneOf: readonly string[] }
  /** Where the axis is chosen, the other axis must have one of these values; `''` is its absence. */
  | {
      readonly kind: 'axis-goes-with';
      readonly axis: string;
      readonly other: string;
      readonly values: readonly string[];
    }
  /** Where the axis is chosen, all lanes together must have at least `bits`. */
  | { readonly kind: 'axis-needs-bits'; readonly axis: string; readonly bits: number }
  /** The types of a vector: total bits of all lanes at most `bits` under the condition. */
  | { readonly kind: 'vector-bits'; readonly bits: number; readonly when?: Condition };

/** A version and target rule. All rows whose condition holds must be met, each by one of its ways. */
export interface AvailabilityRow {
  /** What has the requirement, as a reader would name it: `.e4m3x2 on sm_89`. */
  readonly subject: string;
  readonly when?: Condition;
  readonly ways: readonly Availability[];
}

export interface InstructionForm {
  /** Permanent and unique: `cvt.f8x2.f32`. Test ids, documentation and listings are built on it. */
  readonly id: string;
  /** Section of PTX ISA 9.1. */
  readonly section: string;
  /** The syntax line in the ISA's notation, operands included. */
  readonly syntax: string;
  readonly summary: string;
  /** Type and modifier sets that the syntax line names and modifiers.ts does not define. */
  readonly sets?: Readonly<Record<string, readonly string[]>>;
  readonly regime: Regime;
  readonly relation?: TypeRelation;
  readonly constraints?: readonly Constraint[];
  readonly availability: readonly AvailabilityRow[];
  readonly operands: readonly OperandPattern[];
  /** Why a vector or listing may skip a modifier axis: it changes no result. */
  readonly inert?: readonly string[];
  /** What the variant does. Builds data only. */
  readonly steps: (variant: Variant, environment: Environment) => readonly Step[];
}

/** A form with every choice made. */
export interface Variant {
  readonly form: InstructionForm;
  /** In the ISA's order of modifiers, whatever order was written. */
  readonly mnemonic: string;
  readonly types: readonly PtxType[];
  /** Chosen modifier by axis; an axis left out is absent. */
  readonly modifiers: Readonly<Record<string, string>>;
  /** What operands carry, by their names: `.b3`, `-`, `-.b3`. Absent where none does. */
  readonly selectors?: Readonly<Record<string, string>>;
}

/** True where the variant carries this modifier. */
export function has(variant: Variant, modifier: string): boolean {
  for (const axis in variant.modifiers) if (variant.modifiers[axis] === modifier) return true;
  return false;
}

/** The type in a slot; the form guarantees that the slot exists. */
export function slotType(variant: Variant, slot: number): PtxType {
  return variant.types[slot] as PtxType;
}

/** The type behind a form's reference: that of a slot, or the one it names. */
export function operandType(variant: Variant, type: TypeRef): PtxType {
  return typeof type === 'number' ? slotType(variant, type) : typeOf(type);
}

// --- short writing of operand patterns ------------------------------------------------------------------------------

type ValueOptions = Omit<ValuePattern, 'kind' | 'name' | 'role' | 'type'>;

/** A result register. */
export function write(name: string, type: TypeRef, options: ValueOptions = {}): ValuePattern {
  return { kind: 'value', name, role: 'write', type, ...options };
}

/** A source register or constant. */
export function read(name: string, type: TypeRef, options: ValueOptions = {}): ValuePattern {
  return { kind: 'value', name, role: 'read', type, ...options };
}
