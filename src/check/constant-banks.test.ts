/** Constant banks; the verdicts are those of ptxas 13.0. */
import { describe, expect, test } from 'vitest';
import { check } from './check.ts';

type Cases = readonly (readonly [declaration: string, instruction: string, ...codes: readonly string[]])[];

function codesOf(version: string, declaration: string, instruction: string): readonly string[] {
  const target = Number(version) < 2 ? 'sm_13' : 'sm_20';
  const text = `.version ${version}\n.target ${target}\n${declaration}\n.entry k() {\n.reg .b32 %r<3>;\n${instruction}\nret;\n}\n`;
  return check(text).diagnostics.map(({ code }) => code);
}

const cases: Readonly<Record<string, Cases>> = {
  '1.4': [
    ['.const[0] .b32 x[4];', 'ld.const[0].b32 %r1, [x];'],
    ['.extern .const[2] .b32 x[];', '', 'PTX4001'],
    ['.const .b32 x;', 'ld.const[2].b32 %r1, [x];', 'PTX4001'],
    ['.extern .const .b32 x[];', '', 'PTX5007'],
  ],
  '2.1': [
    ['.const[0] .b32 x[4];', 'ld.const[0].b32 %r1, [x];'],
    ['.extern .const[10] .b32 x[];', 'ld.const[10].v2.b32 {%r1, %r2}, [x+8];'],
    ['.extern .const[2] .align 8 .v2 .f32 x[], y[0];', 'ld.b32.const[3] %r1, [%r2];'],
    ['.extern .const[2] .b32 x[][4];', ''],
    ['.const[2] .b32 x[4];', '', 'PTX5007'],
    ['.extern .const[2] .b32 x[4];', '', 'PTX5007'],
    ['.extern .const[2] .b32 x;', '', 'PTX5007'],
    ['.extern .const[11] .b32 x[];', '', 'PTX5007'],
    ['.extern .const[0] .b32 x[];', '', 'PTX5007'],
    ['.extern .const .b32 x[];', '', 'PTX5007'],
    ['.extern .const .b32 x[4];', ''],
    ['', '.const[2] .b32 x[4];', 'PTX5007'],
    ['.const .b32 x;', 'ld.const[11].b32 %r1, [x];', 'PTX5007'],
    ['.const .b32 x;', 'ld.global[1].b32 %r1, [x];', 'PTX1001'],
    ['.const .b32 x;', 'st.const[1].b32 [x], %r1;', 'PTX5012'],
  ],
  '2.2': [
    ['.const[0] .b32 x[4];', '', 'PTX4004'],
    ['.extern .const[2] .b32 x[];', '', 'PTX4004'],
    ['.const .b32 x;', 'ld.const[0].b32 %r1, [x];', 'PTX4004'],
    ['.const .b32 x;', 'ld.const[12].b32 %r1, [x];', 'PTX4004'],
    ['.extern .const .b32 x[];', ''],
  ],
};

describe.each(Object.entries(cases))('in PTX %s', (version, declarations) => {
  test.each(declarations)('%s %s', (declaration, instruction, ...codes) => {
    expect(codesOf(version, declaration, instruction)).toEqual(codes);
  });
});

test('lines that differ only in the bank do not share a verdict', () => {
  const kernel = (name: string, bank: number): string =>
    `.entry ${name}() {\n.reg .b32 %r<3>;\n${`ld.const[${bank}].b32 %r1, [%r2];\n`.repeat(30)}ret;\n}\n`;
  const { diagnostics } = check(`.version 2.1\n.target sm_20\n${kernel('k', 2)}${kernel('l', 3)}${kernel('m', 11)}`);
  expect(diagnostics.map(({ code }) => code)).toEqual(Array.from({ length: 30 }, () => 'PTX5007'));
});
