/** The functions for which WebAssembly has no floating-point instruction. */
import type { FloatFunction } from '../../numerics/operations.ts';

export type Elementary = FloatFunction & ('sin' | 'cos' | 'lg2' | 'ex2' | 'tanh');

export function isElementary(fn: FloatFunction): fn is Elementary {
  return fn === 'sin' || fn === 'cos' || fn === 'lg2' || fn === 'ex2' || fn === 'tanh';
}
