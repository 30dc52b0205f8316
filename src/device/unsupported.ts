/** The error for a kernel that may reach instructions that no engine can execute. */
import { PtxlabError } from '../base/error.ts';
import type { UnsupportedInstruction } from '../program/unsupported.ts';

/** Maximum number of mnemonics in the message; `instructions` lists all of them. */
const named = 4;

/**
 * Thrown by `Kernel.launch`, before anything runs, if control flow can reach instructions that ptxlab checks but cannot
 * execute. The error has the code `unsupported-instructions`.
 */
export class UnsupportedInstructionsError extends PtxlabError {
  /** The kernel's name. */
  readonly kernel: string;
  /** The unsupported instructions, in the order in which they are reached. */
  readonly instructions: readonly UnsupportedInstruction[];

  constructor(kernel: string, instructions: readonly UnsupportedInstruction[]) {
    const listed = instructions.slice(0, named).map(describe).join(', ');
    const more = instructions.length > named ? ` and ${instructions.length - named} others` : '';
    super('unsupported-instructions', `ptxlab cannot run kernel '${kernel}' yet: it uses ${listed}${more}`);
    this.name = 'UnsupportedInstructionsError';
    this.kernel = kernel;
    this.instructions = instructions;
  }
}

function describe({ mnemonic, line, count }: UnsupportedInstruction): string {
  return `${mnemonic} (${count === 1 ? `line ${line}` : `${count} times, first on line ${line}`})`;
}
