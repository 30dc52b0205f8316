/** An fma on operands that are hard to round, as it is computed on hosts without an instruction that rounds once. */
import { describe, vi } from 'vitest';
import { fusedDouble, testDoubles } from './double-vectors.ts';
import { testTies } from './fused-ties.ts';

vi.mock('../../src/jit/simd/fuses-products.ts', () => ({ fusesProducts: () => false }));

describe('f32', () => testTies());
describe('f64', () => testDoubles([fusedDouble]));
