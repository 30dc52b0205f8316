/** Messages of ptxas that are not about a line. */

/** The line that ends the output if a module has errors. */
export const aborted = 'ptxas fatal   : Ptx assembly aborted due to errors';

/** Formats a message that is not about a particular line. */
export function message(severity: 'fatal' | 'error' | 'warning' | 'info', text: string): string {
  return `ptxas ${severity.padEnd(8)}: ${text}`;
}
