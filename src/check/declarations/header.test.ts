/** Module headers; each case lists the codes of the errors that ptxas 13.0 reports. */
import { expect, test } from 'vitest';
import { check } from '../check.ts';

const cases: readonly (readonly [header: string, codes: readonly string[]])[] = [
  ['.version 8.0\n.target sm_90\n.address_size 64', []],
  ['.version 8.0\n.target sm_90\n.address_size 0x20', []],
  ['.version 8.0\n.target sm_90\n.address_size 7', ['PTX4019']],
  ['.version 8.0\n.target sm_90\n.address_size 0', ['PTX4019']],
  ['.version 8.0\n.target sm_90, texmode_unified, texmode_unified', []],
  ['.version 8.0\n.target sm_90, texmode_unified, texmode_independent', ['PTX4017']],
  ['.version 8.0\n.target sm_90, texmode_unified\n.target sm_90, texmode_independent', ['PTX4017']],
  ['.version 8.0\n.target sm_90\n.target texmode_unified', []],
  ['.version 8.0\n.target texmode_unified', ['PTX4016']],
  ['.version 8.0\n.target texmode_unified, sm_90', ['PTX4016']],
  ['.version 8.0\n.target sm_90, map_f64_to_f32', ['PTX4002']],
  ['.version 1.4\n.target sm_12, map_f64_to_f32', []],
  ['.version 1.4\n.target sm_13, map_f64_to_f32', ['PTX4002']],
  ['.version 1.4\n.target sm_13, texmode_independent', ['PTX4001']],
  ['.version 2.3\n.target sm_20, debug\n.section .debug_info { .b8 0 }', ['PTX4001']],
  ['.version 8.0\n.target sm_90, debug\n.address_size 64', ['PTX4020']],
  ['.version 8.0\n.target sm_90, debug\n.file 1 "a.cu"', ['PTX4020']],
  ['.version 8.0\n.target sm_90, debug\n.section .debug_info { .b8 0 }', []],
  ['.version 8.0\n.target sm_90, debug\n@@DWARF .byte 0x2b', []],
  ['.version 8.0\n.target sm_90, foo', ['PTX4012']],
  ['.version 8.0\n.target compute_90a', []],
  ['.version 8.0\n.target compute_91', ['PTX4012']],
  ['.version 7.7\n.target sm_90, sm_80', ['PTX4013']],
  ['.version 7.7\n.target sm_90\n.target sm_80', ['PTX4013']],
  ['.version 7.99\n.target sm_90', ['PTX4010']],
  ['.version 7.7\n.target sm_90', ['PTX4013']],
];

test.each(cases)('%j: %j', (header, codes) => {
  const errors = check(`${header}\n`).diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code }) => code)).toEqual(codes);
});

/** If there are several architectures, the last one applies. */
const targets: readonly (readonly [header: string, target: string])[] = [
  ['.version 8.0\n.target compute_90a', 'sm_90a'],
  ['.version 8.0\n.target sm_90, sm_80', 'sm_80'],
  ['.version 8.0\n.target sm_80, texmode_unified, sm_90', 'sm_90'],
  ['.version 8.0\n.target sm_75\n.target sm_80', 'sm_80'],
];

test.each(targets)('%j is for %s', (header, target) => {
  expect(check(`${header}\n`).requirements.target).toBe(target);
});

const warned: readonly (readonly [header: string, codes: readonly string[]])[] = [
  ['.version 8.0\n.target sm_75\n.address_size 32', ['PTX4021']],
  ['.version 8.0\n.target sm_90', []],
  ['.version 8.0\n.target sm_75\n.address_size 64', []],
  ['.version 6.0\n.target sm_70\n.address_size 32', []],
  ['.version 2.0\n.target sm_20', []],
];

test.each(warned)('%j warns: %j', (header, codes) => {
  const warnings = check(`${header}\n`).diagnostics.filter(({ severity }) => severity === 'warning');
  expect(warnings.map(({ code }) => code)).toEqual(codes);
});
