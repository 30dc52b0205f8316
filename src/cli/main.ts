#!/usr/bin/env node
/** The entry point: runs one command and turns the outcome into an exit code and at most one line of error message. */
import { CommanderError } from 'commander';
import { PtxlabError } from '../base/error.ts';
import { UsageError } from './exit.ts';
import { guardOutput } from './output.ts';
import { makeProgram } from './program.ts';
import { packageVersion } from './version.ts';

/** Exit codes of commander that are not mistakes: help and version were requested. */
const wanted: ReadonlySet<string> = new Set(['commander.helpDisplayed', 'commander.version']);

function exitOf(error: unknown): 0 | 2 {
  if (error instanceof CommanderError) return wanted.has(error.code) ? 0 : 2;
  const isUsage = error instanceof UsageError || error instanceof PtxlabError;
  const message = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
  process.stderr.write(isUsage ? `ptxlab: ${message}\n` : `ptxlab: internal error: ${message}${faultHint()}\n`);
  if (isDebugging() && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return 2;
}

function isDebugging(): boolean {
  return process.env['PTXLAB_DEBUG'] === '1';
}

function faultHint(): string {
  return isDebugging() ? '' : ' (PTXLAB_DEBUG=1 shows where)';
}

function abort(error: unknown): never {
  process.exit(exitOf(error));
}

guardOutput();
process.on('uncaughtException', abort);
process.on('unhandledRejection', abort);

try {
  const program = makeProgram(packageVersion(), process.argv.slice(2), (exit) => {
    process.exitCode = exit;
  });
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitOf(error);
}
