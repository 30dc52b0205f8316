/** Answers questions about a single step, based on the facts about steps of its kind. */
import { meet, type Sameness } from '../sameness.ts';
import { type AccessSpace, isAccessSpace, spaceSameness } from '../spaces.ts';
import type { GroupScope } from '../collective.ts';
import type { Direction, Facts, Flow, MemoryAccess } from './facts.ts';
import { groupFacts } from './group.ts';
import type { AsyncKind } from './order.ts';
import type { Ref } from './ref.ts';
import { type GroupStep, type Step, stepFacts, type StepKind, type StepOf, type Steps } from './step.ts';
import { valueFacts, type ValueStep } from './value.ts';

/** The values that the step reads, including those of its inner steps. */
export function inputsOf(step: Step): readonly Ref[] {
  return refsTo(step, 'in');
}

/** The values that the step writes, including those of its inner steps. */
export function outputsOf(step: Step): readonly Ref[] {
  return refsTo(step, 'out');
}

/** Every value that the step reads or writes. */
export function refsOf(step: Step): readonly Ref[] {
  return [...inputsOf(step), ...outputsOf(step)];
}

function refsTo(step: Step, wanted: Direction): readonly Ref[] {
  const found: Ref[] = [];
  addRefs(step, wanted, found);
  return found;
}

function addRefs(step: Step, wanted: Direction, to: Ref[]): void {
  for (const field of refFieldsOf(step.kind)[wanted]) addRefsIn(step, field, to);
  for (const inner of innerSteps(step)) addRefs(inner, wanted, to);
}

/**
 * For one kind of step, the fields that refer to values: one list for values that are read, and one for values that are
 * written.
 */
type RefFields = Readonly<Record<Direction, readonly string[]>>;

/**
 * Caches the `RefFields` of each kind of step, because compilers ask for the values of every step several times. Each
 * key is the object `values` in the facts about a kind of step.
 */
const refFields = new WeakMap<object, RefFields>();

function refFieldsOf(kind: StepKind): RefFields {
  const { values } = stepFacts[kind];
  const known = refFields.get(values);
  if (known !== undefined) return known;
  const fieldsTo = (wanted: Direction): readonly string[] =>
    Object.entries(values).flatMap(([field, direction]) => (direction === wanted ? [field] : []));
  const found = { in: fieldsTo('in'), out: fieldsTo('out') };
  refFields.set(values, found);
  return found;
}

function addRefsIn(fields: Readonly<Record<PropertyKey, unknown>>, field: PropertyKey, to: Ref[]): void {
  const value = fields[field];
  if (isRef(value)) to.push(value);
  else if (Array.isArray(value)) for (const one of value) if (isRef(one)) to.push(one);
}

function isRef(value: unknown): value is Ref {
  return typeof value === 'string' && value.startsWith('$');
}

function innerSteps(step: Step): readonly ValueStep[] {
  return 'steps' in step ? step.steps : [];
}

/** True for a step that computes values from other values and does nothing else. */
export function isValueStep(step: Step): step is ValueStep {
  return Object.hasOwn(valueFacts, step.kind);
}

/** True for a step that threads execute together. */
export function isGroupStep(step: Step): step is GroupStep {
  return Object.hasOwn(groupFacts, step.kind);
}

export function flowOf(step: Step): Flow {
  return stepFacts[step.kind].flow;
}

export function groupOf(step: Step): GroupScope | null {
  return stepFacts[step.kind].group;
}

/** Whether the step reads memory to which other threads may write at any time. */
export function looksAtOthers(step: Step): boolean {
  return resolveLooks(step);
}

function resolveLooks<Kind extends StepKind>(step: StepOf<Kind>): boolean {
  const { looks }: Facts<Steps[Kind]> = stepFacts[step.kind];
  return typeof looks === 'function' ? looks(step) : looks;
}

/** The kind of asynchronous operation that the step starts; null if it starts none. */
export function startedBy(step: Step): AsyncKind | null {
  return resolveStarted(step);
}

function resolveStarted<Kind extends StepKind>(step: StepOf<Kind>): AsyncKind | null {
  const { starts }: Facts<Steps[Kind]> = stepFacts[step.kind];
  return typeof starts === 'function' ? starts(step) : starts;
}

export interface MemoryUse {
  readonly access: MemoryAccess;
  readonly space: AccessSpace;
  readonly address: Ref;
}

const none: readonly MemoryUse[] = [];

/** The memory accesses of the step: for each, the kind of access, the state space, and the address. */
export function memoryUses(step: Step): readonly MemoryUse[] {
  const { memory } = stepFacts[step.kind];
  if (memory.length === 0) return none;
  return memory.map(({ access, space, address }) => ({
    access,
    space: spaceIn(step, space),
    address: refIn(step, address),
  }));
}

function spaceIn(fields: Readonly<Record<PropertyKey, unknown>>, field: PropertyKey): AccessSpace {
  const space = fields[field];
  if (!isAccessSpace(space)) throw new Error(`'${String(field)}' is not a space`);
  return space;
}

function refIn(fields: Readonly<Record<PropertyKey, unknown>>, field: PropertyKey): Ref {
  const ref = fields[field];
  if (!isRef(ref)) throw new Error(`'${String(field)}' is not a value`);
  return ref;
}

/**
 * The conditions under which all threads that execute the step together get the same `outputs`. The threads must belong
 * to the same group (`among` is the kind of group), and each value in `given` must be the same for all of them.
 */
export interface StepUniformity {
  readonly among: Sameness;
  readonly given: readonly Ref[];
  readonly outputs: readonly Ref[];
}

/** @param hasLocal whether threads have local memory; if so, a generic address may point to it */
export function uniformityOf(step: Step, hasLocal = true): StepUniformity {
  const { among, given } = resolveUniformity(step);
  const refs = given === 'inputs' ? inputsOf(step) : refsOfFields(step, given);
  const reached = memoryUses(step).reduce((least, { space }) => meet(least, samenessOfSpace(space, hasLocal)), among);
  return { among: reached, given: refs, outputs: outputsOf(step) };
}

function refsOfFields(step: Step, fields: readonly PropertyKey[]): readonly Ref[] {
  const found: Ref[] = [];
  for (const field of fields) addRefsIn(step, field, found);
  return found;
}

/**
 * Returns the largest kind of group whose threads all reach the same memory if they use the same address in the space.
 */
export function samenessOfSpace(space: AccessSpace, hasLocal: boolean): Sameness {
  return space === 'generic' && !hasLocal ? 'block' : spaceSameness[space];
}

interface FieldUniformity {
  readonly among: Sameness;
  readonly given: 'inputs' | readonly PropertyKey[];
}

function resolveUniformity<Kind extends StepKind>(step: StepOf<Kind>): FieldUniformity {
  const { same }: Facts<Steps[Kind]> = stepFacts[step.kind];
  return typeof same === 'function' ? same(step) : same;
}
