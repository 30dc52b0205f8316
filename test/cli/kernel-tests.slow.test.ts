/** Tests `ptxlab test`: the suite in `examples`, tolerances, reference functions, formats, and invalid suites. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { SaxesParser } from 'saxes';
import { afterAll, describe, expect, test } from 'vitest';
import { mistakeIn } from '../../src/base/rules.ts';
import { compareElements, type Tolerance } from '../../src/cli/test/compare.ts';
import { suiteRule } from '../../src/cli/test/suite-rules.ts';
import { renderJUnit } from '../../src/diagnostics/renderers/junit.ts';
import type { FormatName } from '../../src/numerics/formats.ts';
import { readNpy } from '../../src/tensors/npy/npy.ts';
import { ptxlab, put, root, scratch, spawned } from './ptxlab.ts';

const folder = scratch();
afterAll(() => rmSync(folder, { recursive: true }));

const examples = join(root, 'examples/tests/kernels.ptxtest.json');

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

function objectAt(value: unknown, ...path: readonly string[]): object {
  const found = path.reduce<unknown>((one, key) => Reflect.get(Object(one), key), value);
  return Object(found);
}

/** Returns the elements of an XML document, in the order of their opening tags; throws if the document is malformed. */
function elementsIn(xml: string): readonly Element[] {
  const parser = new SaxesParser();
  const found: Element[] = [];
  const open: Element[] = [];
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, text: '' };
    found.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
  return found;
}

describe('the suite of the examples', () => {
  test('passes for three GPUs, except for the planted bug; the report is JUnit', async () => {
    const { code, stdout } = await ptxlab(['test', examples, '--format', 'junit']);
    const elements = elementsIn(stdout);
    const cases = elements.filter(({ name }) => name === 'testcase');
    const failures = elements.filter(({ name }) => name === 'failure');
    expect(code).toBe(1);
    expect(cases).toHaveLength(14 * 3);
    expect(elements[0]).toMatchObject({ name: 'testsuites', attributes: { tests: '42', failures: '3', errors: '0' } });
    expect(failures.map(({ attributes }) => attributes['message'])).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/^y\[99\]: got 0 .*, expected 200 /)),
    );
    expect(failures[0]?.text).toContain('1 of 100 f32 elements differ');
  });

  test('follows the published schema', () => {
    const schema: unknown = JSON.parse(readFileSync(join(root, 'schemas/ptxtest.schema.json'), 'utf8'));
    const validate = new Ajv({ allowUnionTypes: true }).compile(Object(schema));
    expect([validate(JSON.parse(readFileSync(examples, 'utf8'))), validate.errors]).toEqual([true, null]);
    expect(validate({ tests: [{ name: 'a', gird: 1 }] })).toBe(false);
  });

  test.each(['', 'tests'])('has the keys of the schema, in "%s"', (list) => {
    const schema: unknown = JSON.parse(readFileSync(join(root, 'schemas/ptxtest.schema.json'), 'utf8'));
    const keys = objectAt(schema, ...(list === '' ? ['properties'] : ['$defs', 'test', 'properties']));
    const mistake = mistakeIn(list === '' ? { unknown: 1 } : { tests: [{ unknown: 1 }] }, suiteRule);
    const known = mistake?.words.replace(/.*it has /, '').split(', ') ?? [];
    expect(known.toSorted()).toEqual(Object.keys(keys).toSorted());
  });

  test.each([
    ['argument', (given: object) => given],
    ['tensorMap', (given: object) => ({ tensorMap: given })],
    ['struct', (given: object) => ({ struct: given })],
    ['structPart', (given: object) => ({ struct: { parts: [given] } })],
    ['texture', (given: object) => ({ texture: given })],
    ['surface', (given: object) => ({ surface: given })],
    ['sampler', (given: object) => ({ sampler: given })],
  ])('has the keys of the schema, in "%s" of an argument', (definition, argumentWith) => {
    const schema: unknown = JSON.parse(readFileSync(join(root, 'schemas/ptxtest.schema.json'), 'utf8'));
    const keys = objectAt(schema, '$defs', definition, 'properties');
    const mistake = mistakeIn({ tests: [{ args: [argumentWith({ unknown: 1 })] }] }, suiteRule);
    const known = mistake?.words.replace(/.*it has /, '').split(', ') ?? [];
    expect(known.toSorted()).toEqual(Object.keys(keys).toSorted());
  });

  test('is a table of 80 columns', async () => {
    const { stdout } = await ptxlab(['test', examples, '--filter', 'double*']);
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
    expect(stdout).toContain('FAIL   double, with a planted bug [H100]');
    expect(stdout).toMatch(/\n\n0 passed, 3 failed\n$/);
  });

  test('is TAP and JSON', async () => {
    const args = ['test', examples, '--filter', 'recursion', '--format'];
    expect((await ptxlab([...args, 'tap'])).stdout).toMatch(/^TAP version 14\n1\.\.3\nok 1 - .*: recursion \[H100\]\n/);
    const { code, stdout } = await ptxlab([...args, 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, tests: [{ name: 'recursion', gpu: 'H100' }, {}, {}] });
  });
});

