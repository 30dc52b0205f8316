/**
 * Reads one JSON object per line and answers each with a JSON object on a line of its own, in the same order. Each line
 * is answered as soon as it arrives, so that a program at the other end of a pipe can wait for the response before it
 * sends the next line. Input is read only as fast as the responses are consumed.
 */
import { err, ok, type Result } from '../base/result.ts';
import { sizeLimit } from './io.ts';
import { write } from './output.ts';
import { type Json, isObject } from '../base/json-values.ts';
import type { OutputStream } from './session.ts';

/** The reason why a line cannot be answered. The codes are stable, like those of diagnostics. */
export interface LineError {
  readonly code: 'BAD_JSON' | 'BAD_REQUEST' | 'LINE_TOO_LONG' | 'INTERNAL';
  readonly message: string;
}

/**
 * The functions that a command provides to answer lines. They return responses as JSON text. `raw` is the line as it
 * was received.
 */
export interface Answerer {
  answer(request: Json, raw: string): string;
  /**
   * Returns the response to a line that is not a valid request. `request` is null if the line is not even a JSON
   * object.
   */
  refuse(request: Json | null, raw: string, error: LineError): string;
}

const newline = 10;

/**
 * Answers every line of `input` that is not blank. Returns the number of responses that were internal errors of ptxlab.
 */
export async function answerLines(
  input: AsyncIterable<Buffer>,
  output: OutputStream,
  answerer: Answerer,
): Promise<number> {
  const pending = new PendingLine(sizeLimit);
  let faults = 0;
  const reply = (line: Result<string, LineError>): string => {
    const { text, isFault } = answerOne(line, answerer);
    if (isFault) faults += 1;
    return text;
  };
  for await (const bytes of input) {
    const end = bytes.lastIndexOf(newline);
    if (end < 0) {
      pending.add(bytes);
      continue;
    }
    let out = '';
    for (const line of pending.complete(bytes.subarray(0, end))) out += reply(line);
    pending.add(bytes.subarray(end + 1));
    await write(output, out);
  }
  for (const line of pending.complete(Buffer.alloc(0))) await write(output, reply(line));
  return faults;
}

/**
 * The bytes that have arrived since the last newline. A line that exceeds the limit is discarded as it arrives, and
 * reported once it ends.
 */
export class PendingLine {
  private readonly limit: number;
  private chunks: Buffer[] = [];
  private size = 0;

  /** `limit` is the maximum number of bytes per line. */
  constructor(limit: number) {
    this.limit = limit;
  }

  add(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size > this.limit) this.chunks = [];
    else if (bytes.length > 0) this.chunks.push(bytes);
  }

  /** Adds bytes, and returns all lines that are now complete. */
  complete(bytes: Buffer): readonly Result<string, LineError>[] {
    const first = bytes.indexOf(newline);
    this.add(first < 0 ? bytes : bytes.subarray(0, first));
    const tooLong = this.size > this.limit;
    const head = tooLong ? '' : Buffer.concat(this.chunks, this.size).toString('utf8');
    this.chunks = [];
    this.size = 0;
    const rest = first < 0 ? [] : bytes.toString('utf8', first + 1).split('\n');
    const message = `the line is longer than ${this.limit} bytes`;
    return [tooLong ? err({ code: 'LINE_TOO_LONG', message }) : ok(head), ...rest.map((line) => ok(line))];
  }
}

interface Reply {
  readonly text: string;
  readonly isFault: boolean;
}

function answerOne(line: Result<string, LineError>, answerer: Answerer): Reply {
  if (!line.ok) return { text: `${answerer.refuse(null, '', line.error)}\n`, isFault: false };
  const raw = line.value;
  if (raw.trim() === '') return { text: '', isFault: false };
  const request = parseLine(raw);
  if (!request.ok) return { text: `${answerer.refuse(null, raw, request.error)}\n`, isFault: false };
  try {
    return { text: `${answerer.answer(request.value, raw)}\n`, isFault: false };
  } catch (fault) {
    const message = `internal error: ${fault instanceof Error ? fault.message : String(fault)}`;
    return { text: `${answerer.refuse(request.value, raw, { code: 'INTERNAL', message })}\n`, isFault: true };
  }
}

function parseLine(text: string): Result<Json, LineError> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return ok(value);
    return err({ code: 'BAD_REQUEST', message: 'the line is not a JSON object' });
  } catch {
    return err({ code: 'BAD_JSON', message: 'the line is not JSON' });
  }
}
