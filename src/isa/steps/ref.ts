/** Names of values. Some values exist only within one instruction; others are shared by several instructions. */

/**
 * A value inside one instruction: an operand (`$a`, `$d`, `$rbits`) or a temporary. Functions, spaces and labels have
 * names without a `$`, so code that uses such a name as a value does not compile.
 */
export type Ref = `$${string}`;

/**
 * The references for operands, by operand name. The forms in the table use only a few different names, so the map stays
 * small. Because the same string object is used each time, its hash does not have to be computed again.
 */
const operandRefs = new Map<string, Ref>();

/** Returns the reference to the operand with this name. */
export function operandRef(name: string): Ref {
  const known = operandRefs.get(name);
  if (known !== undefined) return known;
  const made: Ref = `$${name}`;
  operandRefs.set(name, made);
  return made;
}

/** The name without the sigil, for display. */
export function refName(ref: Ref): string {
  return ref.slice(1);
}

/**
 * The condition code, a value that instructions read and write without naming it. Each thread has its own condition
 * code, which is initially false. Instructions with `.cc` write it, and addc, subc and madc read it (PTX ISA 9.1,
 * section 9.7.2).
 */
export const conditionCode: Ref = '$CC.CF';

/** The number of bytes that alloca has allocated in the current call of the function; initially 0. */
export const stackTop: Ref = '$STACK.TOP';

/** The start address of the memory that alloca allocates. */
export const stackBase: Ref = '$STACK.BASE';

/** The maximum number of bytes that alloca can allocate in one call of a function. */
export const stackLimit = 8192;

/**
 * `clusterBarrier` is the address of the cluster's barrier. `clusterPhases` is the address of an array with one byte
 * for each thread of the block. Each byte contains the phase in which its thread last arrived at the barrier.
 */
export const clusterBarrier: Ref = '$CLUSTER.BARRIER';
export const clusterPhases: Ref = '$CLUSTER.PHASES';

/** Whether the thread still has to wait for its cluster. */
export const clusterWaits: Ref = '$CLUSTER.WAITS';

/**
 * Values that are kept from one instruction to the next, like the values of registers. They are zero or false at the
 * start of each function call.
 */
export const sharedRefs: ReadonlyMap<Ref, '.pred' | '.u64'> = new Map([
  [conditionCode, '.pred'],
  [stackTop, '.u64'],
  [clusterWaits, '.pred'],
]);
