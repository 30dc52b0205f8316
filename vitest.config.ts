import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/*.exhaustive.test.ts', 'node_modules/**', 'dist/**'],
    testTimeout: 60_000,
  },
});
