/** `ptxlab eval --batch`: reads one instruction per line, and evaluates it for any number of rows of inputs. */
import { type Bits, hex } from '../../base/bits.ts';
import { BoundedCache } from '../../base/bounded-cache.ts';
import { elementAt } from '../../base/element-at.ts';
import { PtxlabError } from '../../base/error.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { readTarget, readVersion } from '../../check/judge-options.ts';
import type { TargetChoice } from '../../explain/target-choice.ts';
import type { RegisterWidths } from '../../interp/evaluate.ts';
import { type EvalError, type Prepared, prepareEval } from '../../evaluation/prepare.ts';
import type { ExitCode } from '../exit.ts';
import { answerLines } from '../ndjson.ts';
import type { Json } from '../../base/json-values.ts';
import type { OutputStream } from '../session.ts';

interface Request {
  readonly inst: string;
  readonly rows: readonly unknown[];
  readonly widths: RegisterWidths;
  readonly choice: TargetChoice;
}

/**
 * Answers each `{"inst","rows"[,"sreg","dreg","target","isa"]}` with `{"inst","out"}` or `{"inst","error"}`, in order.
 */
export async function evalBatch(
  input: AsyncIterable<Buffer>,
  output: OutputStream,
  defaults: TargetChoice,
): Promise<ExitCode> {
  const prepared = new PreparedInstructions();
  const faults = await answerLines(input, output, {
    answer: (line) => {
      const out = evaluateRequest(line, defaults, prepared);
      const { inst = null } = line;
      return JSON.stringify(out.ok ? { inst, out: out.value } : { inst, error: out.error });
    },
    refuse: (line, _, error) => JSON.stringify({ inst: line?.['inst'] ?? null, error }),
  });
  return faults > 0 ? 2 : 0;
}

/** Answers one request with a list that has one entry for each row of the request. */
export function evaluateRequest(
  line: Json,
  defaults: TargetChoice,
  prepared: PreparedInstructions,
): Result<readonly Output[], EvalError> {
  const request = readRequest(line, defaults);
  return request.ok ? evaluateRows(request.value, prepared) : request;
}

/** Prepared instructions, keyed by everything that they depend on. */
export class PreparedInstructions {
  private readonly known = new BoundedCache<string, Result<Prepared, EvalError>>(10_000);

  get({ inst, widths, choice }: Request, count: number | null): Result<Prepared, EvalError> {
    const { source = '', result = '' } = widths;
    const key = `${inst} ${count} ${source} ${result} ${choice.target?.name} ${choice.version}`;
    return this.known.of(key, () => prepareEval(inst, count, choice, widths));
  }
}

/** One entry per row: the result in hex, or a list if the instruction has several results. */
type Output = string | readonly string[];

function evaluateRows(request: Request, prepared: PreparedInstructions): Result<readonly Output[], EvalError> {
  const [first] = request.rows;
  const found = prepared.get(request, Array.isArray(first) ? first.length : null);
  if (!found.ok) return found;
  const { inputs, outputs, run } = found.value.evaluator;
  const widths = inputs.map(({ width }) => width);
  const out: Output[] = [];
  for (const [index, row] of request.rows.entries()) {
    const bits = readRow(row, widths);
    if (bits === null) {
      const message = `row ${index} must be a list of ${widths.length} hex numbers`;
      return err({ code: 'BAD_ROW', message });
    }
    const results = run(bits).map((result, i) => hex(result, outputs[i]?.width ?? 0));
    out.push(results.length === 1 ? elementAt(results, 0) : results);
  }
  return ok(out);
}

function readRow(row: unknown, widths: readonly number[]): readonly Bits[] | null {
  if (!Array.isArray(row) || row.length !== widths.length) return null;
  const bits: Bits[] = [];
  for (let i = 0; i < widths.length; i++) {
    const text: unknown = row[i];
    if (typeof text !== 'string' || !/^[\da-fA-F]+$/.test(text)) return null;
    bits.push(elementAt(widths, i) > 32 ? BigInt(`0x${text}`) : Number.parseInt(text.slice(-8), 16));
  }
  return bits;
}

function readRequest(line: Json, defaults: TargetChoice): Result<Request, EvalError> {
  const { inst, rows, sreg, dreg, target, isa } = line;
  if (typeof inst !== 'string') return bad("'inst' must be a string");
  if (!/^[\w.:]+$/.test(inst)) return bad("'inst' must be a mnemonic alone, without operands");
  if (!Array.isArray(rows)) return bad("'rows' must be a list of lists of hex numbers");
  const widths = readWidths(sreg, dreg);
  if (widths === null) return bad("'sreg' and 'dreg' must be 8, 16, 32, 64 or 128");
  if (!isName(target) || !isName(isa)) return bad("'target' and 'isa' must be strings");
  try {
    const choice: TargetChoice = {
      target: target === undefined ? defaults.target : readTarget(target),
      version: isa === undefined ? defaults.version : readVersion(isa),
    };
    return ok({ inst, rows, widths, choice });
  } catch (error) {
    if (error instanceof PtxlabError) return err({ code: error.code, message: error.message });
    throw error;
  }
}

function bad(message: string): Result<never, EvalError> {
  return err({ code: 'BAD_REQUEST', message });
}

function isName(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

const registerWidths: ReadonlySet<unknown> = new Set([8, 16, 32, 64, 128]);

function readWidths(sreg: unknown, dreg: unknown): RegisterWidths | null {
  if ([sreg, dreg].some((width) => width !== undefined && width !== null && !registerWidths.has(width))) return null;
  return {
    ...(typeof sreg === 'number' ? { source: sreg } : {}),
    ...(typeof dreg === 'number' ? { result: dreg } : {}),
  };
}
