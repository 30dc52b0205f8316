/** Explains whatever the user enters: a diagnostic code, a constant, an opcode or an instruction. */
import { toDiagnostic } from '../check/instructions/instruction.ts';
import { matchOperands } from '../check/instructions/match.ts';
import { part as partOf, type Problem, problem } from '../check/instructions/problem.ts';
import { resolveAt } from '../check/instructions/later-additions.ts';
import type { Resolution } from '../check/instructions/resolve.ts';
import type { Shape } from '../check/instructions/shape.ts';
import { ShapeTable } from '../check/instructions/shape-table.ts';
import { withSelectors } from '../check/instructions/selectors.ts';
import { Scope } from '../check/symbols.ts';
import { diagnose } from '../diagnostics/diagnostic.ts';
import { environmentOf } from '../isa/environment.ts';
import type { Variant } from '../isa/form.ts';
import type { OperandPattern } from '../isa/operand-patterns.ts';
import { plainWords } from '../isa/modifiers.ts';
import type { CompiledForm } from '../isa/notation.ts';
import { helpForTarget } from '../isa/nearest-target.ts';
import { ptxForms } from '../isa/table.ts';
import { newestTarget, newestVersion } from '../isa/targets.ts';
import { parseInstruction } from '../syntax/parser.ts';
import type { Instruction, Operand } from '../syntax/tree.ts';
import { type CodeExplanation, explainCode } from './diagnostic-code.ts';
import { describeForm, opcodesNamed, type FormEntry, formsAt } from './form-listing.ts';
import { explainVariant, type InstructionExplanation } from './instruction.ts';
import { explainLiteral, type LiteralExplanation } from './literal.ts';
import type { Refusal } from './refusal.ts';
import { explainName, type NameExplanation } from './name.ts';
import { helpFor, whatToGive } from './near-name.ts';
import { explainTarget, type TargetExplanation } from './target.ts';
import type { TargetChoice } from './target-choice.ts';

/** The explanation of an opcode or of the start of a mnemonic: its forms in the given version on the given target. */
export interface OpcodeExplanation {
  readonly kind: 'opcode';
  readonly opcode: string;
  readonly forms: readonly FormEntry[];
}

export type Explanation =
  | CodeExplanation
  | LiteralExplanation
  | NameExplanation
  | TargetExplanation
  | OpcodeExplanation
  | InstructionExplanation
  | Refusal;

const nothing = diagnose(
  'PTX1001',
  { start: 0, end: 0 },
  { near: '', found: 'end of the text', expected: 'an instruction' },
  { help: whatToGive },
);

const anywhere: TargetChoice = { target: null, version: null };

/**
 * Explains the given text. If its meaning depends on the target or version, `choice` specifies the target and version
 * that apply. Never throws, no matter what the text contains.
 */
export function explain(text: string, choice: TargetChoice = anywhere): Explanation {
  const bare = text.trim();
  if (bare === '') return { kind: 'refused', source: text, diagnostics: [nothing] };
  const explained =
    explainCode(bare) ??
    explainName(bare) ??
    explainTarget(bare) ??
    unknownTarget(bare) ??
    explainLiteral(bare) ??
    explainInstruction(bare, choice);
  const help = explained.kind === 'refused' ? helpFor(bare) : null;
  return explained.kind === 'refused' && help !== null ? withHelp(explained, help) : explained;
}

/** Returns a refusal for text that looks like a target but is not one; null for any other text. */
function unknownTarget(source: string): Refusal | null {
  if (!/^(?:sm|compute)_\w*$/i.test(source)) return null;
  const found = diagnose(
    'PTX4012',
    { start: 0, end: source.length },
    { found: source },
    { help: helpForTarget(source) },
  );
  return { kind: 'refused', source, diagnostics: [found] };
}

function withHelp({ source, diagnostics }: Refusal, help: string): Refusal {
  return {
    kind: 'refused',
    source,
    diagnostics: diagnostics.map((found, i) => (i === 0 ? { ...found, help } : found)),
  };
}

function explainInstruction(source: string, choice: TargetChoice): Explanation {
  const { instruction, diagnostics } = parseInstruction(source);
  if (instruction === null) return { kind: 'refused', source, diagnostics: diagnostics };
  const resolution = resolveAt(instruction.mnemonic, choice.version ?? newestVersion);
  if (resolution.kind !== 'variants') return withoutVariant(instruction, resolution, source, choice);
  const chosen = choose(resolution.variants, instruction, resolution.opcode);
  if (chosen.problems.length > 0) return refuse(chosen.problems, instruction, source);
  const environment = environmentOf(choice.version ?? newestVersion, choice.target ?? newestTarget);
  const written = writtenOperands(chosen.variant, instruction, source);
  const others = resolution.variants.filter(({ form }) => form !== chosen.variant.form);
  return { ...explainVariant(chosen.variant, environment, written), siblings: others.map(({ form }) => form.id) };
}

