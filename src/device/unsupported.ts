/** The refusal of a kernel that may reach instructions that no engine executes. */
import { PtxlabError } from '../base/error.ts';
import type { UnsupportedInstruction } from '../program/unsupported.ts';

/** How many mnemonics the message names; the list has all. */
const named = 4;

/**
 * Thrown by `Kernel.launch`, before anything runs, if control can flow from the kernel's entry to instructions that
 * ptxlab checks but cannot execute. Its code is `unsupported-instructions`.
 */
export class UnsupportedInstructionsError extends PtxlabError {
  /** Name of the kernel. */
  readonly kernel: string;
  /** In the order in which they are reached. */
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
