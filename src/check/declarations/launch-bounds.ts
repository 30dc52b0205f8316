/**
 * Warns about launch bounds that ptxas ignores or changes (PTX ISA 9.1, section 11.4, as implemented by ptxas 13.0).
 */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { registersPerThread, smLimits } from '../../isa/sm-limits.ts';
import type { Target } from '../../isa/targets.ts';
import type { FunctionItem, TuningDirective } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';

/** A problem with a directive, and the message that ptxas prints about it. */
interface Trouble {
  readonly directive: TuningDirective;
  readonly what: string;
  readonly ptxas: string;
}

export function checkLaunchBounds({ name, tuning }: FunctionItem, target: Target, report: Report): void {
  const directives = new Map(tuning.map((directive) => [directive.name, directive]));
  const registers = directives.get('.maxnreg');
  const blocks = directives.get('.minnctapersm');
  const threads = directives.get('.maxntid') ?? directives.get('.reqntid');
  const troubles = [
    registers === undefined ? null : registerTrouble(name, registers),
    blocks === undefined ? null : blockTrouble(name, blocks, threads, target),
  ];
  for (const trouble of troubles) {
    if (trouble === null) continue;
    const { directive, what, ptxas } = trouble;
    report(diagnose('PTX5036', { start: directive.start, end: directive.end }, { what, ptxas }));
  }
}

function registerTrouble(name: string, directive: TuningDirective): Trouble | null {
  const { least, most } = registersPerThread;
  const [count = least] = directive.values;
  if (count > most) {
    const what = `.maxnreg ${count} is ignored, because a thread can have at most ${most} registers`;
    return { directive, what, ptxas: `Too many maxnreg specified for entry ${name}, will be ignored` };
  }
  if (count >= least || count === 0) return null;
  const what = `.maxnreg ${count} is raised to ${least}, the smallest possible value`;
  const ptxas = `For entry ${name} adjusting per thread register count of ${count} to lower bound of ${least}`;
  return { directive, what, ptxas };
}

/** `bound` is the directive that limits the number of threads in a block. */
function blockTrouble(
  name: string,
  directive: TuningDirective,
  bound: TuningDirective | undefined,
  target: Target,
): Trouble | null {
  const [blocks = 0] = directive.values;
  if (blocks === 0) return null;
  if (bound === undefined) {
    const what = '.minnctapersm is ignored without .maxntid or .reqntid';
    return { directive, what, ptxas: '.minnctapersm is ignored when neither .maxntid nor .reqntid is specified.' };
  }
  const limits = smLimits[target.sm];
  if (limits === undefined) return null;
  const threads = bound.values.reduce((product, value) => product * value, 1);
  const on = `an SM of sm_${target.sm}`;
  if (threads > limits.threads) {
    const what = `${bound.name} and .minnctapersm are ignored, because ${on} has room for ${limits.threads} threads`;
    const ptxas = `Value of maxntid, for entry ${name} is out of range. .minnctapersm and .maxntid will be ignored`;
    return { directive, what, ptxas };
  }
  if (blocks > limits.blocks) {
    const what = `.minnctapersm ${blocks} is ignored, because ${on} has room for ${limits.blocks} blocks`;
    const ptxas = `Value of minnctapersm for entry ${name} is out of range. minnctapersm will be ignored`;
    return { directive, what, ptxas };
  }
  if (blocks * threads <= limits.threads) return null;
  const what = `.minnctapersm ${blocks} is ignored, because ${on} has room for ${limits.threads} threads, not ${blocks} x ${threads}`;
  const ptxas = `Value of threads per SM for entry ${name} is out of range. .minnctapersm will be ignored`;
  return { directive, what, ptxas };
}
