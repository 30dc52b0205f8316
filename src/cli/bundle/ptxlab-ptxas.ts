#!/usr/bin/env node
/** The entry point of the program `ptxlab-ptxas`. */
import { startBundle } from './start.ts';

void startBundle(['ptxas', ...process.argv.slice(2)]);
