#!/usr/bin/env node
/** The entry point of `ptxlab`. */
import { runProcess } from './run-process.ts';

await runProcess(process.argv.slice(2));
