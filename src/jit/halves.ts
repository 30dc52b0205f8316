/**
 * Values of 128 bits: two places with 64 bits each. A step that handles one becomes steps that handle its halves; only
 * moving, packing and choosing of so many bits exist.
 */
import type { Ref, Step } from '../isa/steps.ts';
import type { Values } from './values.ts';

const suffix = '#upper';

/** The name of the upper half of a value; the name of the value itself is that of its lower half. */
export function upperHalf(ref: Ref): Ref {
  return ref + suffix;
}

/** The value whose upper half a name is; null for other names. */
export function wholeOf(ref: Ref): Ref | null {
  return ref.endsWith(suffix) ? ref.slice(0, -suffix.length) : null;
}

/** Lower half first, as in memory. */
function halves(refs: readonly Ref[]): readonly Ref[] {
  return refs.flatMap((ref) => [ref, upperHalf(ref)]);
}

/** The same on halves, or null for a step without values of 128 bits. */
export function halved(step: Step, values: Values): readonly Step[] | null {
  switch (step.kind) {
    case 'copy':
      return values.isWide(step.from) ? both(step.to, step.from) : null;
    case 'select': {
      if (!step.from.some((ref) => values.isWide(ref))) return null;
      const { to, from } = step;
      return [step, { ...step, to: upperHalf(to), from: [upperHalf(from[0]), upperHalf(from[1])] }];
    }
    case 'load':
      return step.width > 64 ? [{ ...step, width: step.width / 2, to: halves(step.to) }] : null;
    case 'store':
      return step.width > 64 ? [{ ...step, width: step.width / 2, from: halves(step.from) }] : null;
    case 'atomic':
      if (step.width <= 64) return null;
      return [{ ...step, width: step.width / 2, old: halves(step.old), next: halves(step.next) }];
    case 'pack':
      return step.stride * step.from.length > 64 ? packed(step) : null;
    case 'unpack':
      return values.isWide(step.from) ? unpacked(step) : null;
    default:
      return null;
  }
}

function both(to: Ref, from: Ref): readonly Step[] {
  return [
    { kind: 'copy', to, from },
    { kind: 'copy', to: upperHalf(to), from: upperHalf(from) },
  ];
}

/** The first name is topmost. */
function packed(step: Extract<Step, { readonly kind: 'pack' }>): readonly Step[] {
  const { to, from } = step;
  const [only] = from;
  if (from.length === 1 && only !== undefined) return both(to, only);
  return [
    { ...step, from: from.slice(from.length / 2) },
    { ...step, to: upperHalf(to), from: from.slice(0, from.length / 2) },
  ];
}

function unpacked(step: Extract<Step, { readonly kind: 'unpack' }>): readonly Step[] {
  const { to, from } = step;
  const [only] = to;
  if (to.length === 1 && only !== undefined) return both(only, from);
  return [
    { ...step, to: to.slice(to.length / 2) },
    { ...step, to: to.slice(0, to.length / 2), from: upperHalf(from) },
  ];
}
