/** The server: answers requests until its input ends. */
import type { Readable } from 'node:stream';
import { isJsonObject } from '../json-object.ts';
import type { OutputStream } from '../session.ts';
import { arrayMethods } from './array-methods.ts';
import { deviceMethods } from './device-methods.ts';
import { DeviceTable } from './device-table.ts';
import { RequestError, responseError } from './errors.ts';
import type { Limits } from './limits.ts';
import type { Method, ServerState } from './method.ts';
import {
  type CancellationToken,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  ErrorCodes,
  type ResponseMessage,
} from 'vscode-jsonrpc/node';
import { SharedFolder } from './shared-folder.ts';
import { textMethods } from './text-methods.ts';

export interface ServerStreams {
  readonly input: Readable;
  readonly output: OutputStream;
}

const methods: Readonly<Record<string, Method>> = { ...textMethods, ...deviceMethods, ...arrayMethods };

/** Resolves when the input ends or `signal` aborts. Launches that are still running at that point are stopped. */
export async function serve(
  { input, output }: ServerStreams,
  limits: Limits,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = new SharedFolder(limits.file);
  const remove = (): void => folder.remove();
  process.once('exit', remove);
  const state: ServerState = { folder, limits, devices: new DeviceTable(limits), version };
  const ended = new AbortController();
  const reader = new StreamMessageReader(input);
  const writer = new StreamMessageWriter(output);
  const connection = createMessageConnection(reader, writer);
  let waiting = 0;
  for (const [name, method] of Object.entries(methods)) {
    connection.onRequest(name, async (params: unknown, token: CancellationToken) => {
      try {
        if (waiting >= limits.requests)
          throw new RequestError('limit-exceeded', `${limits.requests} requests are waiting`);
        waiting++;
        try {
          return await answer(method, params, state, token, ended.signal);
        } finally {
          waiting--;
        }
      } catch (error) {
        return responseError(error, sourceIn(params));
      }
    });
  }
  try {
    await new Promise<void>((resolve) => {
      connection.onClose(resolve);
      input.once('end', resolve);
      input.once('error', resolve);
      output.once('error', resolve);
      connection.onError(([error]) => {
        if (error instanceof SyntaxError) void writer.write(parseError(error));
        else resolve();
      });
      signal.addEventListener('abort', () => resolve(), { once: true });
      limitMessages(input, reader, limits.message, resolve);
      connection.listen();
    });
  } finally {
    ended.abort();
    connection.dispose();
    input.destroy();
    process.off('exit', remove);
    remove();
  }
}

/** The answer to a message that is not JSON, whose id is therefore not known. */
function parseError({ message }: SyntaxError): ResponseMessage {
  return { jsonrpc: '2.0', id: null, error: { code: ErrorCodes.ParseError, message: `not JSON: ${message}` } };
}

async function answer(
  { call }: Method,
  params: unknown,
  state: ServerState,
  token: CancellationToken,
  ended: AbortSignal,
): Promise<object> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const listener = token.onCancellationRequested(abort);
  ended.addEventListener('abort', abort, { once: true });
  try {
    if (token.isCancellationRequested) throw new RequestError('cancelled', 'the request was cancelled');
    return await call(params, state, stop.signal);
  } finally {
    listener.dispose();
    ended.removeEventListener('abort', abort);
  }
}

/**
 * Ends the connection if a message exceeds the maximum size, that is, if it is still incomplete when that many bytes
 * have arrived.
 */
function limitMessages(input: Readable, reader: StreamMessageReader, most: number, end: () => void): void {
  let pending = 0;
  input.on('data', (chunk: Buffer) => {
    pending += chunk.length;
    if (pending > most) end();
  });
  const listen = reader.listen.bind(reader);
  reader.listen = (callback) =>
    listen((message) => {
      pending = 0;
      callback(message);
    });
}

function sourceIn(params: unknown): string {
  if (!isJsonObject(params)) return '';
  const { source } = params;
  return typeof source === 'string' ? source : '';
}
