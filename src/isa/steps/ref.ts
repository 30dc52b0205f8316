/** Names of the values inside one instruction, and of those that instructions share. */

/**
 * A value inside one instruction: an operand (`$a`, `$d`, `$rbits`) or a temporary. The sigil tells it from the names of
 * functions, spaces and labels, so that none of these compiles where a value is meant.
 */
export type Ref = `$${string}`;

/** The value of the operand with this name. */
export function operandRef(name: string): Ref {
  return `$${name}`;
}

/** The name as people write it, without the sigil. */
export function refName(ref: Ref): string {
  return ref.slice(1);
}

/**
 * The condition code: a value that instructions share without naming it. A thread has one, false at its start;
 * `.cc` writes it, addc, subc and madc read it (PTX ISA 9.1, 9.7.2).
 */
export const conditionCode: Ref = '$CC.CF';

/** Bytes that alloca has taken in this activation; 0 at its start. */
export const stackTop: Ref = '$STACK.TOP';

/** The address from which it takes them. */
export const stackBase: Ref = '$STACK.BASE';

/** Bytes that it may take in an activation. */
export const stackLimit = 8192;

/** Values that outlive instructions as registers do, zero or false at the start of an activation. */
export const sharedRefs: ReadonlyMap<Ref, '.pred' | '.u64'> = new Map([
  [conditionCode, '.pred'],
  [stackTop, '.u64'],
]);
