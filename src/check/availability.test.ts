/**
 * Tests that special registers and directives are available in the right versions and on the right targets. The
 * expected values were measured with ptxas 13.0.
 */
import { describe, expect, test } from 'vitest';
import { formatVersion, parseVersion, versions } from '../isa/targets.ts';
import { check, type Requirements } from './check.ts';

function codesOf(line: string, version: string, target: string): readonly string[] {
  const size = Number(version) >= 2.3 ? '.address_size 64\n' : '';
  const registers = '.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;';
  const kernel = `.entry k() { ${registers}\n${line}\nret; }\n`;
  const strings = line.includes('.debug_str') ? '.section .debug_str { .b8 0 }\n' : '';
  const text = `.version ${version}\n.target ${target}\n${size}${kernel}${strings}`;
  return check(text)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ code }) => code);
}

/**
 * Each row contains the name of a register, the last version without the register, the first version with it, a target
 * without it, and a target with it.
 */
const registers = [
  ['%laneid', '1.2', '1.3', null, 'sm_10'],
  ['%nwarpid', null, '2.0', 'sm_13', 'sm_20'],
  ['%lanemask_lt', null, '2.0', 'sm_13', 'sm_20'],
  ['%pm4', '2.3', '3.0', null, 'sm_20'],
  ['%globaltimer_lo', '3.0', '3.1', 'sm_20', 'sm_30'],
  ['%total_smem_size', '4.0', '4.1', null, 'sm_20'],
  ['%clock_hi', '4.3', '5.0', null, 'sm_20'],
  ['%reserved_smem_offset_1', '7.5', '7.6', 'sm_75', 'sm_80'],
  ['%cluster_ctarank', null, '7.8', 'sm_89', 'sm_90'],
  ['%clusterid.x', null, '7.8', 'sm_89', 'sm_90'],
  ['%aggr_smem_size', '8.0', '8.1', 'sm_89', 'sm_90'],
] as const;

test.each(registers)('%s is not in %s but in %s, and not on %s but on %s', (name, before, since, without, on) => {
  const line = `mov.u32 %r0, ${name};`;
  expect(codesOf(line, since, on)).toEqual([]);
  if (before !== null) expect(codesOf(line, before, on)).toEqual(['PTX4001']);
  if (without !== null) expect(codesOf(line, since, without)).toEqual(['PTX4002']);
});

test('a special register as a whole has the same requirements as its elements', () => {
  const line = 'mov.v4.u32 {%r0, %r1, %r2, %r3}, %clusterid;';
  expect(codesOf(line, '8.0', 'sm_90')).toEqual([]);
  expect(codesOf(line, '8.0', 'sm_89')).toEqual(['PTX4002']);
});

test('the requirements of a module include those of its special registers', () => {
  const text =
    '.version 9.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 %r; mov.u32 %r, %aggr_smem_size; ret; }';
  const { requirements } = check(text);
  expect(requirements.minimumVersion).toBe('8.1');
  expect(requirements.targets.map(({ target }) => target)).not.toContain('sm_89');
});

describe('directives', () => {
  test.each([
    ['.pragma "used_bytes_mask 0xf";', '8.2', '8.3'],
    ['.pragma "enable_smem_spilling";', '8.6', '8.7'],
    ['.pragma "frequency 3";', '8.8', '9.0'],
    ['.loc 1 4 5 .loc 1 2 3, function_name .debug_str, inlined_at 1 4 5', '6.5', '7.0'],
  ])('%s not in %s, in %s', (line, before, since) => {
    expect(codesOf(line, since, 'sm_75')).toEqual([]);
    expect(codesOf(line, before, 'sm_75')).toEqual(['PTX4001']);
  });

  test('pragmas of unknown origin have no requirements', () => {
    expect(codesOf('.pragma "nounroll";', '2.0', 'sm_20')).toEqual([]);
    expect(codesOf('.pragma "constructor";', '2.0', 'sm_20')).toEqual([]);
  });
});

