/** The name of the upper 64 bits of a value of 128 bits. */
import { operandRef, type Ref, refName } from '../isa/steps/ref.ts';

const suffix = '#upper';

/** The name of the upper half of a value. The lower half has the name of the value itself. */
export function upperHalf(ref: Ref): Ref {
  return `${ref}${suffix}`;
}

/** The value whose upper half a name denotes, or null for other names. */
export function wholeOf(ref: Ref): Ref | null {
  const name = refName(ref);
  return name.endsWith(suffix) ? operandRef(name.slice(0, -suffix.length)) : null;
}
