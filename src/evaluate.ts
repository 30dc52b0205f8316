/** One instruction on given bits: the public `evaluate`, and what the command line prepares for many rows. */
import { elementAt } from './base/element-at.ts';
import { acceptance, checkRows, rowsOf } from './check/availability.ts';
import type { Problem } from './check/instructions/problem.ts';
import { resolveMnemonic } from './check/instructions/resolve.ts';
import { type Bits, chop } from './base/bits.ts';
import { PtxlabError } from './base/error.ts';
import { err, ok, type Result } from './base/result.ts';
import { type JudgeOptions, readJudgeOptions } from './check/judge-options.ts';
import { diagnoseStored } from './diagnostics/diagnostic.ts';
import { isAvailableFor, type TargetChoice } from './explain/target-choice.ts';
import { groupAcceptance } from './explain/targets.ts';
import { type Evaluator, evaluator, type RegisterWidths } from './interp/evaluate.ts';
import type { Variant } from './isa/form.ts';
import { acceptsRegister } from './isa/operand-rules.ts';
import { type Environment, environmentOf } from './isa/environment.ts';
import { formatVersion, newestTarget, newestVersion } from './isa/targets.ts';
import { types } from './isa/types.ts';
import { bitsOfValue, checkedBits, type Value, valueOfBits } from './typed-values.ts';

export interface EvalError {
  readonly code: string;
  readonly message: string;
}

export interface Prepared {
  readonly variant: Variant;
  readonly environment: Environment;
  readonly evaluator: Evaluator;
}

/**
 * Prepares a mnemonic for `count` inputs (null for any number). Legality is judged for the given version and target, by
 * default any target and the newest version.
 */
export function prepareEval(
  mnemonic: string,
  count: number | null,
  choice: TargetChoice,
  widths: RegisterWidths,
): Result<Prepared, EvalError> {
  const resolution = resolveMnemonic(mnemonic);
  if (resolution.kind === 'unchecked') return err(notEvaluated(mnemonic));
  if (resolution.kind === 'refused') return err(errorOf(elementAt(resolution.problems, 0)));
  const environment = environmentOf(choice.version ?? newestVersion, choice.target ?? newestTarget);
  const candidates = resolution.variants.flatMap((variant): readonly Prepared[] => {
    const made = evaluator(variant, environment, widths);
    return made === null ? [] : [{ variant, environment, evaluator: made }];
  });
  const fitting = candidates.filter(({ evaluator: { inputs } }) => count === null || inputs.length === count);
  const [first] = fitting;
  if (first === undefined) return err(noneFits(candidates[0], mnemonic, count ?? 0));
  const chosen = fitting.find(({ variant }) => isAvailableFor(variant, choice));
  if (chosen === undefined) return err(unavailable(first.variant, choice));
  const misfit = widthMisfit(chosen);
  return misfit === null ? ok(chosen) : err(misfit);
}

function notEvaluated(mnemonic: string): EvalError {
  const message = `${mnemonic} is more than a function of its operands' bits, or not executed yet`;
  return { code: 'NOT_EVALUATED', message };
}

function noneFits(candidate: Prepared | undefined, mnemonic: string, found: number): EvalError {
  if (candidate === undefined) return notEvaluated(mnemonic);
  const { inputs } = candidate.evaluator;
  const expected = `${inputs.length === 1 ? '1 input' : `${inputs.length} inputs`} (${inputs.map(({ name }) => name).join(', ')})`;
  return { code: 'PTX3002', message: `${mnemonic} takes ${expected}; found ${found}` };
}

