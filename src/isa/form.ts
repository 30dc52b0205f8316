/**
 * An instruction form: one line of the ISA's syntax block, as plain data. All code that has to know the instructions
 * reads them from the table of forms: the resolver, the checker, the engines, `explain`, the listing and the
 * documentation. To add a form, it is therefore enough to add one entry to the table.
 */
import type { Ref } from './steps/ref.ts';
import { elementAt } from '../base/element-at.ts';
import type { Environment } from './environment.ts';
import type { Step } from './steps/step.ts';
import type { Availability } from './targets.ts';
import { type FloatName, type IntegerName, isFloatName, isIntegerName } from '../numerics/formats.ts';
import { type FloatArithmeticFormat, isFloatArithmeticFormat } from '../numerics/operations.ts';
import { type PtxType, type TypeName, typeOf } from './types.ts';

/** The values of constant operands, by the name of the operand. */
export type Constants = ReadonlyMap<string, number>;

export const noConstants: Constants = new Map();

/**
 * How a register's type is compared with the instruction's type (PTX ISA 9.1, section 9.4.1). Measurements with ptxas
 * show which instructions follow which rules. `exact`: the widths must be the same and the classes compatible.
 * `relaxed`: the rules of Tables 27 and 28 in that section apply, under which wider registers are truncated or
 * extended. `strict`: the widths must be the same, and alternate and packed types require a bit-size register.
 */
export type Regime = 'exact' | 'relaxed' | 'strict';

/** The type of an operand. A number stands for a type slot of the form, and a name for a fixed type. */
export type TypeRef = number | TypeName;

export type Role = 'read' | 'write';

/** A register, or another operand that is allowed in its place. */
export interface ValuePattern {
  readonly kind: 'value';
  readonly name: string;
  readonly role: Role;
  readonly type: TypeRef;
  /** If absent, the regime of the form applies. */
  readonly regime?: Regime;
  /** Special registers may be read here. */
  readonly special?: boolean;
  /** Constants are not allowed here, although the type would permit them. */
  readonly registerOnly?: boolean;
  /**
   * A `.f16x2` register is not allowed for this operand, although it would be allowed if the mnemonic named the
   * operand's type.
   */
  readonly unpacked?: boolean;
  /** Only an integer constant is allowed here. */
  readonly constantOnly?: boolean;
  /** Float constants of any spelling are allowed here, even for a bit-size type. */
  readonly floats?: boolean;
  /** The name of a variable or function is allowed here and stands for its address. */
  readonly address?: boolean;
  /** `!%p` is allowed here. */
  readonly negatable?: boolean;
  /** `!%p` with any predicate is allowed here. Such an operand is meaningless, but ptxas accepts it. */
  readonly negatedPredicate?: boolean;
  /** `_` is allowed here. If the value is `only`, nothing else is allowed. */
  readonly sink?: boolean | 'only';
  /** Integer constants outside `[min, max]` are rejected. */
  readonly range?: readonly [min: number, max: number];
  /** Integer constants must be multiples of this number. */
  readonly multiple?: number;
  /** Integer constants must be one of these numbers. */
  readonly oneOf?: readonly number[];
  /**
   * The name of another operand. If that operand is a constant, an integer constant here must not exceed it; both are
   * compared as unsigned numbers.
   */
  readonly atMost?: string;
  /** Float constants must be greater than 0 and at most 1. */
  readonly fraction?: boolean;
  /** Video selectors that may follow the register: `%r1.b3`. */
  readonly parts?: RegExp;
  /** Whether a minus sign before the register, as in `-%r`, is allowed or required. */
  readonly minus?: 'may' | 'must';
}

/**
 * A list of 1, 2 or 4 elements, or one register in its place. The modifier for the geometry, such as `.2d`, determines
 * the minimum number of elements in the list, or their exact number if `exact` is set.
 */
export interface CoordinatesPattern {
  readonly kind: 'coordinates';
  readonly name: string;
  readonly least: Readonly<Record<string, number>>;
  readonly types: readonly TypeName[];
  readonly exact?: boolean;
  /** Geometries for which the first element is an index into an array of textures or surfaces. */
  readonly indexed?: readonly string[];
}

/**
 * A brace list of exactly these elements. If `whole` is set, a vector register with that many elements is also allowed.
 * `alike` has the same meaning as in the pattern `lanes`. If `types` is given, an element may be a register of any type
 * that has the right width. In every group of four elements, however, `types` must contain a type with which all
 * registers of the group are compatible; if `joined` is set, there must be one such type for all elements together. If
 * `untyped` is set, at least one element must be a register, because the mnemonic does not determine the type of a
 * constant.
 */
