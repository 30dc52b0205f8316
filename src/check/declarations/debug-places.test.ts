/** Debugging sections, and the names in them to which `.loc` refers; the verdicts are those of ptxas 13.0. */
import { expect, test } from 'vitest';
import { check } from '../check.ts';

const sections: readonly (readonly [version: string, sections: string, ...codes: readonly string[]])[] = [
  ['8.0', '.section .debug_str { a: .b8 1 a: .b8 2 }', 'PTX5005'],
  ['8.0', '.section .debug_str { a: .b8 1 }\n.section .debug_info { a: .b8 2 }', 'PTX5005'],
  ['7.0', '.section .debug_str { a: a: a: }', 'PTX5005', 'PTX5005'],
  ['8.0', '.global .b32 a;\n.section .debug_str { a: b: .b8 1 k: }'],
  ['8.0', '.section .debug_str { a: .b8 1 }\n.section .debug_str { b: .b8 1 }'],
  ['3.1', '.section .debug_info { .b32 k+4 }', 'PTX4001'],
  ['2.0', '.section .debug_info { .b64 .debug_str+4 }', 'PTX4001'],
  ['3.1', '.section .debug_info { .b32 k }'],
  ['3.2', '.section .debug_info { .b32 k+4 .b64 .debug_str+4 }'],
];

const moduleOf = (version: string, items: string): string =>
  `.version ${version}\n.target sm_20\n${items}\n.entry k() { ret; }\n`;

test.each(sections)('%s: %s', (version, items, ...codes) => {
  const { diagnostics } = check(moduleOf(version, items));
  expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(codes);
});

const inlined: readonly (readonly [name: string, sections: string, ...codes: readonly string[]])[] = [
  ['.debug_str', ''],
  ['.debug_str+4', ''],
  ['.debug_info', '', 'PTX5030'],
  ['a', '.section .debug_str { a: .b8 1 }'],
  ['b', '.section .debug_str { a: .b8 1 }', 'PTX5030'],
];

test.each(inlined)('the name of an inlined function at %s, with %s', (name, items, ...codes) => {
  const locations = `.loc 1 1 1\n.loc 1 2 1, function_name ${name}, inlined_at 1 1 1`;
  const text = `.version 8.0\n.target sm_80\n.address_size 64\n.file 1 "a.cu"\n.entry k() {\n${locations}\nret;\n}\n${items}\n`;
  expect(check(text).diagnostics.map(({ code }) => code)).toEqual(codes);
});
