/** Tests arithmetic with results that are hard to round, using the instructions that the host offers. */
import { describe } from 'vitest';
import { doubleInstructions, testDoubles } from './double-vectors.ts';
import { testTies } from './fused-ties.ts';

describe('f32', () => testTies());
describe('f64', () => testDoubles(doubleInstructions));
