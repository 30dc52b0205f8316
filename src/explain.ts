/** Explanations in words, as a library. */
import { requireOptionNames } from './base/option-names.ts';
import { requireText } from './base/require-text.ts';
import { judgeNames, type JudgeOptions, readJudgeOptions } from './check/judge-options.ts';
import { boxGlyphs, type Glyphs } from './explain/draw.ts';
import { type Explanation, explain as explainFor } from './explain/explain.ts';
import { explanationText as textFor } from './explain/text.ts';
import { plainStyle, type Style } from './diagnostics/renderers/style.ts';

export type { Explanation } from './explain/explain.ts';

/**
 * Explains a text: an instruction, a mnemonic, an opcode, a type, a modifier, a constant or a diagnostic code. Never
 * throws because of the text; a text that is none of these gives an explanation of kind `refused` with diagnostics.
 *
 * ```ts
 * explain('cvt.rn.satfinite.e4m3x2.f32', { target: 'sm_90', version: '8.1' });
 * ```
 *
 * @param options target and version decide the meaning where older ones differ, and which forms an opcode has; the
 *   default is any target and the newest version
 * @throws PtxlabError `unknown-target`, `unknown-version`, `bad-option`
 */
export function explain(text: string, options: JudgeOptions = {}): Explanation {
  requireText(text, 'what is explained');
  requireOptionNames(options, judgeNames, 'explain');
  return explainFor(text, readJudgeOptions(options));
}

export interface ExplanationTextOptions {
  /** Columns of the text. Default 80. */
  readonly width?: number;
  /** Colors by role. Default: none. */
  readonly style?: Style;
  /** Characters for frames and arrows. Default: Unicode box-drawing characters. */
  readonly glyphs?: Glyphs;
}

/** An explanation as text for a terminal, ending in a newline. */
export function explanationText(explained: Explanation, options: ExplanationTextOptions = {}): string {
  const { width = 80, style = plainStyle, glyphs = boxGlyphs } = options;
  return textFor(explained, { width, style, glyphs });
}
