/**
 * Sums that can be rounded a second time without a double-rounding error. A sum that f32 cannot represent exactly is
 * replaced by whichever neighboring f32 value is odd. Rounding this value to a format with at least two bits fewer
 * produces the same result as rounding the exact sum (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
 * sums", 2008).
 */
import { plainMode } from '../../../numerics/operations.ts';
import type { Ref } from '../../steps/ref.ts';
import type { ValueStep } from '../../steps/value.ts';
import { bits, constant, extract, integer, select } from '../integer/steps.ts';

function float(fn: 'add' | 'sub', to: Ref, a: Ref, b: Ref): ValueStep {
  return { kind: 'float', fn, format: 'f32', mode: plainMode, to, from: [a, b] };
}

/** Computes `a + b`, rounded to odd. `of` returns the names of intermediate values. */
export function sumToOdd(to: Ref, a: Ref, b: Ref, of: (name: Ref) => Ref): readonly ValueStep[] {
  const [sum, error] = [of('$sum'), of('$error')];
  return [
    float('add', sum, a, b),
    ...errorOfSum(error, sum, a, b, of),
    constant('$zero', 0),
    { kind: 'compare', comparison: 'ne', type: 'f32', flush: false, to: of('$inexact'), from: [error, '$zero'] },
    extract(of('$odd'), sum, 0, 1),
    bits('not', 1, of('$even'), of('$odd')),
    bits('and', 1, of('$moves'), of('$inexact'), of('$even')),
    // Adding 1 to the bits of a float increases its magnitude.
    bits('xor', 32, of('$signs'), sum, error),
    extract(of('$differs'), of('$signs'), 31, 1),
    constant('$up', 1),
    constant('$down', -1),
    select(of('$distance'), of('$differs'), '$down', '$up'),
    integer('add', 'u32', of('$neighbor'), sum, of('$distance')),
    select(to, of('$moves'), of('$neighbor'), sum),
  ];
}

/** Computes the exact difference between `a + b` and its rounded value `sum` (Knuth's algorithm TwoSum). */
function errorOfSum(to: Ref, sum: Ref, a: Ref, b: Ref, of: (name: Ref) => Ref): readonly ValueStep[] {
  return [
    float('sub', of('$b.rounded'), sum, a),
    float('sub', of('$a.rounded'), sum, of('$b.rounded')),
    float('sub', of('$b.lost'), b, of('$b.rounded')),
    float('sub', of('$a.lost'), a, of('$a.rounded')),
    float('add', to, of('$a.lost'), of('$b.lost')),
  ];
}