describe('directives, linkage and attributes of a module', () => {
  /**
   * In each row: an item, the last version without it, the first version with it, a target without it, and a target
   * with it.
   */
  test.each([
    ['.entry f() .maxntid 32 { ret; }', '1.2', '1.3', null, 'sm_10'],
    ['.entry f() .reqntid 32 { ret; }', '2.0', '2.1', null, 'sm_20'],
    ['.entry f(.param .u32 .ptr .global p) { ret; }', '2.1', '2.2', null, 'sm_20'],
    ['.weak .func f() { ret; }', '3.0', '3.1', null, 'sm_20'],
    ['.global .attribute(.managed) .b32 x;', '3.2', '4.0', 'sm_20', 'sm_30'],
    ['.common .global .b32 x;', '4.3', '5.0', null, 'sm_20'],
    ['.entry f() .reqnctapercluster 2 { ret; }', null, '7.8', 'sm_89', 'sm_90'],
    ['.entry f() .explicitcluster { ret; }', null, '7.8', 'sm_89', 'sm_90'],
    ['.global .attribute(.unified(1, 2)) .b32 x;', '7.8', '8.0', 'sm_89', 'sm_90'],
    ['.func f() .abi_preserve 8 { ret; }', '8.8', '9.0', 'sm_75', 'sm_80'],
  ] as const)('%s is not in %s but in %s, and not on %s but on %s', (item, before, since, without, on) => {
    expect(itemCodes(item, since, on)).toEqual([]);
    if (before !== null) expect(itemCodes(item, before, on)).toEqual(['PTX4001']);
    if (without !== null) expect(itemCodes(item, since, without)).toEqual(['PTX4002']);
  });

  test.each([
    ['.entry f() .maxnctapersm 2 { ret; }', '2.1', 'sm_20'],
    ['.tex .u32 t;', '1.5', 'sm_13'],
    ['.const[0] .b32 x;', '2.2', 'sm_20'],
  ])('%s ended with %s', (item, until, target) => {
    const before = versions[versions.indexOf(parseVersion(until)) - 1] ?? 0;
    expect(itemCodes(item, formatVersion(before), target)).toEqual([]);
    expect(itemCodes(item, until, target)).toEqual(['PTX4004']);
  });

  test('.tex can hold handles in every version', () => {
    expect(itemCodes('.tex .u64 t;', '1.4', 'sm_13')).toEqual([]);
    expect(itemCodes('.tex .b32 t;', '1.4', 'sm_13')).toEqual(['PTX5007']);
  });

  /**
   * In each row: a type, the last version in which it cannot be declared, the first version in which it can, a target
   * that does not allow it, and a target that does.
   */
  test.each([
    ['.f16x2', '4.1', '4.2', 'sm_52', 'sm_53'],
    ['.b128', '8.2', '8.3', 'sm_62', 'sm_70'],
  ])('%s cannot be declared in %s but can in %s; it cannot on %s but can on %s', (type, before, since, without, on) => {
    const item = `.func f() { .reg ${type} %x; ret; }`;
    expect(itemCodes(item, since, on)).toEqual([]);
    expect(itemCodes(item, before, on)).toContainEqual(expect.stringMatching(/^PTX400[13]$/));
    expect(itemCodes(item, since, without)).toEqual(['PTX4002']);
    expect(requirementsOf(item, '9.0', on).minimumVersion).toBe(since);
    expect(requirementsOf(item, '9.0', 'sm_90').targets.map(({ target }) => target)).not.toContain(without);
  });

  test('.address_size needs 2.3, and so does a module that contains it', () => {
    expect(itemCodes('.address_size 64', '2.2', 'sm_20')).toEqual(['PTX4001']);
    expect(itemCodes('.address_size 64', '2.3', 'sm_20')).toEqual([]);
    expect(requirementsOf('.address_size 64', '4.0', 'sm_20').minimumVersion).toBe('2.3');
  });

  test.each([
    [4352, '8.0', 'sm_70', []],
    [4353, '8.0', 'sm_70', ['PTX5025']],
    [4353, '8.1', 'sm_62', ['PTX5025']],
    [4353, '8.1', 'sm_70', []],
    [32_764, '8.1', 'sm_70', []],
    [32_765, '8.1', 'sm_70', ['PTX5025']],
  ])('%i bytes of parameters in %s on %s give %j', (bytes, version, target, codes) => {
    expect(itemCodes(kernelWith(bytes), version, target)).toEqual(codes);
  });

  test('the requirements of a module include the size of its parameters', () => {
    expect(requirementsOf(kernelWith(4352), '9.0', 'sm_70').minimumVersion).toBe('5.1');
    expect(requirementsOf(kernelWith(4353), '9.0', 'sm_70').minimumVersion).toBe('8.1');
  });

  function kernelWith(bytes: number): string {
    return `.entry k(.param .b8 p[${bytes}]) { ret; }`;
  }

  function requirementsOf(item: string, version: string, target: string): Requirements {
    return check(`.version ${version}\n.target ${target}\n${item}\n`).requirements;
  }

  function itemCodes(item: string, version: string, target: string): readonly string[] {
    const { diagnostics } = check(`.version ${version}\n.target ${target}\n${item}\n`);
    return diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  }
});
