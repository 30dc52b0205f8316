import { defineConfig, mergeConfig } from 'vitest/config';
import all from './vitest.config.ts';

/** Tests to run after each change: units, cases, and one file of each kind of recorded verdicts and values. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [] } },
  defineConfig({
    test: {
      include: [
        'src/**/*.test.ts',
        'test/cases/*.test.ts',
        'test/messages/*.test.ts',
        'test/spec/*.test.ts',
        'test/conformance/{arithmetic,cases,made-up-form}.test.ts',
        'test/golden/{evaluate,folded-values,legality-more,modules,syntax}.test.ts',
        'test/device/{execution,launch,memory}.test.ts',
      ],
      // Tests of whole ranges of values, and of every code and form.
      exclude: [
        'src/numerics/{arithmetic,convert}.test.ts',
        'src/arrays/convert.test.ts',
        // Threads run the built package.
        'src/arrays/convert-async.test.ts',
        'src/explain/{diagnostic-code,every-form,special-values}.test.ts',
        'src/explain/matrices/fragments.test.ts',
        'src/tensors/{convert-file,encode-blocks,scales}.test.ts',
        // Whole modules, and texts of many megabytes.
        'src/analysis/{function-view,navigation}.test.ts',
        'src/analysis/module-diff/module-diff.test.ts',
        'src/device/recent-modules.test.ts',
        'src/embedded/check-embedded.test.ts',
      ],
    },
  }),
);
