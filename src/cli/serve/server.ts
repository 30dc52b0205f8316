/** The server: answers requests until its input ends. */
import type { Readable } from 'node:stream';
import { isObject } from '../../base/json-values.ts';
import type { OutputStream } from '../session.ts';
import { arrayMethods } from './array-methods.ts';
import { deviceMethods } from './device-methods.ts';
import { DeviceTable } from './device-table.ts';
import { RequestError, responseError } from './errors.ts';
import type { Limits } from './limits.ts';
import type { Method, ServerState } from './method.ts';
import {
  CancellationSenderStrategy,
  type CancellationStrategy,
  type CancellationToken,
  CancellationTokenSource,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  ErrorCodes,
  Message,
  ResponseError,
  type ResponseMessage,
} from 'vscode-jsonrpc/node';
import { SharedFolder } from './shared-folder.ts';
import { textMethods } from './text-methods.ts';

export interface ServerStreams {
  readonly input: Readable;
  readonly output: OutputStream;
}

/**
 * Creates each cancellation token immediately. Otherwise, canceling a request twice, once before it starts and once
 * after, would end the connection.
 */
const cancellationStrategy: CancellationStrategy = {
  receiver: {
    createCancellationTokenSource() {
      const source = new CancellationTokenSource();
      void source.token;
      return source;
    },
  },
  sender: CancellationSenderStrategy.Message,
};

const methods: Readonly<Record<string, Method>> = { ...textMethods, ...deviceMethods, ...arrayMethods };

/**
 * Resolves when the server ends: with null if the input ends or `signal` aborts, and otherwise with the reason why the
 * messages cannot be read any further. Launches that are still running at that point are stopped.
 */
export async function serve(
  { input, output }: ServerStreams,
  limits: Limits,
  version: string,
  signal: AbortSignal,
): Promise<string | null> {
  const folder = new SharedFolder(limits.file);
  const remove = (): void => folder.remove();
  process.once('exit', remove);
  const state: ServerState = { folder, limits, devices: new DeviceTable(limits), version };
  const ended = new AbortController();
  const reader = new StreamMessageReader(input);
  // Turns off the reader's timer, which would keep the process running if the server ended in the middle of a message.
  reader.partialMessageTimeout = 0;
  const writer = new StreamMessageWriter(output);
  const connection = createMessageConnection(reader, writer, undefined, { cancellationStrategy });
  let waiting = 0;
  connection.onRequest(async (name: string, params: unknown, token: CancellationToken) => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) return new ResponseError(ErrorCodes.MethodNotFound, `there is no method '${name}'`);
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
  try {
    return await new Promise<string | null>((resolve) => {
      const end = (): void => resolve(null);
      connection.onClose(end);
      input.once('end', end);
      input.once('error', end);
      output.once('error', end);
      connection.onError(([error]) => {
        if (error instanceof SyntaxError)
          void writer.write(failure(null, ErrorCodes.ParseError, `not JSON: ${error.message}`));
        else resolve(error.message.replace(/\n[^]*/, ''));
      });
      signal.addEventListener('abort', end, { once: true });
      limitMessages(input, reader, limits.message, resolve);
      answerWrongMessages(reader, writer);
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

/** The response to a message that is not a valid request. `id` is null if the request's id is not known. */
function failure(id: string | number | null, code: number, message: string): ResponseMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Answers messages that are neither requests nor notifications. The connection alone would ignore them. */
function answerWrongMessages(reader: StreamMessageReader, writer: StreamMessageWriter): void {
  const listen = reader.listen.bind(reader);
  reader.listen = (callback) =>
    listen((message) => {
      const isKnown =
        isObject(message) && [Message.isRequest, Message.isNotification, Message.isResponse].some((is) => is(message));
      if (isKnown) callback(message);
      else void writer.write(wrongMessage(message));
    });
}

function wrongMessage(message: unknown): ResponseMessage {
  const words = Array.isArray(message)
    ? 'batches are not supported; send each request in a message of its own'
    : 'the message is not a request with a method';
  const id = isObject(message) ? message['id'] : null;
  return failure(typeof id === 'string' || typeof id === 'number' ? id : null, ErrorCodes.InvalidRequest, words);
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
function limitMessages(input: Readable, reader: StreamMessageReader, most: number, end: (why: string) => void): void {
  let pending = 0;
  input.on('data', (chunk: Buffer) => {
    pending += chunk.length;
    if (pending > most) end(`a message is longer than the limit of ${most} bytes`);
  });
  const listen = reader.listen.bind(reader);
  reader.listen = (callback) =>
    listen((message) => {
      pending = 0;
      callback(message);
    });
}

function sourceIn(params: unknown): string {
  if (!isObject(params)) return '';
  const { source } = params;
  return typeof source === 'string' ? source : '';
}
