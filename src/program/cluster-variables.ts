/**
 * The hidden variables of kernels that use the cluster barrier. One variable is the barrier itself. Every block has a
 * copy of the barrier, but only the copy in the first block is used. The other variable contains one byte for each
 * thread of the block.
 */
import { startOfRank } from '../isa/spaces.ts';
import { clusterBarrier, clusterPhases, type Ref } from '../isa/steps/ref.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { ProgramInstruction, SymbolAddress } from './function-program.ts';
import { hiddenVariable } from './hidden-variable.ts';

export const barrierSymbol: VariableSymbol = hiddenVariable('the barrier of the cluster', '.shared', 8);
/** This variable has one byte for each thread of the block. No block has more than 1024 threads. */
const phases = hiddenVariable('phases of the barrier of the cluster', '.shared', 1024);

/** The hidden variables that the instructions of a kernel need. */
export function clusterVariables(instructions: readonly ProgramInstruction[]): readonly VariableSymbol[] {
  const uses = (ref: Ref): boolean => instructions.some(({ places }) => places.has(ref));
  return [...(uses(clusterBarrier) ? [barrierSymbol] : []), ...(uses(clusterPhases) ? [phases] : [])];
}

/**
 * Whether a kernel computes addresses in the shared memory of other blocks in its cluster. Only kernels that use `mapa`
 * or the cluster barrier do so.
 */
export function reachesOtherBlocks(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(({ variant, places }) => variant.form.id === 'mapa' || places.has(clusterBarrier));
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
