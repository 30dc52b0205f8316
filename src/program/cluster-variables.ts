/**
 * The hidden variables of kernels that use the cluster barrier. One variable is the barrier itself. Every block has a
 * copy of the barrier, but only the copy in the first block is used. The other variable contains one byte for each
 * thread of the block.
 */
import type { Binding } from '../check/binding/bind.ts';
import { integer, resize } from '../isa/forms/integer/steps.ts';
import { threadLimit } from '../isa/sm-limits.ts';
import { startOfRank } from '../isa/spaces.ts';
import type { Step } from '../isa/steps/step.ts';
import { clusterBarrier, clusterPhases, type Ref } from '../isa/steps/ref.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { ProgramInstruction, SymbolAddress } from './function-program.ts';
import { hiddenVariable } from './hidden-variable.ts';

/**
 * The barrier itself takes up 8 bytes. The remaining bytes are padding that makes dynamic shared memory begin at a
 * multiple of 1024, as on a GPU. Triton declares this memory with an alignment of 16, but its swizzled tiles depend on
 * the larger alignment.
 */
export const barrierSymbol: VariableSymbol = hiddenVariable('the barrier of the cluster', '.shared', 1024);
/** This variable has one byte for each thread of the block. */
const phases = hiddenVariable('phases of the barrier of the cluster', '.shared', threadLimit);

/** The hidden variables that the instructions of a kernel need. */
export function clusterVariables(instructions: readonly ProgramInstruction[]): readonly VariableSymbol[] {
  const uses = (ref: Ref): boolean => instructions.some(({ places }) => places.has(ref));
  return [...(uses(clusterBarrier) ? [barrierSymbol] : []), ...(uses(clusterPhases) ? [phases] : [])];
}

/**
 * Whether a kernel computes addresses in the shared memory of other blocks in its cluster. Only kernels that use
 * `mapa`, the cluster barrier or instructions for two blocks do so.
 */
export function reachesOtherBlocks(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(
    ({ variant, places }) => variant.form.id === 'mapa' || places.has(clusterBarrier) || places.has('$CLUSTER.START'),
  );
}

/** The operands and steps of an instruction. */
interface Bound {
  readonly operands: readonly Binding[];
  readonly steps: readonly Step[];
}

/** Adds the rank of the block to operands that are addresses of variables in shared memory. */
export function withRanks(plain: Bound): Bound {
  const ranking: Step[] = [];
  const operands = plain.operands.map((operand): Binding => {
    if (operand.kind !== 'symbol-address' || operand.symbol.kind !== 'variable') return operand;
    if (operand.symbol.space !== '.shared') return operand;
    const name: Ref = `${operand.name}.plain`;
    if (operand.type.width === 64)
      ranking.push(
        resize('$start', 'u64', '$CLUSTER.START', 'u32'),
        integer('add', 'u64', operand.name, name, '$start'),
      );
    else ranking.push(integer('add', 'u32', operand.name, name, '$CLUSTER.START'));
    return { ...operand, name };
  });
  return ranking.length === 0 ? plain : { operands, steps: [...ranking, ...plain.steps] };
}

/** The addresses of hidden variables that an instruction needs. */
export function clusterAddresses(places: ReadonlyMap<Ref, number>): readonly SymbolAddress[] {
  const addressIn = (ref: Ref, symbol: VariableSymbol, offset: number): readonly SymbolAddress[] => {
    const place = places.get(ref);
    if (place === undefined) return [];
    return [{ place, width: 64, base: { kind: 'variable', symbol }, offset: BigInt(offset) }];
  };
  return [...addressIn(clusterBarrier, barrierSymbol, startOfRank(0)), ...addressIn(clusterPhases, phases, 0)];
}