export interface VectorPattern {
  readonly kind: 'vector';
  readonly name: string;
  readonly elements: readonly ValuePattern[];
  readonly whole?: boolean;
  readonly alike?: boolean;
  readonly types?: readonly TypeName[];
  readonly joined?: boolean;
  readonly untyped?: boolean;
}

export type OperandPattern =
  | ValuePattern
  | VectorPattern
  /**
   * A brace list of registers. `counts` assigns numbers to some modifiers. The length of the list is the product of the
   * numbers that are assigned to the variant's modifiers. `types` and `joined` have the same meaning as in
   * `VectorPattern`.
   */
  | {
      readonly kind: 'registers';
      readonly name: string;
      readonly element: ValuePattern;
      readonly counts: readonly Readonly<Record<string, number>>[];
      readonly types?: readonly TypeName[];
      readonly joined?: boolean;
      /** For registers that are written and read: the name under which steps find the values that are read. */
      readonly alsoRead?: string;
    }
  /**
   * Without a vector modifier, the operand is one value. With a vector modifier, it is a brace list or vector register
   * with the number of elements that the modifier gives. `alike`: the elements must be either all floats or all
   * integers; in both cases, some of them may also be bit-size registers. `braced`: without a vector modifier, the
   * single value may also be in braces. `uncounted`: lists of 1, 2 or 4 registers are allowed even without a vector
   * modifier, and an operand that is read may be a single value even if there is a vector modifier. `alone`: with a
   * vector modifier, a single value is also allowed.
   */
  | {
      readonly kind: 'lanes';
      readonly name: string;
      readonly value: ValuePattern;
      readonly alike?: boolean;
      readonly braced?: boolean;
      readonly uncounted?: boolean;
      readonly alone?: boolean;
    }
  /**
   * `[a]`, `[a+imm]` or `[variable]`. The address is in `space` or, if that is absent, in the state space that the
   * instruction's modifier names. `sized`: a register that holds a global or generic address must be as wide as the
   * addresses of the module. `element`: `name[1]` is also allowed, without brackets around it. `coordinates`: the
   * operand is `[a, {x, y}]` with this number of 32-bit coordinates, where `a` is the address of a tensor map. `least`:
   * a register that holds the address must have at least this many bits (with `generic`, this applies only to
   * instructions without a space modifier). In all other cases, narrower registers are also allowed, and ptxas extends
   * them.
   */
  | {
      readonly kind: 'address';
      readonly name: string;
      readonly access: 'load' | 'store';
      readonly coordinates?: number;
      readonly space?: string;
      readonly sized?: boolean;
      readonly element?: boolean;
      readonly least?: { readonly bits: 32 | 64; readonly generic?: boolean };
    }
  /**
   * The operand of cvta: a register or, for variants without `.to`, a variable in the state space that the modifier
   * names. This pattern is also used for mapa and getctarank. Their variable must always be in `space`, and integer
   * constants are allowed if `constants` is set.
   */
  | {
      readonly kind: 'window';
      readonly name: string;
      readonly type: TypeRef;
      readonly variables: boolean;
      readonly space?: string;
      readonly constants?: boolean;
    }
  /**
   * `[a, {x, y}]`: a texture or surface, followed by coordinates of one of the `types`. The texture or surface is given
   * by its name or by a register that contains its handle. With `sampled`, `[a, s, {x, y}]` is also allowed, where `s`
   * is a sampler.
   */
  | {
      readonly kind: 'texture';
      readonly name: string;
      readonly of: '.texref' | '.surfref';
      /** The requirements for a handle in a register. */
      readonly indirect: AvailabilityRow;
      readonly coordinates: CoordinatesPattern;
      readonly sampled?: boolean;
    }
  /** `[a]`: a texture, sampler or surface, given by its name or in a register. */
  | {
      readonly kind: 'handle';
      readonly name: string;
      readonly of: '.texref' | '.samplerref' | '.surfref';
      readonly indirect: AvailabilityRow;
    }
  | CoordinatesPattern
  /**
   * `[a]` or `[a+imm]`, an address in tensor memory; a register that holds it must have one of the `types`. If `types`
   * is absent, any 32-bit integer register, variable or constant is allowed.
   */
  | { readonly kind: 'tensor'; readonly name: string; readonly types?: readonly TypeName[] }
  /** A register that holds an address: 32 or 64 bits wide, of an integer or bit-size type. */
  | { readonly kind: 'pointer'; readonly name: string }
  /** One result, `p`, or two, `p|q`; the first result may be a vector. */
  | {
      readonly kind: 'pair';
      readonly name: string;
      readonly first: ValuePattern | VectorPattern;
      readonly second: ValuePattern;
      /** `p` alone is not allowed. */
      readonly both?: boolean;
      /**
       * The version and target that are required for using the second result. These requirements apply in addition to
       * those of the instruction itself.
       */
      readonly needs?: AvailabilityRow;
    }
  | { readonly kind: 'label'; readonly name: string }
  /** `(a, b)` in a call; what the list may contain depends on the function's parameters and return values. */
  | { readonly kind: 'list'; readonly name: string; readonly role: Role }
  /** The function to call: its name, or a register that holds its address. */
  | { readonly kind: 'callee'; readonly name: string; readonly indirect: boolean }
  /** The label of a `.branchtargets`, `.calltargets` or `.callprototype` directive. */
  | { readonly kind: 'table'; readonly name: string; readonly of: 'branches' | 'calls' };

