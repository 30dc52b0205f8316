/** The operands of forms as data: what is allowed as each operand. */
import type { AvailabilityRow } from './conditions.ts';
import type { VersionName } from './targets.ts';
import type { TypeName } from './types.ts';

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
  /** Special registers are allowed as this operand. */
  readonly special?: boolean;
  /** Constants are not allowed as this operand, although the type would permit them. */
  readonly registerOnly?: boolean;
  /**
   * A `.f16x2` register is not allowed for this operand, although it would be allowed if the mnemonic specified the
   * operand's type.
   */
  readonly unpacked?: boolean;
  /** A bit-size register is not allowed as this operand. */
  readonly numeric?: boolean;
  /** If the operand's type is `.bf16`, integer registers and constants are also allowed, as for `.u16`. */
  readonly integers?: boolean;
  /** Only an integer constant is allowed as this operand. */
  readonly constantOnly?: boolean;
  /** The name of a variable or function is allowed as this operand and stands for its address. */
  readonly address?: boolean;
  /**
   * The requirements for using a name as this operand: by the type of a texture, sampler or surface, by the directive
   * of a function (`.func` or `.entry`), or by the space of another variable.
   */
  readonly names?: ReadonlyMap<string, AvailabilityRow>;
  /** `!%p` is allowed as this operand. */
  readonly negatable?: boolean;
  /** A negated predicate (`!%p`) is allowed as this operand. It is meaningless here, but ptxas accepts it. */
  readonly negatedPredicate?: boolean;
  /** `_` is allowed as this operand. If the value is `only`, nothing else is allowed. */
  readonly sink?: boolean | 'only';
  /** Integer constants outside `[min, max]` are rejected. */
  readonly range?: readonly [min: number, max: number];
  /** The first version that enforces `range`; absent if every version does. */
  readonly rangeSince?: VersionName;
  /** The requirements for integer constants that are at least `from`. */
  readonly later?: { readonly from: number; readonly needs: AvailabilityRow };
  /** Integer constants must be multiples of this number. */
  readonly multiple?: number;
  /** Integer constants must be one of these numbers. */
  readonly oneOf?: readonly number[];
  /**
   * The name of another operand. If that operand is a constant, an integer constant for this operand must not exceed
   * it; both are compared as unsigned numbers.
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
 * `alike`: the types of the elements are combined into one type. If `types` is given, an element may be a register of
 * any type that has the right width. In every group of four elements, however, `types` must contain a type with which
 * all registers of the group are compatible; if `joined` is set, there must be one such type for all elements together.
 * If `untyped` is set, at least one element must be a register or a `0f…` constant, because the mnemonic does not
 * determine the type of other constants.
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
   * numbers that are assigned to the variant's modifiers. `types`, `joined` and `untyped` have the same meaning as in
   * `VectorPattern`.
   */
  | {
      readonly kind: 'registers';
      readonly name: string;
      readonly element: ValuePattern;
      readonly counts: readonly Readonly<Record<string, number>>[];
      readonly types?: readonly TypeName[];
      readonly joined?: boolean;
      readonly untyped?: boolean;
      /** For registers that are written and read: the name that steps use for the values that are read. */
      readonly alsoRead?: string;
    }
  /**
   * Without a vector modifier, the operand is one value. With a vector modifier, it is a brace list or vector register
   * with the number of elements that the modifier specifies. `braced`: without a vector modifier, the single value may
   * also be in braces. `uncounted`: lists of 1, 2 or 4 registers are allowed even without a vector modifier, and an
   * operand that is read may be a single value even if there is a vector modifier. `alone`: with a vector modifier, a
   * single value is also allowed. `maskable`: in a list of 256 bits, `_` is allowed for elements that are not accessed.
   */
  | {
      readonly kind: 'lanes';
      readonly name: string;
      readonly value: ValuePattern;
      readonly braced?: boolean;
      readonly uncounted?: boolean;
      readonly alone?: boolean;
      readonly maskable?: boolean;
    }
  /**
   * `[a]`, `[a+imm]` or `[variable]`. The address is in `space` or, if that is absent, in the state space that the
   * instruction's modifier specifies. `sized`: a register that holds a global or generic address must be as wide as the
   * addresses of the module. `element`: `name[1]` is also allowed, without brackets around it. `coordinates`: the
   * operand is `[a, {x, y}]` with this number of 32-bit coordinates, where `a` is the address of a tensor map. `least`:
   * a register that holds the address must have at least this many bits (with `generic`, this applies only to
   * instructions without a space modifier). In all other cases, narrower registers are also allowed, and ptxas extends
   * them. `plain`: the name of a texture, sampler or surface is not allowed. `unnamed`: with this modifier, ptxas
   * accepts only registers. `typed`: the number of bytes that the instruction accesses is determined by its first type
   * and its number of lanes.
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
      readonly plain?: boolean;
      readonly unnamed?: string;
      readonly typed?: boolean;
    }
  /**
   * The operand of cvta: a register or, for variants without `.to`, a variable in the state space that the modifier
   * specifies. This pattern is also used for mapa and getctarank. In these instructions, the variable must always be in
   * `space`, and integer constants are allowed if `constants` is set.
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
   * by its name or by a register that contains its handle. With `sampled`, `[a, s, {x, y}]` with a sampler `s` is also
   * allowed. The value of `sampled` contains the requirements for this form. They apply only if textures include their
   * samplers, or if `a` or `s` is in a register.
   */
  | {
      readonly kind: 'texture';
      readonly name: string;
      readonly of: '.texref' | '.surfref';
      /** The requirements for a handle in a register. */
      readonly indirect: AvailabilityRow;
      readonly coordinates: CoordinatesPattern;
      readonly sampled?: AvailabilityRow;
      /** The geometries for which no separate sampler is allowed if textures include their samplers. */
      readonly unsampled?: readonly string[];
    }
  /**
   * `[a]`: a texture, sampler or surface, given by its name or in a register. `separate`: the operand is a sampler in
   * modules where samplers are separate from textures.
   */
  | {
      readonly kind: 'handle';
      readonly name: string;
      readonly of: '.texref' | '.samplerref' | '.surfref';
      readonly separate?: boolean;
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

type ValueOptions = Omit<ValuePattern, 'kind' | 'name' | 'role' | 'type'>;

/** A result register. */
export function write(name: string, type: TypeRef, options: ValueOptions = {}): ValuePattern {
  return { kind: 'value', name, role: 'write', type, ...options };
}

/** A source register or constant. */
export function read(name: string, type: TypeRef, options: ValueOptions = {}): ValuePattern {
  return { kind: 'value', name, role: 'read', type, ...options };
}

/** The coordinates that follow the address of a tensor map: `coordinate.0`, `coordinate.1`, …. */
export function coordinatesAfterAddress(count: number): readonly ValuePattern[] {
  return Array.from({ length: count }, (_, i) => read(`coordinate.${i}`, '.b32'));
}
