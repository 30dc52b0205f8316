/** `ptxlab explain`: explains an instruction, a type, a target, a constant or a diagnostic code in plain words. */
import { diagnosticRecord } from '../diagnostics/renderers/json.ts';
import { SourceText } from '../base/source-text.ts';
import { asciiGlyphs, boxGlyphs } from '../explain/draw.ts';
import { type Explanation, explain } from '../explain/explain.ts';
import { explanationText } from '../explain/text.ts';
import type { ExitCode } from './exit.ts';
import { type JudgeFlags, readTargetChoice } from './options.ts';
import { write, writeJson } from './output.ts';
import type { Session } from './session.ts';
import { columnsOf, isAscii, styleFor } from './style.ts';

export interface ExplainFlags extends JudgeFlags {
  readonly json?: boolean;
  readonly ascii?: boolean;
}

export async function explainCommand(text: string, flags: ExplainFlags, { stdout, env }: Session): Promise<ExitCode> {
  const explained = explain(text, readTargetChoice(flags));
  if (flags.json === true) {
    await writeJson(stdout, jsonOf(explained));
  } else {
    const style = await styleFor(flags.color, stdout, env);
    const glyphs = isAscii(flags.ascii === true, env) ? asciiGlyphs : boxGlyphs;
    await write(stdout, explanationText(explained, { width: columnsOf(stdout), style, glyphs }));
  }
  return explained.kind === 'refused' ? 1 : 0;
}

function jsonOf(explained: Explanation): object {
  if (explained.kind !== 'refused') return explained;
  const source = new SourceText(explained.source);
  return { kind: 'refused', diagnostics: explained.diagnostics.map((found) => diagnosticRecord(source, found)) };
}