/**
 * Creates a suite in a separate folder. Its only test runs a kernel that doubles the values in `x` and writes them to
 * `y`.
 */
function suite(name: string, changes: object, file = 'a.ptxtest.json'): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  copyFileSync(join(root, 'examples/tests/double.ptx'), join(place, 'double.ptx'));
  const one = {
    name: 'double',
    ptx: 'double.ptx',
    buffers: { x: { ramp: { count: 4 } }, y: { f32: [0, 0, 0, 6] } },
    block: 4,
    args: [{ buffer: 'x' }, { buffer: 'y' }, { u32: 4 }],
    expect: { y: { f32: [0, 2, 4, 6] } },
    ...changes,
  };
  const text = JSON.stringify({ tests: [one] });
  return put(place, file, file.endsWith('.mjs') ? `export default ${text};` : text);
}

test.each(['table', 'tap'])('control characters in a name are made visible in the format %s', async (format) => {
  const path = suite(`visible-${format}`, { name: 'a\u001b[31mb\nok 4 - c' });
  const { stdout } = await ptxlab(['test', path, '--format', format]);
  expect(stdout).toContain('a␛[31mb␊ok 4 - c');
  expect(stdout).not.toContain('\u001b[31m');
});

async function run(path: string, ...flags: readonly string[]): Promise<readonly [code: number | null, text: string]> {
  const { code, stdout, stderr } = await ptxlab(['test', path, ...flags]);
  return [code, stdout + stderr];
}