function withoutVariant(
  node: Instruction,
  resolution: Exclude<Resolution, { readonly kind: 'variants' }>,
  source: string,
  choice: TargetChoice,
): Explanation {
  const { opcode } = resolution;
  const listed = formsAt(choice, opcode).filter(beginningWith(node.mnemonic, opcode));
  const isKnown = opcodesNamed(opcode).length > 0;
  if (isKnown && (listed.length > 0 || node.mnemonic === opcode))
    return { kind: 'opcode', opcode: node.mnemonic, forms: listed.map((form) => describeForm(form, choice)) };
  return refuse(
    resolution.kind === 'refused' ? resolution.problems : [problem('PTX2002', partOf(0), { opcode })],
    node,
    source,
  );
}

/**
 * Selects the forms whose syntax begins with a mnemonic, such as `mma` or `mma.sp`. No forms are selected if a word
 * after the opcode is optional in some form, or if it is one of several alternatives there.
 */
function beginningWith(mnemonic: string, opcode: string): (compiled: CompiledForm) => boolean {
  if (mnemonic === opcode) return () => true;
  const words = mnemonic.slice(opcode.length + 1).split('.');
  const isChoice = (word: string): boolean =>
    ptxForms
      .forms(opcode)
      .some(({ axes }) =>
        axes.some(({ values, optional }) => (optional || values.length > 1) && values.includes(`.${word}`)),
      );
  if (words.some(isChoice)) return () => false;
  return ({ form: { syntax, sets } }) => `${plainWords(syntax, sets)}.`.startsWith(`${mnemonic}.`);
}

function refuse(problems: readonly Problem[], node: Instruction, source: string): Refusal {
  return { kind: 'refused', source, diagnostics: problems.map((found) => toDiagnostic(found, node, source)) };
}

interface Chosen {
  readonly variant: Variant;
  readonly problems: readonly Problem[];
}

/**
 * Returns the variant that fits the operands best, or the first one if the text has no operands. The text contains no
 * declarations, so it is not known what the names in its operands refer to.
 */
function choose(variants: readonly Variant[], { operands }: Instruction, opcode: string): Chosen {
  const scope = new Scope(null);
  const table = new ShapeTable();
  const shapes: readonly Shape[] = operands.map((operand) => table.of(operand, scope));
  const judged = variants.map((variant): Chosen => {
    if (shapes.length === 0) return { variant, problems: [] };
    const what = opcode + variant.types.map((type) => type.name).join('');
    return {
      variant: withSelectors(variant, shapes),
      problems: matchOperands({ variant, opcode, what, texmode: 'unified' }, shapes),
    };
  });
  return judged.reduce((best, other) => (other.problems.length < best.problems.length ? other : best));
}

/** Returns the text of each operand, by the operand's name in the syntax line. */
export function writtenOperands(
  variant: Variant,
  { operands }: Instruction,
  source: string,
): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  variant.form.operands.forEach((pattern, i) => {
    const operand = operands[i];
    if (operand !== undefined) spell(pattern, operand, source, written);
  });
  return written;
}

function spell(pattern: OperandPattern, operand: Operand, source: string, written: Map<string, string>): void {
  const text = (part: Operand): string => source.slice(part.start, part.end);
  if (operand.kind === 'vector' && pattern.kind === 'vector') {
    pattern.elements.forEach(({ name }, i) => {
      const element = operand.elements[i];
      if (element !== undefined) written.set(name, text(element));
    });
  } else if (operand.kind === 'vector' && (pattern.kind === 'lanes' || pattern.kind === 'registers')) {
    operand.elements.forEach((element, i) => written.set(`${pattern.name}.${i}`, text(element)));
  } else if (operand.kind === 'pair' && pattern.kind === 'pair') {
    spell(pattern.first, operand.first, source, written);
    spell(pattern.second, operand.second, source, written);
  } else if (pattern.kind === 'pair') {
    spell(pattern.first, operand, source, written);
  } else {
    written.set(pattern.kind === 'lanes' ? `${pattern.name}.0` : pattern.name, text(operand));
  }
}
