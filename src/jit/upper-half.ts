/** Names for the upper 64 bits of 128-bit values. */
import { operandRef, type Ref, refName } from '../isa/steps/ref.ts';

const suffix = '#upper';

/** Returns the name of the upper half of a value. The lower half has the name of the value itself. */
export function upperHalf(ref: Ref): Ref {
  return `${ref}${suffix}`;
}

/** If `ref` is the name of the upper half of a value, returns the name of the value itself; otherwise returns null. */
export function wholeOf(ref: Ref): Ref | null {
  const name = refName(ref);
  return name.endsWith(suffix) ? operandRef(name.slice(0, -suffix.length)) : null;
}