/** The code of the rule that is violated, and where the variant would be available. */
function unavailable(variant: Variant, { target, version }: TargetChoice): EvalError {
  const rows = rowsOf(variant);
  const judged = version ?? newestVersion;
  const [unmet] = target === null ? [] : checkRows(rows, { version: judged, target, addressSize: 64 });
  const groups = groupAcceptance(acceptance(new Set(rows))).map(({ since, words }) => `PTX ${since} on ${words}`);
  const where = target === null ? formatVersion(judged) : `${formatVersion(judged)} for ${target.name}`;
  const needed = groups.length === 0 ? '' : `: it needs ${groups.join(', or ')}`;
  return { code: unmet?.code ?? 'PTX4001', message: `${variant.mnemonic} is not in PTX ${where}${needed}` };
}

function errorOf({ code, parameters }: Problem): EvalError {
  const nowhere = { start: 0, end: 0 };
  return { code, message: diagnoseStored(code, nowhere, parameters).message };
}

/** Registers of these widths must be legal for the operands whose type the mnemonic names. */
function widthMisfit({ variant, evaluator: { inputs, outputs } }: Prepared): EvalError | null {
  const { regime } = variant.form;
  const named = new Set(variant.types.map(({ name }) => name));
  for (const { name, type, width } of [...inputs, ...outputs]) {
    const register = types.get(`.b${width}`);
    if (width === type.width || !named.has(type.name)) continue;
    if (register !== undefined && acceptsRegister(type, register, regime)) continue;
    return { code: 'PTX3004', message: `${name} is ${type.name}: a register of ${width} bits cannot stand there` };
  }
  return null;
}

/**
 * Default: any target, whose subnormals are those of the newest one, and the newest version. Both also decide what the
 * instruction computes where old ones differ.
 */
export interface EvaluateOptions extends RegisterWidths, JudgeOptions {}

/**
 * The result of an instruction for given bits, without a machine.
 *
 * ```ts evaluate('cvt.rn.satfinite.e4m3x2.f32', [0x3fa66666, 0xc3fa0000]); // [0x3afe] ```
 *
 * @param inputs one for each source in the order of the operand list, brace lists element by element: bit patterns,
 *   numbers or bigints from 0 within the register's width
 * @returns the results' bits: numbers up to 32 bits, bigints above
 * @throws PtxlabError with the diagnostic's code where the instruction is not legal there, `NOT_EVALUATED` where it is
 *   more than a function of bits, `argument-type` and `argument-size` for inputs that are no bits of that width,
 *   `unknown-target`, `unknown-version`
 */
export function evaluate(mnemonic: string, inputs: readonly Bits[], options: EvaluateOptions = {}): readonly Bits[] {
  const { run, inputs: expected } = evaluatorOf(mnemonic, inputs.length, options);
  return run(expected.map(({ name, width }, i) => checkedBits(inputs[i], width, `input ${i} (${name})`)));
}

/**
 * The result of an instruction for given values, without a machine. A float that its format cannot represent is rounded
 * to the nearest value, ties to even; one outside the range of the format is refused.
 *
 * ```ts evaluateValues('cvt.rn.satfinite.e4m3x2.f32', [1.3, -500]); // [[1.25, -448]] evaluateValues('add.s64', [-1n,
 * 3n]); // [2n] ```
 *
 * @param inputs one for each source in the order of the operand list, brace lists element by element
 * @returns the results in the same form; every NaN is `NaN`, and `evaluate` has its bits
 * @throws PtxlabError as `evaluate`
 */
export function evaluateValues(
  mnemonic: string,
  inputs: readonly Value[],
  options: EvaluateOptions = {},
): readonly Value[] {
  const { run, inputs: expected, outputs } = evaluatorOf(mnemonic, inputs.length, options);
  const results = run(expected.map(({ name, type }, i) => bitsOfValue(inputs[i], type, `input ${i} (${name})`)));
  return outputs.map(({ type }, i) => valueOfBits(chop(elementAt(results, i), type.width), type));
}

function evaluatorOf(mnemonic: string, count: number, options: EvaluateOptions): Evaluator {
  const prepared = prepareEval(mnemonic, count, readJudgeOptions(options), options);
  if (!prepared.ok) throw new PtxlabError(prepared.error.code, prepared.error.message);
  return prepared.value.evaluator;
}
