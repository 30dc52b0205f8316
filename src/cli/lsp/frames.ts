/**
 * Messages of the Language Server Protocol as they are sent over a stream: a header with the length, an empty line, and
 * JSON in UTF-8.
 */

/** The bytes of a message. */
export function frame(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

const headerEnd = Buffer.from('\r\n\r\n');

/** Yields the messages of a stream until the stream ends. */
export async function* messagesIn(input: AsyncIterable<Buffer>): AsyncGenerator {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of input) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (let found = firstMessage(rest); found !== null; found = firstMessage(rest)) {
      yield JSON.parse(rest.toString('utf8', found.start, found.end));
      rest = rest.subarray(found.end);
    }
  }
}

/** The range of the first message in these bytes; null if part of the message has not arrived yet. */
function firstMessage(bytes: Buffer): { readonly start: number; readonly end: number } | null {
  const header = bytes.indexOf(headerEnd);
  if (header < 0) return null;
  const length = Number(/Content-Length: *(\d+)/i.exec(bytes.toString('latin1', 0, header))?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error('a message without Content-Length');
  const start = header + headerEnd.length;
  return bytes.length < start + length ? null : { start, end: start + length };
}
