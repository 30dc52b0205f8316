import { defineConfig, mergeConfig } from 'vitest/config';
import all from './vitest.config.ts';

/** Files that take minutes to hours. Each test is reported when it ends, so that one can see how far a run has come. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [], exclude: [] } },
  defineConfig({
    test: { include: ['test/**/*.exhaustive.test.ts'], testTimeout: 900_000, reporters: ['verbose'] },
  }),
);
