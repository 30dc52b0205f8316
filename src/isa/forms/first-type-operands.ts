/** The operands of forms in which the first type is that of the result and of all sources. */
import { read, type ValuePattern, write } from '../operand-patterns.ts';

export const d: ValuePattern = write('d', 0);
export const a: ValuePattern = read('a', 0);
export const b: ValuePattern = read('b', 0);
export const c: ValuePattern = read('c', 0);