describe('what is expected', () => {
  test.each<readonly [string, object]>([
    ['a list', {}],
    ['generated values', { expect: { y: { ramp: { count: 4, step: 2 } } } }],
    ['bytes', { expect: { y: { hex: '00000000000000400000804000 00c040'.replace(' ', '') } } }],
    ['a tolerance', { expect: { y: { f32: [0, 2, 4, 6.000001], tolerance: { ulps: 2 } } } }],
    ['no races alone', { expect: {}, races: 'strict' }],
    ['a tolerance of all expectations', { tolerance: { abs: 1 }, expect: { y: { f32: [0.5, 2.5, 4, 6] } } }],
  ])('is %s', async (_, changes) => {
    expect(await run(suite('is', changes))).toEqual([0, expect.stringContaining('1 passed')]);
  });

  test.each<readonly [string, object, string]>([
    ['a wrong element', { expect: { y: { f32: [0, 2, 5, 6] } } }, 'y[2]: got 4 (0x40800000), expected 5 (0x40a00000)'],
    ['another length', { expect: { y: { f32: [0, 2] } } }, 'y has 16 bytes; 8 are expected'],
    ['a fault', { fault: 'PTX6001', expect: {} }, 'expected fault PTX6001, but the kernels ended without a fault'],
    ['a text', { prints: 'done\n' }, "printed line 1: got '', expected 'done'"],
    [
      'no races',
      { ptx: join(root, 'examples/kernels/reverse_sm75.ptx'), block: 64, races: 'report' },
      'race PTX6038: variable',
    ],
    ['too small a buffer', { buffers: { x: { zeros: 4 }, y: { zeros: 16 } } }, 'fault PTX6001'],
    ['a module with errors', { ptx: undefined, source: '.version 8.0\n.target sm_80\n;' }, 'PTX'],
  ])('is not met: %s', async (_, changes, message) => {
    const [code, text] = await run(suite('not', changes));
    expect([code, text.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
  });

  test('comes from a function of a module', async () => {
    const path = suite('function', { expect: { y: { function: 'reference.mjs#twice' } } });
    put(join(folder, 'function'), 'reference.mjs', 'export const twice = ({ x }) => x.map((value) => 2 * value);');
    expect(await run(path)).toEqual([0, expect.stringContaining('1 passed')]);
  });

  test('is a fault and the text printed before it', async () => {
    const small = { buffers: { x: { zeros: 4 }, y: { zeros: 16 } }, expect: {}, fault: 'PTX6001' };
    expect(await run(suite('faulted', small))).toEqual([0, expect.stringContaining('1 passed')]);
    const [code, text] = await run(suite('faulted', { ...small, prints: 'never\n' }));
    expect([code, text]).toEqual([1, expect.stringContaining("printed line 1: got '', expected 'never'")]);
  });

  test('comes from a function whose log goes to stderr', async () => {
    const path = suite('log', { expect: { y: { function: 'reference.mjs#twice' } } });
    const code = 'export const twice = ({ x }) => { console.log("LOG"); return x.map((value) => 2 * value); };';
    put(join(folder, 'log'), 'reference.mjs', code);
    const { stdout, stderr } = await ptxlab(['test', path, '--format', 'junit']);
    expect(stdout).toMatch(/^<\?xml/);
    expect(stderr).toBe('LOG\n');
  });

  test('comes from a command that reads and writes .npy files', async () => {
    const program = "const fs = require('fs'); fs.copyFileSync(process.argv[1], process.argv[2])";
    const command = [process.execPath, '-e', program, '{want}', '{out}'];
    const want = { f32: [0, 2, 4, 6] };
    const buffers = { x: { ramp: { count: 4 } }, y: { f32: [0, 0, 0, 6] }, want };
    expect(await run(suite('command', { buffers, expect: { y: { command } } }))).toEqual([
      0,
      expect.stringContaining('1 passed'),
    ]);
  });

  test('is in a file that --update writes, one for each GPU', async () => {
    const path = suite('update', {
      gpus: ['A100', 'H100'],
      expect: { y: { file: 'y.{gpu}.npy', type: 'f32' } },
    });
    expect((await run(path))[0]).toBe(2);
    expect(await run(path, '--update')).toEqual([0, expect.stringContaining('wrote y.A100.npy')]);
    const array = readNpy(readFileSync(join(folder, 'update/y.H100.npy')));
    expect(array).toMatchObject({ ok: true, value: { type: 'f4', shape: [4] } });
    expect(existsSync(join(folder, 'update/y.A100.npy'))).toBe(true);
    expect((await run(path))[0]).toBe(0);
  });

  test('is in a file of a folder that --update creates', async () => {
    const path = suite('folders', { gpus: ['A100'], expect: { y: { file: 'wanted/{gpu}/y.npy', type: 'f32' } } });
    expect((await run(path, '--update'))[0]).toBe(0);
    expect((await run(path))[0]).toBe(0);
  });

  test.each(['double.ptx', 'a.ptxtest.json', 'x.bin'])('is not in %s, which the test reads', async (file) => {
    const x = { file: 'x.bin' };
    const path = suite('own', { buffers: { x, y: { zeros: 16 } }, expect: { y: { file } } });
    put(join(folder, 'own'), 'x.bin', Buffer.from(Float32Array.of(0, 1, 2, 3).buffer));
    const before = readFileSync(join(folder, 'own', file));
    const [code, text] = await run(path, '--update');
    expect([code, text.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining('are the same file')]);
    expect(readFileSync(join(folder, 'own', file))).toEqual(before);
  });
});

describe('a reference function that', () => {
  /** A suite whose first and last tests pass; the expected contents for the second test are computed by `code`. */
  function suiteWith(name: string, code: string): string {
    const path = suite(name, {});
    const { tests }: { tests: readonly [object] } = JSON.parse(readFileSync(path, 'utf8'));
    const odd = { ...tests[0], name: 'odd', expect: { y: { function: 'reference.mjs#odd' } } };
    put(join(folder, name), 'reference.mjs', `export const odd = ${code};`);
    return put(
      join(folder, name),
      'a.ptxtest.json',
      JSON.stringify({ tests: [...tests, odd, { ...tests[0], name: 'z' }] }),
    );
  }

  test('throws is an error of its test', async () => {
    const [code, text] = await run(suiteWith('throws', '() => { throw new RangeError("boom"); }'));
    expect(code).toBe(2);
    expect(text).toContain('threw RangeError: boom');
    expect(text).toContain('2 passed');
  });

  test('never settles is an error of its test', async () => {
    const { code, stdout } = await spawned(['test', suiteWith('never', '() => new Promise(() => {})')]);
    expect(code).toBe(2);
    expect(stdout).toContain('waits for a promise that never settles');
    expect(stdout).toContain('2 passed');
  });

  test('ends the process makes it exit with 2', async () => {
    const { code, stderr } = await spawned(['test', suiteWith('ends', '() => process.exit(0)')]);
    expect([code, stderr]).toEqual([2, 'ptxlab: code of a suite ended the process, so there is no report\n']);
  });
});

test('a suite that waits for a promise that never settles exits with 2', async () => {
  mkdirSync(join(folder, 'waits'));
  const path = put(join(folder, 'waits'), 'a.ptxtest.mjs', 'await new Promise(() => {}); export default {};');
  const { code, stderr } = await spawned(['test', path]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('waits for a promise that never settles')]);
});

test('a suite may begin with a byte order mark', async () => {
  const path = suite('mark', {});
  put(join(folder, 'mark'), 'a.ptxtest.json', `\uFEFF${readFileSync(path, 'utf8')}`);
  expect((await run(path))[0]).toBe(0);
});

test('a suite is also a module', async () => {
  expect(await run(suite('module', {}, 'b.ptxtest.mjs'))).toEqual([0, expect.stringContaining('1 passed')]);
});

test.each<readonly [string, object, string]>([
  ['an unknown key', { gird: 1 }, "tests[0]: has no key 'gird'"],
  ['an unknown GPU', { gpus: ['Voodoo'] }, 'Voodoo'],
  ['a missing name', { name: undefined }, 'tests[0].name: is missing'],
  ['nothing expected', { expect: {} }, "needs 'expect', 'prints', 'fault' or 'races'"],
  ['two tolerances', { tolerance: { ulps: 1, abs: 1 }, expect: { y: { f32: [0, 2, 4, 7] } } }, 'not both'],
  ['a fault and results', { fault: 'PTX6001' }, "has both 'fault' and 'expect'"],
  ['an empty command', { expect: { y: { command: [] } } }, 'expect.y.command: needs the name of a program'],
  ['a missing file', { expect: { y: { file: 'missing.npy' } } }, 'missing.npy'],
])('a mistake exits with 2: %s', async (_, changes, message) => {
  const [code, text] = await run(suite('mistake', changes));
  expect([code, text.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(message)]);
});

test('no suite, and no test that matches, exit with 2', async () => {
  mkdirSync(join(folder, 'empty'));
  expect((await run(join(folder, 'empty')))[0]).toBe(2);
  expect(await run(examples, '--filter', 'nothing')).toEqual([2, "ptxlab: no test matches 'nothing'\n"]);
});

describe('tolerances', () => {
  const bytes = (...words: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);
  test.each<readonly [FormatName, number, number, Tolerance, boolean]>([
    ['f32', 0x3f800000, 0x3f800002, { kind: 'ulps', most: 2 }, true],
    ['f32', 0x3f800000, 0x3f800003, { kind: 'ulps', most: 2 }, false],
    ['f32', 0x80000001, 0x00000001, { kind: 'ulps', most: 2 }, true],
    ['f32', 0x7fc00000, 0xffc00001, { kind: 'ulps', most: 0 }, true],
    ['f32', 0x7fc00000, 0xffc00001, { kind: 'exactly' }, false],
    ['f32', 0x7f800000, 0x7f7fffff, { kind: 'absolute and relative', abs: 1, rel: 0 }, false],
    ['f32', 0x42c80000, 0x42ca0000, { kind: 'absolute and relative', abs: 0, rel: 0.01 }, true],
    ['f16', 0x3c00_3c00, 0x3c01_3c00, { kind: 'ulps', most: 1 }, true],
    ['e4m3', 0x38383838, 0x3a383838, { kind: 'ulps', most: 1 }, false],
    ['s32', 0xffffffff, 0x00000001, { kind: 'ulps', most: 2 }, true],
    ['u32', 0xffffffff, 0x00000001, { kind: 'ulps', most: 2 }, false],
  ])('%s: 0x%x and 0x%x within %o: %s', (format, got, expected, tolerance, isWithin) => {
    expect(compareElements(bytes(got), bytes(expected), format, tolerance) === null).toBe(isWithin);
  });
});

test('JUnit reports escape what XML reserves or cannot contain', () => {
  const name = 'a<b & "c" \u0001 \ud800';
  const xml = renderJUnit([{ name, cases: [] }]);
  expect(elementsIn(xml)[1]?.attributes['name']).toBe('a<b & "c" \ufffd \ufffd');
});
