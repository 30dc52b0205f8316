/** `ptxlab serve`: JSON-RPC over stdin and stdout. */
import { Readable } from 'node:stream';
import { type ExitCode, UsageError } from './exit.ts';
import { readCount } from './count-flag.ts';
import { serve } from './serve/server.ts';
import { defaultLimits } from './serve/limits.ts';
import { keepMemorySteady } from './serve/steady-memory.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

export interface ServeFlags {
  readonly timeout?: string;
  readonly memory?: string;
  readonly messageLimit?: string;
  readonly fileLimit?: string;
}

export async function serveCommand(flags: ServeFlags, session: Session): Promise<ExitCode> {
  const limits = {
    ...defaultLimits,
    timeout: limitOf(flags.timeout, '--timeout', defaultLimits.timeout, 2 ** 25),
    memory: limitOf(flags.memory, '--memory', defaultLimits.memory, 2 ** 32),
    message: limitOf(flags.messageLimit, '--message-limit', defaultLimits.message, 2 ** 29),
    file: limitOf(flags.fileLimit, '--file-limit', defaultLimits.file, 2 ** 33),
  };
  keepMemorySteady();
  const input = session.stdin();
  const streams = { input: input instanceof Readable ? input : Readable.from(input), output: session.stdout };
  return session.interruptible(async (signal) => {
    const problem = await serve(streams, limits, packageVersion(), signal);
    if (problem !== null) throw new UsageError(problem);
    return 0;
  });
}

function limitOf(text: string | undefined, flag: string, usual: number, most: number): number {
  return text === undefined ? usual : readCount(flag, text, { least: 1, most });
}
