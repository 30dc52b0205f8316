/**
 * The public functions `evaluate` and `evaluateValues`, which compute the result of one instruction for given bits or
 * values.
 */
import { requireText } from './base/require-text.ts';
import { type Bits, chop } from './base/bits.ts';
import { elementAt } from './base/element-at.ts';
import { PtxlabError } from './base/error.ts';
import { requireArgument, requireOptions } from './base/require.ts';
import { list, type RulesFor, whole } from './base/rules.ts';
import { judgeRules, type JudgeOptions, readJudgeOptions } from './check/judge-options.ts';
import { prepareEval } from './evaluation/prepare.ts';
import type { Evaluator, RegisterWidths } from './interp/evaluate.ts';
import { bitsOfValue, checkedBits, type Value, valueOfBits } from './typed-values.ts';

/**
 * By default, an instruction is accepted if at least one target supports it in the newest version, and subnormals are
 * treated as on the newest target. Some results also depend on the target and the version, because older targets or
 * versions compute them differently.
 */
export interface EvaluateOptions extends RegisterWidths, JudgeOptions {}

/** Registers have at most 128 bits. */
const registerWidth = whole(128, '128', 1);

const rules: RulesFor<EvaluateOptions> = { ...judgeRules, source: registerWidth, result: registerWidth };

/**
 * Computes the result of an instruction for the given bits, without running a kernel.
 *
 * ```ts
 * evaluate('cvt.rn.satfinite.e4m3x2.f32', [0x3fa66666, 0xc3fa0000]); // [0x3afe]
 * ```
 *
 * @param inputs one bit pattern for each source operand, in the order in which the operands are written; for a brace
 * list, one for each of its elements. Bit patterns are unsigned numbers or bigints that fit into the register's width
 * @returns the bits of the results: numbers for up to 32 bits, bigints for more
 * @throws PtxlabError with the diagnostic's code if the instruction is not legal for the target and version,
 * `NOT_EVALUATED` if its result depends on more than the given bits, `argument-type` or `argument-size` if an input
 * is not a bit pattern that fits into the operand's width, `unknown-target`, `unknown-version`, `bad-option`
 */
export function evaluate(mnemonic: string, inputs: readonly Bits[], options: EvaluateOptions = {}): readonly Bits[] {
  const { run, inputs: expected } = evaluatorOf(mnemonic, inputs, options);
  return run(expected.map(({ name, width }, i) => checkedBits(inputs[i], width, `input ${i} (${name})`)));
}

/**
 * Computes the result of an instruction for the given values, without running a kernel. An input that its float format
 * cannot represent exactly is rounded to the nearest value, ties to even. An input outside the range of its format is
 * rejected.
 *
 * ```ts
 * evaluateValues('cvt.rn.satfinite.e4m3x2.f32', [1.3, -500]); // [[1.25, -448]]
 * evaluateValues('add.s64', [-1n, 3n]); // [2n]
 * ```
 *
 * @param inputs one value for each source operand, in the order in which the operands are written; for a brace list,
 * one for each of its elements
 * @returns the results as values of the same kinds as the inputs. Every NaN is returned as `NaN`; to see its bits, use
 * `evaluate`
 * @throws PtxlabError in the same cases as `evaluate`
 */
export function evaluateValues(
  mnemonic: string,
  inputs: readonly Value[],
  options: EvaluateOptions = {},
): readonly Value[] {
  const { run, inputs: expected, outputs } = evaluatorOf(mnemonic, inputs, options);
  const results = run(expected.map(({ name, type }, i) => bitsOfValue(inputs[i], type, `input ${i} (${name})`)));
  return outputs.map(({ type }, i) => valueOfBits(chop(elementAt(results, i), type.width), type));
}

function evaluatorOf(mnemonic: string, inputs: readonly unknown[], options: EvaluateOptions): Evaluator {
  requireText(mnemonic, 'an instruction');
  requireArgument('the inputs', inputs, list);
  requireOptions(options, rules, 'evaluate');
  const prepared = prepareEval(mnemonic, inputs.length, readJudgeOptions(options), options);
  if (!prepared.ok) throw new PtxlabError(prepared.error.code, prepared.error.message);
  return prepared.value.evaluator;
}
