import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.scheduler.test.ts'],
    testTimeout: 600_000,
  },
});
