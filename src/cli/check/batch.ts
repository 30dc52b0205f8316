/** `ptxlab check --batch`: checks one module per input line. */
import { PtxlabError } from '../../base/error.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { SourceText } from '../../base/source-text.ts';
import { check } from '../../check/check.ts';
import { type Settings, withSettings } from '../../check/settings.ts';
import { judgeOptionsOf } from '../../check/judge-options.ts';
import { type DiagnosticRecord, diagnosticRecord } from '../../diagnostics/renderers/json.ts';
import type { TargetName, VersionName } from '../../isa/targets.ts';
import type { ExitCode } from '../exit.ts';
import { type LineError, answerLines } from '../ndjson.ts';
import type { Json } from '../../base/json-values.ts';
import type { OutputStream } from '../session.ts';

export interface BatchDefaults {
  readonly target: TargetName | undefined;
  readonly isa: VersionName | undefined;
  readonly warningsAreErrors: boolean;
  /** The settings to use where neither the request nor the command line specifies a value. */
  readonly settings: Settings;
}

interface Request {
  readonly source: string;
  readonly target: string | undefined;
  readonly isa: string | undefined;
}

/**
 * Answers the requests in order. Each request has the form `{"id","source"[,"target","isa"]}`, and the response is
 * either `{"id","ok","diagnostics"}` or `{"id","error"}`.
 */
export async function checkBatch(
  input: AsyncIterable<Buffer>,
  output: OutputStream,
  defaults: BatchDefaults,
): Promise<ExitCode> {
  const reply = (request: Json | null, raw: string, rest: object): string =>
    `{"id":${readId(request ?? {}, raw)},${JSON.stringify(rest).slice(1)}`;
  const faults = await answerLines(input, output, {
    answer: (line, raw) => {
      const request = readRequest(line, defaults);
      return reply(line, raw, request.ok ? answer(request.value, defaults) : { error: request.error });
    },
    refuse: (line, raw, error) => reply(line, raw, { error }),
  });
  return faults > 0 ? 2 : 0;
}

function answer({ source, target, isa }: Request, { settings, warningsAreErrors }: BatchDefaults): object {
  try {
    const { diagnostics } = check(
      source,
      judgeOptionsOf(target ?? settings.options.target, isa ?? settings.options.isa),
    );
    const text = new SourceText(source);
    const records = withSettings(diagnostics, source, settings).map((found) =>
      raise(diagnosticRecord(text, found), warningsAreErrors),
    );
    return { ok: records.every(({ severity }) => severity !== 'error'), diagnostics: records };
  } catch (error) {
    if (error instanceof PtxlabError) return { error: { code: error.code, message: error.message } };
    throw error;
  }
}

function raise(record: DiagnosticRecord, warningsAreErrors: boolean): DiagnosticRecord {
  return warningsAreErrors && record.severity === 'warning' ? { ...record, severity: 'error' } : record;
}

function readRequest(line: Json, defaults: BatchDefaults): Result<Request, LineError> {
  const { source, target = defaults.target, isa = defaults.isa } = line;
  if (typeof source !== 'string') return err(badRequest("'source' must be a string"));
  if (target !== undefined && typeof target !== 'string') return err(badRequest("'target' must be a string"));
  if (isa !== undefined && typeof isa !== 'string') return err(badRequest("'isa' must be a string"));
  return ok({ source, target, isa });
}

function badRequest(message: string): LineError {
  return { code: 'BAD_REQUEST', message };
}

/**
 * The id as JSON. If a double cannot represent the id exactly, the digits of the id are copied from the line, so that
 * the response contains all of them.
 */
function readId(line: Json, raw: string): string {
  const { id = null } = line;
  const written =
    typeof id === 'number' && !Number.isSafeInteger(id) ? /"id"\s*:\s*(-?[\d.eE+-]+)/.exec(raw)?.[1] : undefined;
  return written ?? JSON.stringify(id);
}
