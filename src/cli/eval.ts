/** `ptxlab eval`: evaluates one instruction on given operands. */
import { nearestWord } from '../base/nearest-word.ts';
import { lanePictures } from '../explain/lanes.ts';
import { readValue } from '../explain/read-value.ts';
import { evalBatch } from './eval/batch.ts';
import { type DotFlags, dotFlagOf, evalDot } from './eval/dot.ts';
import { explainLanes } from '../evaluation/conversion-lanes.ts';
import { prepareDot } from '../evaluation/dot-product.ts';
import { type Prepared, prepareEval } from '../evaluation/prepare.ts';
import type { EvaluatedOperand } from '../evaluation/operands.ts';
import { type Evaluated, evaluatedJson, evaluatedText, lanesText } from './eval/text.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { streamInput } from './io.ts';
import { type JudgeFlags, readTargetChoice } from './options.ts';
import { write, writeJson } from './output.ts';
import { writeRefusal } from './refusal.ts';
import type { Session } from './session.ts';
import { columnsOf, styleFor } from './style.ts';

export interface EvalFlags extends JudgeFlags, DotFlags {
  readonly batch?: boolean;
}

export async function evalCommand(
  instruction: string | undefined,
  operands: readonly string[],
  flags: EvalFlags,
  session: Session,
): Promise<ExitCode> {
  const words = [instruction ?? '', ...operands].flatMap(splitWords);
  refuseOptions(words);
  const place = readTargetChoice(flags);
  if (flags.batch === true) return evalBatch(streamInput(batchFile(words), session), session.stdout, place);
  const [mnemonic, ...texts] = words;
  if (mnemonic === undefined) throw new UsageError('eval needs an instruction and its operands');
  const dotFlag = dotFlagOf(flags);
  if (dotFlag !== null) {
    if (texts.length > 0) throw new UsageError(`with ${dotFlag}, eval takes no other operands; found '${texts[0]}'`);
    return evalDot(mnemonic, flags, place, session);
  }
  const prepared = prepareEval(mnemonic, texts.length, place, {});
  if (!prepared.ok) {
    // For a matrix product, evalDot reports which lists of elements are missing.
    if (prepareDot(mnemonic, place, null).ok) return evalDot(mnemonic, flags, place, session);
    await writeRefusal(prepared.error, flags.color, session);
    return 1;
  }
  await writeEvaluated(evaluateTexts(prepared.value, texts), prepared.value, flags, session);
  return 0;
}

/**
 * Splits an argument into words, so that a whole instruction in quotes is treated as if its words were separate
 * arguments.
 */
function splitWords(text: string): readonly string[] {
  return text
    .replace(/;\s*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
}

const options: readonly string[] = [
  '--target',
  '--isa',
  '--gpu',
  '--a',
  '--b',
  '--c',
  '--scale-a',
  '--scale-b',
  '--explain',
  '--json',
  '--batch',
  '--color',
  '--quiet',
  '--help',
];

/** Because operands may begin with a minus sign, commander passes unknown options on as operands. */
function refuseOptions(words: readonly string[]): void {
  const option = words.find((word) => word.startsWith('--'));
  if (option === undefined) return;
  const close = nearestWord(option, options);
  throw new UsageError(`unknown option '${option}'${close === null ? '' : ` (did you mean ${close}?)`}`);
}

function batchFile([file = '-', ...more]: readonly string[]): string {
  if (more.length > 0) throw new UsageError('eval --batch takes its requests from a single file');
  return file;
}

function evaluateTexts({ variant, evaluator, environment }: Prepared, texts: readonly string[]): Evaluated {
  const inputs = evaluator.inputs.map(({ name, type }, i): EvaluatedOperand => {
    const value = readValue(texts[i] ?? '', type);
    if (!value.ok) throw new UsageError(`operand ${name}: ${value.error}`);
    return { name, type, ...value.value };
  });
  const results = evaluator.run(inputs.map(({ bits }) => bits));
  const outputs = evaluator.outputs.map(
    ({ name, type }, i): EvaluatedOperand => ({ name, type, bits: results[i] ?? 0, rounded: false }),
  );
  const pictures = lanePictures(variant, variant.form.steps(variant, environment));
  return { mnemonic: variant.mnemonic, inputs, outputs, pictures };
}

async function writeEvaluated(
  evaluated: Evaluated,
  prepared: Prepared,
  flags: EvalFlags,
  { stdout, env }: Session,
): Promise<void> {
  const inputs = evaluated.inputs.map(({ bits }) => bits);
  const lanes = flags.explain === true ? explainLanes(prepared, inputs) : null;
  if (flags.json === true) return writeJson(stdout, evaluatedJson(evaluated, lanes));
  const style = await styleFor(flags.color, stdout, env);
  const width = columnsOf(stdout);
  const lines = [...evaluatedText(evaluated, width, style), ...lanesText(lanes ?? [], width, style)];
  return write(stdout, `${lines.join('\n')}\n`);
}
