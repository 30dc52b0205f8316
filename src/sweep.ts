/** Sweeps the whole input range of one conversion in chunks, and computes digests of the results. */
import { chop } from './base/bits.ts';
import { err, ok, type Result } from './base/result.ts';
import { type EvalError, prepareEval } from './evaluation/prepare.ts';
import type { TargetChoice } from './explain/target-choice.ts';
import { digestWord } from './jit/arrays/digest.ts';
import { type SweepKernel, sweepKernel, type SweepPlan } from './jit/arrays/sweep-kernel.ts';

export interface Sweep {
  readonly mnemonic: string;
  /**
   * The sweep's name in a digest file: the mnemonic, followed by the settings that differ from their default values
   * and, for targets before sm_20, the target.
   */
  readonly name: string;
  readonly plan: SweepPlan;
  readonly kernel: SweepKernel;
  /**
   * Width of the input. All swept operands get the same input; the sweep goes through all bit patterns of this width.
   */
  readonly inputBits: number;
  /** Number of inputs in a chunk. Chunk c begins with the input c * `chunkSize`. */
  readonly chunkSize: number;
  readonly chunks: number;
}

/** Number of inputs per chunk, unless the whole range has fewer. */
const largestChunk = 2 ** 24;

/**
 * Operands that are settings of the conversion rather than inputs, and their default values. If an operand has fewer
 * bits than its default value, only the low bits of the value are used.
 */
const settings: ReadonlyMap<string, number> = new Map([
  ['rbits', 0],
  ['scale-factor', 0x7f7f],
  ['c', 0],
]);

/**
 * Prepares the sweep of a conversion that is legal in the given version and on the given target. `fixed` maps the names
 * of operands that are not swept to their values.
 */
export function prepareSweep(
  mnemonic: string,
  choice: TargetChoice,
  fixed: ReadonlyMap<string, number> = new Map(),
): Result<Sweep, EvalError> {
  const prepared = prepareEval(mnemonic, null, choice, {});
  if (!prepared.ok) return prepared;
  const { variant, environment, evaluator } = prepared.value;
  const swept = evaluator.inputs.filter(({ name }) => !settings.has(name));
  const [result, second] = evaluator.outputs;
  const inputBits = swept[0]?.width ?? 64;
  if (inputBits > 32 || swept.some(({ width }) => width !== inputBits)) {
    return notSwept(`${mnemonic} has inputs of more than 32 bits or of different widths`);
  }
  if (result === undefined || second !== undefined) return notSwept(`${mnemonic} does not have exactly one result`);
  const plan: SweepPlan = {
    steps: variant.form.steps(variant, environment),
    swept: swept.map(({ name }) => name),
    fixed: evaluator.inputs.flatMap(({ name, width }) => {
      const usual = settings.get(name);
      return usual === undefined ? [] : [[name, fixed.get(name) ?? Number(chop(usual, width))] as const];
    }),
    result: result.name,
    resultWidth: result.type.width,
  };
  const kernel = sweepKernel(plan);
  if (kernel === null) return notSwept(`${mnemonic} is not a conversion`);
  const chunkSize = Math.min(2 ** inputBits, largestChunk);
  const name = [
    mnemonic,
    ...unusualSettings(plan, evaluator.inputs),
    ...(environment.target.sm < 20 ? [environment.target.name] : []),
  ].join(' ');
  return ok({ mnemonic, name, plan, kernel, inputBits, chunkSize, chunks: 2 ** inputBits / chunkSize });
}

function unusualSettings(
  { fixed }: SweepPlan,
  inputs: readonly { readonly name: string; readonly width: number }[],
): readonly string[] {
  return fixed.flatMap(([name, bits]) => {
    const width = inputs.find((input) => input.name === name)?.width ?? 32;
    return chop(settings.get(name) ?? 0, width) === bits ? [] : [`${name}=${bits.toString(16)}`];
  });
}

function notSwept(message: string): Result<never, EvalError> {
  return err({ code: 'NOT_SWEPT', message });
}

/** Computes the digest of all chunk digests, in the order of the chunks. */
export function totalDigest(chunks: readonly number[]): number {
  return chunks.reduce(digestWord, 0);
}
