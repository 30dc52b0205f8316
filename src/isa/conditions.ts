/**
 * The rules of forms as data: which modifiers and types may be combined, and which versions and targets they require.
 */
import type { Availability } from './targets.ts';
import type { TypeName } from './types.ts';

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
  /** The slot whose type must be one of `types`. If no slot is specified, the type of any slot can be one of these. */
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
 * A rule that defines which versions and targets support a feature. If the condition `when` holds for a variant, at
 * least one of the alternatives in `ways` must apply.
 */
export interface AvailabilityRow {
  /** The feature that has the requirement, as messages refer to it: `.e4m3x2 on sm_89`. */
  readonly subject: string;
  readonly when?: Condition;
  readonly ways: readonly Availability[];
}
