#!/usr/bin/env node
/** The entry point of `ptxlab`. */
import { startBundle } from './start.ts';

void startBundle(process.argv.slice(2));
