/** Names of the values inside one instruction, and of the values that instructions share. */

/**
 * A value inside one instruction: an operand (`$a`, `$d`, `$rbits`) or a temporary. The sigil distinguishes it from the
 * names of functions, spaces and labels, so that using one of those as a value does not compile.
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

/** Bytes that alloca has allocated in this activation; 0 at its start. */
export const stackTop: Ref = '$STACK.TOP';

/** The address that it allocates from. */
export const stackBase: Ref = '$STACK.BASE';

/** Bytes that it may allocate in an activation. */
export const stackLimit = 8192;

/** Values that outlive instructions like registers; zero or false at the start of an activation. */
export const sharedRefs: ReadonlyMap<Ref, '.pred' | '.u64'> = new Map([
  [conditionCode, '.pred'],
  [stackTop, '.u64'],
]);
