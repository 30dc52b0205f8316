import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The playground imports the package under its public name. */
const door = (name: string): string => fileURLToPath(new URL(`src/${name}.ts`, import.meta.url));

/**
 * Most code of a test runs only briefly, so optimizing it as early as usual took a tenth of the time. From Node 22 on,
 * V8 rejects the option, and optimizes later anyway.
 */
const optimizeLater = Number.parseInt(process.versions.v8, 10) < 12 ? ['--interrupt-budget=1000000'] : [];

export default defineConfig({
  resolve: {
    alias: ['numbers', 'device', 'arrays', 'tensors'].map((name) => ({
      find: `ptxlab/${name}`,
      replacement: door(name),
    })),
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Each tier of tests has its own command; see CONTRIBUTING.md.
    exclude: ['**/*.{slow,exhaustive,scheduler}.test.ts', 'node_modules/**', 'dist/**'],
    setupFiles: ['test/setup.ts'],
    // Programs that tests start must not depend on what earlier runs compiled.
    env: { PTXLAB_CACHE: 'off' },
    testTimeout: 60_000,
    // The default leaves one core to the watcher, which halves the speed on a machine with two.
    maxWorkers: '100%',
    // Files share the modules that they import: reading them again took a fifth of the time.
    isolate: false,
    // With the usual 1 to 16 MB for new objects, an eighth of the time was spent on garbage collection. In a quarter of
    // the usual stack, recursion in the size of the input fails with a quarter of the input.
    execArgv: ['--stack-size=250', '--min-semi-space-size=128', '--max-semi-space-size=128', ...optimizeLater],
    // Compiled modules are kept in node_modules, so that a run starts in 0.5 s instead of 2 s.
    experimental: { fsModuleCache: true },
  },
});
