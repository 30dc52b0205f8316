import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.exhaustive.test.ts'],
    testTimeout: 900_000,
  },
});
