/** The bits of float constants, as ptxas 13.0 writes them into machine code. */
import { expect, test } from 'vitest';
import { hex } from '../../base/bits.ts';
import { typeOf, type TypeName } from '../../isa/types.ts';
import { parseInstruction } from '../../syntax/parser.ts';
import { floatBits } from './constant-bits.ts';

test.each<[text: string, type: TypeName, bits: string]>([
  ['0f3F800000', '.f32', '3f800000'],
  ['0f7F800001', '.f32', '7f800001'],
  ['0f3F800000', '.f64', '000000003f800000'],
  ['0f7F800001', '.f64', '000000007f800001'],
  ['0d3FF8000000000000', '.f64', '3ff8000000000000'],
  ['0d3FF8000000000000', '.f32', '3fc00000'],
  ['0d3FF8000000000000', '.b32', '00000000'],
  ['0d7FF0000020000000', '.f32', '7fc00001'],
  ['0dFFF0000000000001', '.f32', 'ffc00000'],
  ['0d7FF0000000000000', '.f32', '7f800000'],
  ['1.1', '.f32', '3f8ccccd'],
  ['1e40', '.f32', '7f800000'],
])('%s as %s is %s', (text, type, bits) => {
  const operand = parseInstruction(`mov.b64 d, ${text};`).instruction?.operands[1];
  if (operand?.kind !== 'float') throw new Error('a float constant');
  expect(hex(floatBits(typeOf(type), operand), typeOf(type).width)).toBe(bits);
});
