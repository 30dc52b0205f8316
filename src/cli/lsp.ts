/** `ptxlab lsp`: a language server on stdin and stdout. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LanguageServer } from '../lsp/server.ts';
import { noSettings, type Settings } from '../check/settings.ts';
import type { ExitCode } from './exit.ts';
import { frame, messagesIn } from './lsp/frames.ts';
import type { Session } from './session.ts';
import { settingsAbove } from './settings-file.ts';
import { packageVersion } from './version.ts';

export async function lspCommand(session: Session): Promise<ExitCode> {
  const server = new LanguageServer({
    send: (message) => session.stdout.write(frame(message)),
    later: (work, milliseconds) => void setTimeout(work, milliseconds),
    settingsFor,
    version: packageVersion(),
  });
  for await (const text of messagesIn(session.stdin())) {
    const message = parsed(text);
    if (message instanceof SyntaxError) session.stdout.write(frame(parseError(message)));
    else server.receive(message);
    if (isExit(message)) break;
  }
  while (server.isBusy) await sleep(1);
  return server.exitCode ?? 1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** The response to a message that is not JSON. */
function parseError({ message }: SyntaxError): object {
  return { jsonrpc: '2.0', id: null, error: { code: -32_700, message: `not JSON: ${message}` } };
}

function isExit(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === 'exit';
}

/** The settings in the nearest `ptxlab.json`: in the document's folder or in one of the folders above it. */
function settingsFor(uri: string): Settings {
  if (!uri.startsWith('file:')) return noSettings;
  return settingsAbove(fileURLToPath(uri));
}
