#!/usr/bin/env node
/** The entry point: one command in this process. */
import { exitOf, runCommandLine } from './command-line.ts';
import { guardOutput, processSession } from './process-session.ts';

function abort(error: unknown): never {
  process.exit(exitOf(error, processSession));
}

guardOutput();
process.on('uncaughtException', abort);
process.on('unhandledRejection', abort);

process.exitCode = await runCommandLine(process.argv.slice(2), processSession);
