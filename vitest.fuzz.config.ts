import { defineConfig, mergeConfig } from 'vitest/config';
import all from './vitest.config.ts';

/** Texts, files and calls that nobody would write, different in each run. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [], exclude: [], setupFiles: [] } },
  defineConfig({ test: { include: ['test/fuzz/**/*.test.ts'] } }),
);