/**
 * The relation that must hold between the types in the first two slots of a form: for example, that the first type is
 * wider than the second.
 */
export type TypeRelation = 'wider' | 'narrower' | 'same';

/**
 * A condition that a variant can fulfill. The variant must have one of `types` in the slot, must have all of
 * `modifiers`, and must not have any of `without`.
 */
export interface Condition {
  readonly types?: readonly TypeName[];
  /** The slot whose type must be one of `types`. If absent, it is enough for any slot to have one of these types. */
  readonly slot?: number;
  readonly modifiers?: readonly string[];
  readonly without?: readonly string[];
}

/** A rule that restricts which modifiers can be combined, in addition to the restrictions that follow from the axes. */
export type Constraint =
  /** The modifier is allowed only if some slot (or the slot `slot`, if given) has one of these types. */
  | {
      readonly kind: 'needs-type';
      readonly modifier: string;
      readonly types: readonly TypeName[];
      readonly slot?: number;
    }
  /**
   * The modifier (`.sat`) is allowed only if the source type has values that are outside the range of the destination
   * type.
   */
  | { readonly kind: 'needs-narrowing-range'; readonly modifier: string }
  /** At least one of these modifiers is required. */
  | { readonly kind: 'any-of'; readonly modifiers: readonly string[] }
  /** The modifier is allowed only together with one of these modifiers. */
  | { readonly kind: 'needs-modifier'; readonly modifier: string; readonly oneOf: readonly string[] }
  /**
   * If the instruction has a modifier on the first axis, its modifier on the other axis must be one of these; `''`
   * stands for no modifier.
   */
  | {
      readonly kind: 'axis-goes-with';
      readonly axis: string;
      readonly other: string;
      readonly values: readonly string[];
    }
  /** If the instruction has a modifier on this axis, all lanes together must have at least `bits` bits. */
  | { readonly kind: 'axis-needs-bits'; readonly axis: string; readonly bits: number }
  /** If the condition holds, all lanes of a vector together must have no more than `bits` bits. */
  | { readonly kind: 'vector-bits'; readonly bits: number; readonly when?: Condition };

/**
 * A rule that says which versions and targets support a feature. If the condition `when` holds for a variant, at least
 * one of the alternatives in `ways` must apply.
 */
export interface AvailabilityRow {
  /** The feature that has the requirement, as messages refer to it: `.e4m3x2 on sm_89`. */
  readonly subject: string;
  readonly when?: Condition;
  readonly ways: readonly Availability[];
}

export interface InstructionForm {
  /** A permanent, unique name, such as `cvt.f8x2.f32`. The name is used in test ids, documentation and listings. */
  readonly id: string;
  /** Section of PTX ISA 9.1. */
  readonly section: string;
  /** The syntax line in the ISA's notation, operands included. */
  readonly syntax: string;
  readonly summary: string;
  /** Type and modifier sets that the syntax line names but modifiers.ts does not define. */
  readonly sets?: Readonly<Record<string, readonly string[]>>;
  readonly regime: Regime;
  readonly relation?: TypeRelation;
  readonly constraints?: readonly Constraint[];
  readonly availability: readonly AvailabilityRow[];
  readonly operands: readonly OperandPattern[];
  /**
   * Whether the instruction waits for other threads, or tests whether the thread must keep waiting. A loop around such
   * an instruction is recognized as a loop that waits for other threads.
   */
  readonly polls?: true;
  /**
   * The value that the instruction sets to true if the thread has to wait for other threads. The thread then executes
   * the instruction again.
   */
  readonly repeatsWhile?: Ref;
  /** The threads of the warp wait for each other before they execute the instruction. */
  readonly meetsFirst?: boolean;
  /** Axes whose modifiers do not affect results, so that tests and listings may ignore them. */
  readonly inert?: readonly string[];
  /**
   * The value of the condition code if the instruction is evaluated on its own, without an earlier instruction that
   * sets the condition code. This value means that there is no carry or borrow; it is 1 for instructions that borrow.
   * Default: 0.
   */
  readonly nothingCarried?: 0 | 1;
  /**
   * Builds the steps of the variant, as pure data. `constants` contains the values of the operands listed in
   * `decidedBy`; it is empty where only the variant is known, and the steps are then those for the usual values.
   */
  readonly steps: (variant: Variant, environment: Environment, constants?: Constants) => readonly Step[];
  /** Constant operands whose values decide what the steps are. */
  readonly decidedBy?: readonly string[];
}

