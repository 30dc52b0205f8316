/**
 * Tests fma with results that are hard to round, using the code that is generated for hosts without a fused
 * multiply-add.
 */
import { describe, vi } from 'vitest';
import { fusedDouble, testDoubles } from './double-vectors.ts';
import { testTies } from './fused-ties.ts';

vi.mock('../../src/jit/simd/fuses-products.ts', () => ({ fusesProducts: () => false }));

describe('f32', () => testTies());
describe('f64', () => testDoubles([fusedDouble]));
