/** The messages of ptxas that depend only on the name of an instruction, the module's header and the architecture. */
import { parseVersion, type Target, type Version } from '../../isa/targets.ts';
import type { Architecture } from './architecture.ts';

export interface ModuleHeader {
  readonly target: Target;
  readonly version: Version;
}

export interface InstructionMessage {
  readonly severity: 'error' | 'warning';
  readonly text: string;
}

/** The messages of ptxas 13.0, in the order in which it prints them. */
export function messagesOn(
  mnemonic: string,
  header: ModuleHeader,
  architecture: Architecture,
): readonly InstructionMessage[] {
  const misfit = misfitOf(mnemonic, header.target, architecture);
  if (misfit !== null) return [{ severity: 'error', text: misfit }];
  return unsynchronized(mnemonic, header).map((text) => ({ severity: 'warning', text }));
}

/** Warnings about `vote` and `shfl` without `.sync`, for modules in which these are still allowed. */
function unsynchronized(mnemonic: string, { target, version }: ModuleHeader): readonly string[] {
  const opcode = /^(vote|shfl)(?!\.sync)\./.exec(mnemonic)?.[1];
  if (opcode === undefined || (target.sm >= 70 && version >= parseVersion('6.4'))) return [];
  // For `vote.ballot`, ptxas does not print the warnings in modules of PTX 6.0 and 6.1.
  if (mnemonic.startsWith('vote.ballot') && (version === parseVersion('6.0') || version === parseVersion('6.1')))
    return [];
  const subject = `Instruction '${opcode}' without '.sync'`;
  const risky = `${subject} may produce unpredictable results on sm_70 and later architectures`;
  const deprecated = `${subject} is deprecated since PTX ISA version 6.0 and will be discontinued in a future PTX ISA version`;
  return version >= parseVersion('6.0') ? [risky, deprecated] : [risky];
}

/**
 * The words that ptxas uses to describe the types of a warpgroup product. The first pattern that matches the mnemonic
 * applies.
 */
const products: readonly (readonly [RegExp, string])[] = [
  [/\.b1\./, 'boolean type'],
  [/\.s32\./, 'integer types'],
  [/\.e[45]m[23]/, 'FP8 types'],
  [/./, 'floating point types'],
];

/**
 * The message that ptxas prints if a module for `target` is compiled for a later architecture that no longer has this
 * instruction; null if the architecture has it. The only instructions that later architectures lack are the warpgroup
 * instructions of sm_90a.
 */
function misfitOf(mnemonic: string, target: Target, { name, target: to }: Architecture): string | null {
  const instruction = /^wgmma\.\w+/.exec(mnemonic)?.[0];
  if (instruction === undefined || target.name !== 'sm_90a' || to.sm <= target.sm) return null;
  const types = products.find(([word]) => word.test(mnemonic))?.[1] ?? '';
  const words = instruction === 'wgmma.mma_async' ? `${instruction} with ${types}` : instruction;
  return `Instruction '${mnemonic.includes('.sp.') ? 'Sparse ' : ''}${words}' cannot be compiled for architecture '${name}'`;
}
