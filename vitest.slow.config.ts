import { defineConfig, mergeConfig } from 'vitest/config';
import all from './vitest.config.ts';

/** Files that take more than a second or two each: programs that run for long, and thousands of recorded results. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ['{src,test}/**/*.slow.test.ts'] } }),
);
