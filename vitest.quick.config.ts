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
        'test/conformance/{arithmetic,made-up-form}.test.ts',
        'test/golden/{evaluate,folded-values,modules,syntax}.test.ts',
        'test/device/{execution,launch,memory}.test.ts',
      ],
      // Tests of whole ranges of values, of every code and form, and of whole modules.
      exclude: [
        'src/arrays/elements/element-codes.test.ts',
        'src/arrays/quantized/packed-decoder.test.ts',
        'src/machine/tensor-memory/product.test.ts',
        'src/numerics/arithmetic.test.ts',
        'src/numerics/dot-tile.test.ts',
        'src/numerics/kernels.test.ts',
        'src/numerics/transcendental.test.ts',
        'src/explain/diagnostic-code.test.ts',
        'src/explain/matrices/fragments.test.ts',
        'src/analysis/format.test.ts',
        'src/analysis/navigation.test.ts',
        'src/embedded/check-embedded.test.ts',
        'src/program/seams.test.ts',
        'src/tensors/gguf/gguf.test.ts',
      ],
    },
  }),
);
