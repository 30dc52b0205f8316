/**
 * Handles 128-bit values, each of which occupies two 64-bit slots. A step that uses such a value is replaced with steps
 * that use its two halves. The only steps that exist for 128-bit values are moves, packing and selection.
 */
import type { Ref } from '../isa/steps/ref.ts';
import type { Step, StepKind, StepOf } from '../isa/steps/step.ts';
import { upperHalf } from './upper-half.ts';
import type { Values } from './regions/values.ts';

/** Returns the names of the halves, lower half first as in memory. */
function halves(refs: readonly Ref[]): readonly Ref[] {
  return refs.flatMap((ref) => [ref, upperHalf(ref)]);
}

type Halve<Kind extends StepKind> = (step: StepOf<Kind>, values: Values) => readonly Step[] | null;

/** The entry in `halvings` for kinds of steps that never use a 128-bit value. */
const never = (): null => null;

const halvings: { readonly [Kind in StepKind]: Halve<Kind> } = {
  copy: ({ to, from }, values) => (values.isWide(from) ? both(to, from) : null),
  select: (step, values) => {
    const { to, from } = step;
    if (!from.some((ref) => values.isWide(ref))) return null;
    return [step, { ...step, to: upperHalf(to), from: [upperHalf(from[0]), upperHalf(from[1])] }];
  },
  load: (step) => (step.width > 64 ? [{ ...step, width: step.width / 2, to: halves(step.to) }] : null),
  store: (step) => (step.width > 64 ? [{ ...step, width: step.width / 2, from: halves(step.from) }] : null),
  atomic: (step) => {
    if (step.width <= 64) return null;
    return [{ ...step, width: step.width / 2, old: halves(step.old), next: halves(step.next) }];
  },
  pack: (step) => (step.stride * step.from.length > 64 ? packed(step) : null),
  unpack: (step, values) => (values.isWide(step.from) ? unpacked(step) : null),
  convert: never,
  clamp: never,
  extract: never,
  join: never,
  constant: never,
  float: never,
  mufu: never,
  integer: never,
  bits: never,
  compare: never,
  transfer: never,
  bulk: never,
  clear: never,
  'bulk-atomic': never,
  'load-box': never,
  'store-box': never,
  'multicast-box': never,
  'reduce-box': never,
  window: never,
  'in-window': never,
  branch: never,
  switch: never,
  call: never,
  return: never,
  exit: never,
  'tensor-product': never,
  'tensor-copy': never,
  'tensor-load': never,
  'tensor-store': never,
  'texture-read': never,
  'surface-address': never,
  'surface-store': never,
  'cancel-blocks': never,
  trap: never,
  require: never,
  'commit-group': never,
  'wait-group': never,
  fence: never,
  yield: never,
  unsupported: never,
  barrier: never,
  collective: never,
};

/**
 * Returns steps that operate on 64-bit halves and together have the same effect as the given step. Returns null if the
 * step does not use a 128-bit value.
 */
export function halved<Kind extends StepKind>(step: StepOf<Kind>, values: Values): readonly Step[] | null {
  return halvings[step.kind](step, values);
}

function both(to: Ref, from: Ref): readonly Step[] {
  return [
    { kind: 'copy', to, from },
    { kind: 'copy', to: upperHalf(to), from: upperHalf(from) },
  ];
}

/**
 * Packs values into the two halves of a 128-bit value. The first name in the list refers to the most significant value.
 */
function packed(step: StepOf<'pack'>): readonly Step[] {
  const { to, from } = step;
  const [only] = from;
  if (from.length === 1 && only !== undefined) return both(to, only);
  return [
    { ...step, from: from.slice(from.length / 2) },
    { ...step, to: upperHalf(to), from: from.slice(0, from.length / 2) },
  ];
}

function unpacked(step: StepOf<'unpack'>): readonly Step[] {
  const { to, from } = step;
  const [only] = to;
  if (to.length === 1 && only !== undefined) return both(only, from);
  return [
    { ...step, to: to.slice(to.length / 2) },
    { ...step, to: to.slice(0, to.length / 2), from: upperHalf(from) },
  ];
}
