/** Library functions that explain PTX in words. */
import { requireArgument, requireOptions } from './base/require.ts';
import { requireText } from './base/require-text.ts';
import { number, oneOf, type RulesFor, shaped } from './base/rules.ts';
import { judgeRules, type JudgeOptions, readJudgeOptions } from './check/judge-options.ts';
import { boxGlyphs, type Glyphs, glyphsRule } from './explain/draw.ts';
import { type Explanation, explain as explainFor } from './explain/explain.ts';
import { explanationText as textFor } from './explain/text.ts';
import { plainStyle, type Style, styleRule } from './diagnostics/renderers/style.ts';

export type { Explanation } from './explain/explain.ts';

/**
 * Explains an instruction, a mnemonic, an opcode, a type, a modifier, a constant or a diagnostic code. The function
 * never throws an error because of the text: if the text is none of these, the explanation has kind `refused` and
 * contains diagnostics.
 *
 * ```ts
 * explain('cvt.rn.satfinite.e4m3x2.f32', { target: 'sm_90', version: '8.1' });
 * ```
 *
 * @param options the target and the version for which to explain the text. The target and the version determine which
 * forms an opcode has, and in some cases what the text means. By default, the explanation is for any target and the
 * newest version
 * @throws PtxlabError `unknown-target`, `unknown-version`, `bad-option`
 */
export function explain(text: string, options: JudgeOptions = {}): Explanation {
  requireText(text, 'what is explained');
  requireOptions(options, judgeRules, 'explain');
  return explainFor(text, readJudgeOptions(options));
}

export interface ExplanationTextOptions {
  /** Width of the text in columns. Default 80. */
  readonly width?: number;
  /** Colors by role. Default: none. */
  readonly style?: Style;
  /** Characters for frames and arrows. Default: Unicode box-drawing characters. */
  readonly glyphs?: Glyphs;
}

const rules: RulesFor<ExplanationTextOptions> = { width: number, style: styleRule, glyphs: glyphsRule };

/** An object with every kind as a key, so that a missing kind is a type error. */
const kinds: Readonly<Record<Explanation['kind'], string>> = {
  code: 'code',
  instruction: 'instruction',
  literal: 'literal',
  modifier: 'modifier',
  opcode: 'opcode',
  refused: 'refused',
  target: 'target',
  type: 'type',
};

const explanation = shaped<Explanation>('a result of explain', { kind: oneOf(...Object.values(kinds)) });

/** An explanation as text for a terminal, ending in a newline. */
export function explanationText(explained: Explanation, options: ExplanationTextOptions = {}): string {
  requireArgument('what is shown', explained, explanation);
  requireOptions(options, rules, 'explanationText');
  const { width = 80, style = plainStyle, glyphs = boxGlyphs } = options;
  return textFor(explained, { width, style, glyphs });
}
