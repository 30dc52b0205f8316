/**
 * Messages of the Language Server Protocol as they are sent over a stream: a header with the length, an empty line, and
 * JSON in UTF-8.
 */
import { UsageError } from '../exit.ts';

/** The bytes of a message. */
export function frame(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

const headerEnd = Buffer.from('\r\n\r\n');

/**
 * Yields the texts of the messages in a stream until the stream ends.
 *
 * @throws UsageError if a message does not specify its length, because the next message then cannot be found
 */
export async function* messagesIn(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  let needed = 0;
  for await (const piece of input) {
    pieces.push(piece);
    length += piece.length;
    if (length < needed) continue;
    let rest = Buffer.concat(pieces);
    let found = firstMessage(rest);
    for (; found.end <= rest.length; found = firstMessage(rest)) {
      yield rest.toString('utf8', found.start, found.end);
      rest = rest.subarray(found.end);
    }
    pieces = [rest];
    length = rest.length;
    needed = found.end;
  }
}

/** The range of the first message. The message may be incomplete; its end then lies beyond the available bytes. */
function firstMessage(bytes: Buffer): { readonly start: number; readonly end: number } {
  const header = bytes.indexOf(headerEnd);
  if (header < 0) return { start: 0, end: bytes.length + 1 };
  const length = Number(/Content-Length: *(\d+)/i.exec(bytes.toString('latin1', 0, header))?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new UsageError('a message has no Content-Length header');
  const start = header + headerEnd.length;
  return { start, end: start + length };
}
