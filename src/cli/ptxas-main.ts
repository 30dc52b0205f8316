#!/usr/bin/env node
/** The entry point of the program `ptxlab-ptxas`. */
import { runProcess } from './run-process.ts';

await runProcess(['ptxas', ...process.argv.slice(2)]);
