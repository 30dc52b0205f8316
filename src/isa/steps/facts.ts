/**
 * The facts about a kind of step that are known without running it. These facts are plain data, written next to the
 * declaration of the step. The facts are used by the analyses of live values, control flow and uniform values, and by
 * the tests of both engines.
 */
import type { GroupScope } from '../collective.ts';
import type { Sameness } from '../sameness.ts';
import type { AccessSpace } from '../spaces.ts';
import type { AsyncKind } from './order.ts';
import type { Ref } from './ref.ts';

/** Fields of a step that refer to values. */
export type RefField<Fields> = {
  [Field in keyof Fields]-?: Extract<Fields[Field], Ref | readonly Ref[]> extends never ? never : Field;
}[keyof Fields];

/** Fields of a step that hold inner steps. */
type InnerField<Fields> = {
  [Field in keyof Fields]-?: Fields[Field] extends readonly { readonly kind: string }[] ? Field : never;
}[keyof Fields];

/** Fields of a step that specify the state space that it accesses. */
export type SpaceField<Fields> = {
  [Field in keyof Fields]-?: Fields[Field] extends AccessSpace ? Field : never;
}[keyof Fields];

/** `in`: the step reads the value. `out`: the step writes the value. */
export type Direction = 'in' | 'out';

/** `update` reads and writes atomically. */
export type MemoryAccess = 'read' | 'write' | 'update';

export interface MemoryEffect<Fields> {
  readonly access: MemoryAccess;
  /** `space` and `address` are the names of the fields that contain the state space and the address. */
  readonly space: SpaceField<Fields>;
  readonly address: RefField<Fields>;
}

/**
 * Where the thread continues after the step. `next` means that it continues with the next step; all other values are
 * ways to leave the instruction.
 */
export type Flow = 'next' | 'branch' | 'switch' | 'call' | 'return' | 'exit' | 'fault';

/** Describes which threads get the same results from a step. */
export interface Uniformity<Fields> {
  /** The largest kind of group whose threads can all get the same result when they execute the step together. */
  readonly among: Sameness;
  /**
   * The inputs that determine whether the results are the same: all inputs, or only those in the listed fields. If
   * these inputs are the same for all threads of the group, so are the results.
   */
  readonly given: 'inputs' | readonly RefField<Fields>[];
}

/** The facts about one kind of step. `Fields` is the type of the fields that such a step has. */
export interface Facts<Fields> {
  /**
   * Describes how each field is used. Every field that refers to values or holds steps must be listed; otherwise, the
   * row does not compile.
   */
  readonly values: { readonly [Field in RefField<Fields>]: Direction } & {
    readonly [Field in InnerField<Fields>]: 'inner';
  };
  readonly memory: readonly MemoryEffect<Fields>[];
  readonly flow: Flow;
  /** The kind of group whose threads execute the step together; null if each thread executes it independently. */
  readonly group: GroupScope | null;
  /**
   * Whether the step reads memory to which other threads may write at any time. If so, a loop that contains the step
   * may be waiting for such a write.
   */
  readonly looks: boolean | ((fields: Fields) => boolean);
  readonly same: Uniformity<Fields> | ((fields: Fields) => Uniformity<Fields>);
  /** The kind of asynchronous operation that the step starts; null if it starts none. */
  readonly starts: AsyncKind | null | ((fields: Fields) => AsyncKind | null);
}

/** Rows of facts, one for each kind of step that a file declares. */
export type FactsOf<Chapter> = { readonly [Kind in keyof Chapter]: Facts<Chapter[Kind]> };

/** Defaults for a step that each thread executes independently and that does not access memory. */
export const alone: {
  readonly memory: readonly [];
  readonly group: null;
  readonly looks: false;
  readonly starts: null;
  readonly same: { readonly among: 'grid'; readonly given: 'inputs' };
} = {
  memory: [],
  group: null,
  looks: false,
  starts: null,
  same: { among: 'grid', given: 'inputs' },
};

/** A step that computes results from values and does nothing else. */
export function pure<Fields>(values: Facts<Fields>['values']): Facts<Fields> {
  return { ...alone, values, flow: 'next' };
}
