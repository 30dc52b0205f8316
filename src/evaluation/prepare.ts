/**
 * Finds the variant of a mnemonic that fits the given number of inputs, version and target, and prepares it for
 * evaluation.
 */
import { elementAt } from '../base/element-at.ts';
import { acceptance, checkRows, rowsOf } from '../check/availability.ts';
import { helpOf, type Problem } from '../check/instructions/problem.ts';
import { resolveAt } from '../check/instructions/later-additions.ts';
import { err, ok, type Result } from '../base/result.ts';
import { diagnoseStored } from '../diagnostics/diagnostic.ts';
import { isAvailableFor, type TargetChoice } from '../explain/target-choice.ts';
import { groupAcceptance } from '../explain/targets.ts';
import { type Evaluator, evaluator, type RegisterWidths } from '../interp/evaluate.ts';
import type { Variant } from '../isa/form.ts';
import { acceptsRegister } from '../isa/operand-rules.ts';
import { type Environment, environmentOf } from '../isa/environment.ts';
import { formatVersion, newestTarget, newestVersion } from '../isa/targets.ts';
import { types } from '../isa/types.ts';

export interface EvalError {
  readonly code: string;
  readonly message: string;
  /** How to fix the error, or what is allowed instead. */
  readonly help?: string;
}

export interface Prepared {
  readonly variant: Variant;
  readonly environment: Environment;
  readonly evaluator: Evaluator;
}

/**
 * Prepares the evaluation of a mnemonic with `count` inputs; null stands for any number. The variant must be legal in
 * the given version and on the given target. By default, it must be legal in the newest version on at least one target.
 */
export function prepareEval(
  mnemonic: string,
  count: number | null,
  choice: TargetChoice,
  widths: RegisterWidths,
): Result<Prepared, EvalError> {
  const resolution = resolveAt(mnemonic, choice.version ?? newestVersion);
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
  const message = `${mnemonic} depends on more than the bits of its operands, or is not supported yet`;
  return { code: 'NOT_EVALUATED', message };
}

function noneFits(candidate: Prepared | undefined, mnemonic: string, found: number): EvalError {
  if (candidate === undefined) return notEvaluated(mnemonic);
  const { inputs } = candidate.evaluator;
  const expected = `${inputs.length === 1 ? '1 input' : `${inputs.length} inputs`} (${inputs.map(({ name }) => name).join(', ')})`;
  return { code: 'PTX3002', message: `${mnemonic} takes ${expected}; found ${found}` };
}

/**
 * The error for a variant that the given version and target do not support. The message lists the versions and targets
 * that support the variant.
 */
export function unavailable(variant: Variant, { target, version }: TargetChoice): EvalError {
  const rows = rowsOf(variant);
  const judged = version ?? newestVersion;
  const [unmet] = target === null ? [] : checkRows(rows, { version: judged, target });
  const groups = groupAcceptance(acceptance(new Set(rows))).map(({ since, words }) => `PTX ${since} on ${words}`);
  const where = target === null ? formatVersion(judged) : `${formatVersion(judged)} for ${target.name}`;
  const needed = groups.length === 0 ? '' : `: it needs ${groups.join(', or ')}`;
  return { code: unmet?.code ?? 'PTX4001', message: `${variant.mnemonic} is not in PTX ${where}${needed}` };
}

export function errorOf(found: Problem): EvalError {
  const nowhere = { start: 0, end: 0 };
  const { code, parameters } = found;
  const { message } = diagnoseStored(code, nowhere, parameters);
  const help = helpOf(found);
  return help === null ? { code, message } : { code, message, help };
}

/**
 * Returns an error if a register of the chosen width is not legal for one of the operands. An operand is checked only
 * if the mnemonic specifies its type.
 */
function widthMisfit({ variant, evaluator: { inputs, outputs } }: Prepared): EvalError | null {
  const { regime } = variant.form;
  const named = new Set(variant.types.map(({ name }) => name));
  for (const { name, type, width } of [...inputs, ...outputs]) {
    const register = types.get(`.b${width}`);
    if (width === type.width || !named.has(type.name)) continue;
    if (register !== undefined && acceptsRegister(type, register, regime)) continue;
    return { code: 'PTX3004', message: `${name} is ${type.name}: a register of ${width} bits cannot be used there` };
  }
  return null;
}
