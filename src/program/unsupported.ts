/**
 * Finds instructions that a launch of a kernel may reach but no engine can execute. Clusters have only one block here,
 * so these include the instructions that need a cluster's other blocks.
 */
import { elementAt } from '../base/element-at.ts';
import { calleesOf } from './call-site.ts';
import { blocksOf, followersOf } from './flow.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import type { KernelProgram } from './link.ts';

/** A mnemonic that no engine can execute. */
export interface UnsupportedInstruction {
  /** The mnemonic: `wgmma.fence.sync.aligned`. If clusters of several blocks are the reason, the text says so. */
  readonly mnemonic: string;
  /** 1-based PTX line of its first use. */
  readonly line: number;
  /** Number of instructions with this mnemonic. */
  readonly count: number;
}

/**
 * Returns the unsupported instructions grouped by mnemonic, in the order in which functions and lines are reached from
 * the kernel's entry.
 */
export function unsupportedIn({ functions, entry }: KernelProgram): readonly UnsupportedInstruction[] {
  const size = clusterSizeOf(entry);
  const builtins = new Set(functions.flatMap(({ kind }, i) => (kind === 'builtin' ? [i] : [])));
  const found = new Map<string, UnsupportedInstruction>();
  const reached = new Set([0]);
  // Iterating over a set also visits members that are added during the iteration.
  for (const index of reached) {
    const fn = elementAt(functions, index);
    if (fn.kind === 'builtin') continue;
    for (const instruction of reachableIn(fn.program, builtins)) {
      note(instruction, size, found);
      for (const callee of calleesOf(instruction.call)) reached.add(callee);
    }
  }
  return [...found.values()];
}

function* reachableIn(program: FunctionProgram, builtins: ReadonlySet<number>): Generator<ProgramInstruction> {
  const blocks = blocksOf(program, builtins);
  const reached = new Set([0]);
  for (const index of reached) for (const next of followersOf(elementAt(blocks, index))) reached.add(next);
  for (const [index, { start, end }] of blocks.entries()) {
    if (reached.has(index)) yield* program.instructions.slice(start, end);
  }
}

function note(instruction: ProgramInstruction, clusterSize: number, found: Map<string, UnsupportedInstruction>): void {
  const { line } = instruction;
  for (const mnemonic of unsupportedParts(instruction, clusterSize)) {
    const known = found.get(mnemonic) ?? { mnemonic, line, count: 0 };
    found.set(mnemonic, { ...known, count: known.count + 1 });
  }
}

function* unsupportedParts({ steps, variant, specials }: ProgramInstruction, clusterSize: number): Generator<string> {
  for (const step of steps) if (step.kind === 'unsupported') yield step.what;
  if (clusterSize === 1) return;
  const where = `in clusters of ${clusterSize} blocks`;
  if (clusterWords.test(variant.mnemonic)) yield `${variant.mnemonic} ${where}`;
  for (const { register } of specials) if (register.name.includes('cluster')) yield `${register.name} ${where}`;
}

/** Instructions whose results depend on the other blocks of a cluster. */
const clusterWords = /^(?:mapa|getctarank|barrier\.cluster)\b|::cluster\b/;

/** Number of blocks in a cluster. Both engines assume that it is 1. */
function clusterSizeOf({ tuning }: FunctionProgram): number {
  const extents = tuning.find(({ name }) => name === '.reqnctapercluster')?.values ?? [];
  return extents.reduce((product, extent) => product * extent, 1);
}