/** A form for which all choices have been made. */
export interface Variant {
  readonly form: InstructionForm;
  /**
   * The opcode with its modifiers and types. They are always in the order in which the ISA lists them, even if the text
   * has a different order.
   */
  readonly mnemonic: string;
  readonly types: readonly PtxType[];
  /** The chosen modifier for each axis; an axis for which no modifier was chosen has no entry. */
  readonly modifiers: Readonly<Record<string, string>>;
  /** The selectors and signs of operands, by operand name: `.b3`, `-`, `-.b3`. Absent if empty. */
  readonly selectors?: Readonly<Record<string, string>>;
}

/** True if the variant has this modifier. */
export function has(variant: Variant, modifier: string): boolean {
  for (const axis in variant.modifiers) if (variant.modifiers[axis] === modifier) return true;
  return false;
}

/** The type in a slot; the form guarantees that the slot exists. */
export function slotType(variant: Variant, slot: number): PtxType {
  return elementAt(variant.types, slot);
}

/** The integer type in a slot; the form guarantees that the type in this slot is an integer type. */
export function integerType(variant: Variant, slot: number): IntegerName {
  const { name, format } = slotType(variant, slot);
  if (format === null || !isIntegerName(format)) throw new Error(`${name} is not an integer`);
  return format;
}

/** The number format of the lanes in a slot; the form guarantees that arithmetic is defined for this format. */
export function floatType(variant: Variant, slot: number): FloatArithmeticFormat {
  const { name, format } = slotType(variant, slot);
  if (!isFloatArithmeticFormat(format)) throw new Error(`${name} has no arithmetic`);
  return format;
}

/** The float format of a slot; the form guarantees that it has one. */
export function floatName(variant: Variant, slot: number): FloatName {
  const { name, format } = slotType(variant, slot);
  if (format === null || !isFloatName(format)) throw new Error(`${name} is not a float`);
  return format;
}

/**
 * The modifier that the variant has on an axis, without its dot; the form guarantees that it is one of the given words.
 */
export function choice<W extends string>(variant: Variant, axis: string, words: readonly W[]): W {
  const modifier = variant.modifiers[axis];
  const found = words.find((word) => modifier === `.${word}`);
  if (found === undefined)
    throw new Error(`expected ${axis} to be one of ${words.join(', ')}, but it is ${modifier ?? 'absent'}`);
  return found;
}

/**
 * The type that a reference in a form stands for. A number refers to a type slot, and a name to the type with that
 * name.
 */
export function operandType(variant: Variant, type: TypeRef): PtxType {
  return typeof type === 'number' ? slotType(variant, type) : typeOf(type);
}

type RegistersPattern = Extract<OperandPattern, { readonly kind: 'registers' }>;

/** The list that a variant requires, with elements named `d.0`, `d.1`, …. */
export function listOf(variant: Variant, { name, element, counts, types, joined }: RegistersPattern): VectorPattern {
  const modifiers = Object.values(variant.modifiers);
  const length = counts.reduce((count, of) => count * (modifiers.map((word) => of[word]).find(Number) ?? 1), 1);
  return {
    kind: 'vector',
    name,
    elements: Array.from({ length }, (_, i) => ({ ...element, name: `${name}.${i}` })),
    ...(types === undefined ? {} : { types }),
    ...(joined === undefined ? {} : { joined }),
  };
}

// --- shorthand for operand patterns ---------------------------------------------------------------------------------

type ValueOptions = Omit<ValuePattern, 'kind' | 'name' | 'role' | 'type'>;

/** A result register. */
export function write(name: string, type: TypeRef, options: ValueOptions = {}): ValuePattern {
  return { kind: 'value', name, role: 'write', type, ...options };
}

/** A source register or constant. */
export function read(name: string, type: TypeRef, options: ValueOptions = {}): ValuePattern {
  return { kind: 'value', name, role: 'read', type, ...options };
}

/** The minimum number of elements in a list of coordinates. */
export function leastCoordinates({ modifiers }: Pick<Variant, 'modifiers'>, { least }: CoordinatesPattern): number {
  const geometry = Object.values(modifiers).find((word) => least[word] !== undefined);
  return (geometry === undefined ? null : least[geometry]) ?? 1;
}

/** The elements of a list of coordinates, without any further elements, which are ignored. */
export function coordinatePatterns(variant: Variant, pattern: CoordinatesPattern): readonly ValuePattern[] {
  const count = leastCoordinates(variant, pattern);
  return Array.from({ length: count }, (_, i) => read(`${pattern.name}.${i}`, '.b32'));
}
