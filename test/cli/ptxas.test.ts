/**
 * Tests the stand-in for ptxas, which accepts the same command lines as ptxas 13.0 and produces the same messages and
 * exit codes.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { built, type Outcome, ptxlab, put, scratch, spawned } from './ptxlab.ts';

const folder = scratch();
afterAll(() => rmSync(folder, { recursive: true }));

interface Parts {
  readonly version?: string;
  readonly target?: string;
  readonly before?: string;
  readonly body?: string;
}

function module({ version = '8.0', target = 'sm_80', before = '', body = 'mov.u32 %r1, 5;' }: Parts = {}): string {
  return `.version ${version}\n.target ${target}\n.address_size 64\n${before}\n.visible .entry k() {\n.reg .b32 %r<3>;\n${body}\nret;\n}\n`;
}

const external = { before: '.extern .func foo;', body: 'call foo;' };
const files: Readonly<Record<string, string>> = {
  ok: module(),
  bad: module({ body: 'mov.u7 %r1, 5;' }),
  unfinished: module({ body: 'mov.u32 %r1, 5\nmov.u32 %r1, %r9;' }),
  open: module({ body: 'bra L;\nmov.u32 %r1 5;' }),
  newer: module({ target: 'sm_90' }),
  exact: module({ target: 'sm_90a' }),
  renamed: module({ version: '8.6', target: 'sm_101a' }),
  family: module({ version: '8.8', target: 'sm_100f' }),
  function: module(external),
  forward: module({ ...external, before: '.func foo;' }),
  variable: module({ before: '.extern .global .u32 v;', body: 'st.global.u32 [v], %r1;' }),
  announced: module({ before: '.func foo;' }),
  array: module({ before: '.extern .global .u32 v[];' }),
  definition: '.version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 v[3];\n',
  unused: module({ before: '.extern .const .u32 v[2];\n.extern .shared .u32 w;\n.extern .shared .u32 x[];' }),
  unified: module({ target: 'sm_90', before: '.global .attribute(.unified(1, 2)) .u32 v;' }),
  constants: module({ before: '.const .b8 c[70000];' }),
  parameters: '.version 8.1\n.target sm_80\n.address_size 64\n.entry k(.param .b8 p[32765]) { ret; }\n',
  shared: module({ before: '.shared .b8 s[60000];', body: 'st.shared.u32 [s], %r1;' }),
  unknown: module({
    version: '9.3',
    target: 'sm_100a',
    body: 'fabric.submit;',
  }),
  warpgroup: module({
    version: '8.2',
    target: 'sm_90a',
    body: '.reg .b64 %d<2>; .reg .pred %p<1>;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%r0, %r1, %r2, %r2}, %d0, %d1, %r1, 0, %p0;',
  }),
  votes: module({
    version: '6.0',
    target: 'sm_30',
    body: '.reg .pred %p<2>;\nvote.all.pred %p0, %p1;\nvote.ballot.b32 %r0, %p1;',
  }),
  old: module({ version: '3.0', target: 'sm_30', body: 'shfl.up.b32 %r0, %r1, 1, 0;' }),
  located: module({ body: '.loc 1 2 3\nmov.u32 %r1, 5;' }),
  halfFilled: module({ body: '.reg .f64 %d;\nmov.f64 %d, 0f3F800000;' }),
  spaceless: module({ body: '.u32 %q;' }),
  typed: module({ body: '.u32\nadd.u32 %r1, %r1, %r2;' }),
  cut: module({ body: 'bra L;\n}\n.u32 %q;' }),
  pointer: module({ body: 'ld.global.b32 %r0, [%r1];' }),
  narrow: module({ body: '.reg .b16 %h;\nld.shared.b32 %r0, [%h];' }),
  unsized: '.version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<2>; ld.global.b32 %r0, [%r1]; ret; }\n',
  empty: '',
  headless: '\n.target sm_80\n.address_size 64\n',
  broken: '.version\n8.0\n.target sm_80\n.address_size 64\n',
  targetless: '.version 8.0\n\n.b32 sm_80\n.address_size 64\n',
  part: module({ body: 'mov.u32 %r1, %r2.f32\nmov.u32 %r1, 5;' }),
  selected: module({ body: 'mov.u32 %r1, %r2.b0\nmov.u32 %r1, 5;' }),
  label: module({ body: 'bra L.f32;\nmov.u32 %r1 5;' }),
  list: module({ body: 'fence.proxy.alias {%r1, %r2}\n\nmov.u32 %r1, 5;' }),
  early: module({ version: '7.4', target: 'sm_89', body: 'mov.u32 %r1 5;' }),
  stray: module({ body: 'mov.u32 %r1, 5;.s8\nret;' }),
};
for (const [name, text] of Object.entries(files)) put(folder, `${name}.ptx`, text);

/** The warnings about variables that no module defines. */
const warnings = (...names: readonly string[]): readonly string[] =>
  names.map(
    (name) =>
      `ptxas warning : Unresolved extern variable '${name}' in whole program compilation, ignoring extern qualifier`,
  );
put(folder, 'options.txt', '-arch sm_80 "-o" /dev/null');

/**
 * Runs a command line in which names such as `ok` stand for the paths of test files. In messages, the names replace the
 * paths.
 */
async function run(line: string): Promise<Outcome> {
  const args = line.split(' ').map((word) => (word in files || word === 'options.txt' ? pathOf(word) : word));
  const { code, stdout, stderr } = await ptxlab(['ptxas', ...args]);
  return { code, stdout, stderr: stderr.replaceAll(`${folder}/`, '') };
}

const pathOf = (word: string): string => join(folder, word in files ? `${word}.ptx` : word);

const aborted = 'ptxas fatal   : Ptx assembly aborted due to errors\n';
const conflict = (severity: string): string =>
  `ptxas ${severity} : Program uses 32-bit address on line '7' which is conflicting with .address_size 64\n`;
const tooHigh = 'ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n';

describe('verdicts', () => {
  test.each([
    ['-arch sm_80 ok', ''],
    ['-arch sm_80 -Werror halfFilled', ''],
    ['ok', tooHigh],
    ['-arch compute_75 ok', tooHigh],
    ['-arch sm_80 newer', tooHigh],
    ['-arch sm_90 exact', "ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'\n"],
    [
      '-arch sm_100a exact',
      "ptxas fatal   : Program with .target 'sm_90a' cannot be compiled to future architecture\n",
    ],
    ['-arch sm_90a exact', ''],
    ['-arch sm_110a renamed', ''],
    ['-arch sm_103 family', ''],
    [
      '-arch sm_120 family',
      "ptxas fatal   : Program with .target 'sm_100f' cannot be compiled to different SM-family architecture\n",
    ],
    ['-arch sm_80 bad', `ptxas bad.ptx, line 7; error   : Unknown modifier '.u7'\n${aborted}`],
    ['-arch sm_75 bad', `ptxas bad.ptx, line 7; error   : Unknown modifier '.u7'\n${aborted}`],
    [
      '-arch sm_80 empty',
      `ptxas empty.ptx, line 1; fatal   : Missing .version directive at start of file 'empty.ptx'\n${aborted}`,
    ],
    [
      '-arch sm_80 unfinished',
      `ptxas unfinished.ptx, line 8; fatal   : Parsing error near 'mov': syntax error\n${aborted}`,
    ],
    [
      '-arch sm_80 headless',
      `ptxas headless.ptx, line 3; fatal   : Missing .version directive at start of file 'headless.ptx'\n${aborted}`,
    ],
    [
      '-arch sm_80 broken',
      `ptxas broken.ptx, line 1; fatal   : Missing .version directive at start of file 'broken.ptx'\n${aborted}`,
    ],
    [
      '-arch sm_80 targetless',
      `ptxas targetless.ptx, line 3; fatal   : Missing .target directive at start of file 'targetless.ptx'\n${aborted}`,
    ],
    ['-arch sm_80 list', `ptxas list.ptx, line 9; fatal   : Parsing error near 'mov': syntax error\n${aborted}`],
    ['-arch sm_80 stray', `ptxas stray.ptx, line 8; fatal   : No variable storage specified\n${aborted}`],
    ['-arch sm_80 open', `ptxas open.ptx, line 8; fatal   : Parsing error near '5': syntax error\n${aborted}`],
    ['-arch sm_80 function', "ptxas fatal   : Unresolved extern function 'foo'\n"],
    ['-arch sm_80 -c function', ''],
    ['-arch compute_80 function', ''],
    ['-arch sm_80 -c forward', "ptxas fatal   : Unresolved extern function 'foo'\n"],
    ['-arch sm_80 announced', "ptxas fatal   : Unresolved extern function 'foo'\n"],
    ['-arch sm_80 -c announced', "ptxas fatal   : Unresolved extern function 'foo'\n"],
    ['-arch sm_80 array', "ptxas fatal   : Unresolved extern variable 'v'\n"],
    ['-arch sm_80 -c array', ''],
    ['-arch compute_80 array', ''],
    ['-arch sm_80 definition array', ''],
    ['-arch sm_90 -c unified', ''],
    [
      '-arch sm_90 unified',
      `ptxas error   : Feature 'unified Functions' requires command line option '--compile-only'.\n${aborted}`,
    ],
    ['-arch sm_80 constants', 'ptxas error   : File uses too much global constant data (0x11170 bytes, 0x10000 max)\n'],
    ['-arch compute_80 constants', ''],
    [
      '-arch compute_80 parameters',
      `ptxas parameters.ptx, line 4; error   : Entry function 'k' uses too much parameter space (0x7ffd bytes, 0x7ffc max).\n${aborted}`,
    ],
    ['-arch sm_80 shared', "ptxas error   : Entry function 'k' uses too much shared data (0xea60 bytes, 0xc000 max)\n"],
    ['-arch sm_80 -c shared', ''],
    ['-arch compute_80 shared', ''],
    ['-arch sm_80 pointer', `${conflict('warning')}ptxas fatal   :  32-Bit compilation is no longer supported\n`],
    [
      '-arch sm_90 -Werror pointer',
      `${conflict('error  ')}ptxas fatal   :  32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures.\n`,
    ],
    ['-arch compute_80 -Werror pointer', ''],
    [
      '-arch sm_80 unsized',
      'ptxas warning :  64 Bit host architecture (--machine) being used mismatches with .address_size of 32 bits\nptxas fatal   :  32-Bit compilation is no longer supported\n',
    ],
    ['-arch sm_80 -Werror narrow', ''],
    ['-arch sm_80 -e missing ok', 'ptxas fatal   : Unknown function missing\n'],
    ['-arch sm_80 ok ok', `ptxas ok.ptx, line 5; error   : Duplicate definition of function 'k'\n${aborted}`],
    ['-arch sm_80 nowhere.ptx ok', `ptxas fatal   : Input file 'nowhere.ptx' could not be opened\n${aborted}`],
  ])('%s', async (line, stderr) => {
    expect(await run(line)).toEqual({ code: stderr === '' ? 0 : 255, stdout: '', stderr });
  });

  test.each([
    [
      '-arch sm_100 warpgroup -o /dev/null',
      255,
      [
        "ptxas warpgroup.ptx, line 8; error   : Instruction 'wgmma.fence' cannot be compiled for architecture 'sm_100'",
        "ptxas warpgroup.ptx, line 9; error   : Instruction 'Sparse wgmma.mma_async with integer types' cannot be compiled for architecture 'sm_100'",
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ],
    ],
    [
      '-arch compute_90 warpgroup -o /dev/null',
      255,
      ["ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'compute_90'"],
    ],
    [
      '-arch sm_75 votes -o /dev/null',
      0,
      [
        "ptxas votes.ptx, line 8; warning : Instruction 'vote' without '.sync' may produce unpredictable results on sm_70 and later architectures",
        "ptxas votes.ptx, line 8; warning : Instruction 'vote' without '.sync' is deprecated since PTX ISA version 6.0 and will be discontinued in a future PTX ISA version",
      ],
    ],
    [
      '-arch sm_75 old -o /dev/null',
      0,
      [
        "ptxas old.ptx, line 7; warning : Instruction 'shfl' without '.sync' may produce unpredictable results on sm_70 and later architectures",
      ],
    ],
    ['-arch sm_75 -w old -o /dev/null', 0, []],
    [
      '-arch sm_80 located -o /dev/null',
      0,
      [
        'ptxas warning : .loc directive without .file directive is found, line information in generated binary may not be complete',
      ],
    ],
    [
      '-arch sm_80 spaceless -o /dev/null',
      255,
      [
        'ptxas spaceless.ptx, line 7; fatal   : No variable storage specified',
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ],
    ],
    [
      '-arch sm_80 typed -o /dev/null',
      255,
      [
        "ptxas typed.ptx, line 8; fatal   : Parsing error near '.u32': syntax error",
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ],
    ],
    [
      '-arch sm_80 cut -o /dev/null',
      255,
      [
        "ptxas cut.ptx, line 7; error   : Unknown symbol 'L'",
        'ptxas cut.ptx, line 9; fatal   : No variable storage specified',
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ],
    ],
    [
      '-arch sm_80 label -o /dev/null',
      255,
      [
        "ptxas label.ptx, line 7; error   : Unknown symbol 'L.f32'",
        "ptxas label.ptx, line 8; fatal   : Parsing error near '5': syntax error",
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ],
    ],
    [
      '-arch sm_80 part -o /dev/null',
      255,
      [
        "ptxas part.ptx, line 7; error   : Unknown symbol '%r2.f32'",
        "ptxas part.ptx, line 8; fatal   : Parsing error near 'mov': syntax error",
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ],
    ],
    ['-arch sm_80 array definition', 0, warnings('v')],
    ['-arch sm_80 unused', 0, warnings('v', 'w')],
    [
      '-arch sm_80 selected -o /dev/null',
      255,
      [
        "ptxas selected.ptx, line 8; fatal   : Parsing error near 'mov': syntax error",
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ],
    ],
  ])('%s', async (line, code, lines) => {
    expect(await run(line)).toEqual({ code, stdout: '', stderr: lines.map((one) => `${one}\n`).join('') });
  });

  test('an undefined variable is a warning that -w hides and -Werror makes an error', async () => {
    const words = "Unresolved extern variable 'v' in whole program compilation, ignoring extern qualifier\n";
    expect(await run('-arch sm_80 variable')).toMatchObject({ code: 0, stderr: `ptxas warning : ${words}` });
    expect(await run('-arch sm_80 -w variable')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('-arch sm_80 -Werror variable')).toMatchObject({
      code: 255,
      stderr: `ptxas error   : ${words}${aborted}`,
    });
  });

  test('instructions that ptxlab cannot check are counted and refused, unless they are allowed', async () => {
    const { code, stderr } = await run('-arch sm_100a unknown');
    expect(code).toBe(255);
    expect(stderr).toMatch(/^ptxas fatal {3}: verified 1 of 2 instructions; ptxlab cannot check fabric.submit/);
    expect(await run('-arch sm_100a --allow-unverified unknown')).toMatchObject({ code: 0, stderr: '' });
  });

  test('a module can be an argument or come from stdin', async () => {
    const { code, stderr } = await ptxlab(['ptxas', '-arch', 'sm_80', '-ias', files['bad'] ?? '']);
    expect([code, stderr]).toEqual([
      255,
      `ptxas application ptx input, line 7; error   : Unknown modifier '.u7'\n${aborted}`,
    ]);
    expect(await ptxlab(['ptxas', '-arch', 'sm_80', '-'], { input: module() })).toMatchObject({ code: 0 });
  });
});

describe('options', () => {
  test.each([
    ['-arch sm_99 ok', "Value 'sm_99' is not defined for option 'gpu-name'"],
    ['-arch', "argument expected after '-arch'"],
    ['-archsm_80 ok', "Unknown option 'archsm_80'"],
    ['--arch sm_80 ok', "Unknown option '-arch'"],
    ['-gpu-name sm_80 ok', "Unknown option 'gpu-name'"],
    ['-c=true ok', "no argument expected after '-c'"],
    ['-fmad yes ok', "'yes': expected true or false"],
    ['-O3x ok', "'3x': expected a number"],
    ['-maxrregcount many ok', "Invalid value 'many' for option 'maxrregcount'"],
    ['-Ofc fast ok', "Invalid value for --Ofast-compile/-Ofc (fast), is not 'max', 'mid', 'min', or '0'"],
    ['-optf nowhere.txt', "Could not open options file 'nowhere.txt'"],
    ['-V -arch foo', "Value 'foo' is not defined for option 'gpu-name'"],
    ['-- ok', "Unknown option '-'"],
  ])('%s is refused', async (line, words) => {
    expect(await run(line)).toEqual({ code: 255, stdout: '', stderr: `ptxas fatal   : ${words}\n` });
  });

  test.each([
    '-arch=sm_80 -m64 -O3',
    '--gpu-name sm_80 -O=1 -m 64 -g -lineinfo',
    '-optf options.txt',
    '-fmad=false -arch sm_80',
  ])('%s is accepted', async (line) => {
    expect(await run(`${line} ok`)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('an option given twice is a warning', async () => {
    const { code, stderr } = await run('-arch sm_80 -arch sm_90 ok');
    expect([code, stderr]).toEqual([
      0,
      "ptxas warning : incompatible redefinition for option 'gpu-name', the last value of this option was used\n",
    ]);
  });

  test('a request for machine code is refused', async () => {
    const path = join(folder, 'out.cubin');
    const { code, stderr } = await run(`-arch sm_80 -o ${path} ok`);
    expect([code, stderr]).toEqual([255, expect.stringContaining('generates no machine code')]);
    expect(readdirSync(folder)).not.toContain('out.cubin');
    expect(await run(`-arch compute_80 -o ${path} ok`)).toMatchObject({ code: 0 });
    expect(await run('-arch sm_80 -o /dev/null ok')).toMatchObject({ code: 0 });
  });

  test('-v prints what was verified and no registers', async () => {
    expect((await run('-arch sm_80 -v ok')).stderr).toBe(
      "ptxas info    : Verifying entry function 'k' for 'sm_80'\n" +
        'ptxas info    : Verified 2 of 2 instructions; no code was generated\n',
    );
  });
});

describe("probes of LLVM's tests and of Triton", () => {
  test('--help lists architectures below --gpu-name', async () => {
    const { stdout } = await ptxlab(['ptxas', '--help']);
    const allowed = /--gpu-name(.*?)--/s.exec(stdout)?.[1] ?? '';
    expect(allowed.match(/'sm_\d+[af]?'/g)).toEqual(expect.arrayContaining(["'sm_75'", "'sm_90a'", "'sm_121f'"]));
  });

  test('--list-version prints one version a line', async () => {
    const { stdout } = await ptxlab(['ptxas', '--list-version']);
    expect(stdout).toMatch(/^1\.0\n(\d\.\d\n)*9\.4\n$/);
  });

  test("'-m 32' in one word says whether addresses can have 32 bits", async () => {
    const { code, stderr } = await ptxlab(['ptxas', '-m 32']);
    expect([code, stderr]).toEqual([255, "ptxas fatal   : Value ' 32' is not defined for option 'machine'\n"]);
  });

  test('--version has the release of CUDA and says who wrote the program', async () => {
    const { stdout } = await ptxlab(['ptxas', '--version']);
    expect(stdout).toMatch(/release (\d+\.\d+), V\1/);
    expect(stdout).toContain('ptxlab, not NVIDIA');
  });
});

/** The line numbers are those that ptxas 13.0 reports. The text of each case starts on line 4 of the file. */
describe('a name that is declared again is named on the line', () => {
  test.each([
    ['of the `)` of a kernel', '.entry k()\n{ret;}\n.entry k(\n.param .u32 a\n)\n.maxntid 32\n{ret;}', 8, 'function'],
    ['of the `{` of a kernel without parameters', '.entry k\n{ret;}\n.entry k\n\n{ret;}', 8, 'function'],
    ['of the `{` of a function', '.func k()\n{ret;}\n.func\nk()\n.noreturn\n\n{ret;}', 10, 'function'],
    ['after a variable', '.global .u32 k;\n.global .u32\nk\n[2]\n= {1, 2};', 7, 'variable'],
    ['after a register', '.entry e() {\n.reg .u32 k;\n.reg .u32\nk\n;\nret; }', 8, 'variable'],
    ['of a parameter', '.entry e(.param .u32 k,\n.param .u32\nk\n) { ret; }', 6, 'variable'],
    ['of a label', '.entry e() {\nk:\nret;\nk:\nret; }', 7, 'label'],
  ])('%s', async (_, text, line, kind) => {
    const file = put(folder, 'repeated.ptx', `.version 8.0\n.target sm_80\n.address_size 64\n${text}\n`);
    const { code, stderr } = await ptxlab(['ptxas', '-arch', 'sm_80', file]);
    expect([code, stderr]).toEqual([
      255,
      `ptxas ${file}, line ${line}; error   : Duplicate definition of ${kind} 'k'\n${aborted}`,
    ]);
  });

  test('in another module', async () => {
    const text = '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n.param .u32 a\n)\n\n{ret;}\n';
    const [first, second] = [put(folder, 'first.ptx', text), put(folder, 'second.ptx', text)];
    const { stderr } = await ptxlab(['ptxas', '-arch', 'sm_80', '-c', first, second]);
    expect(stderr).toBe(`ptxas ${second}, line 6; error   : Duplicate definition of function 'k'\n${aborted}`);
  });
});

describe('what functions cannot pass', () => {
  const passing =
    'ptxas fatal   : In ABI compilation, passing predicate, 8-bit and 16-bit parameters to device functions is not supported\n';
  const returning =
    'ptxas fatal   : In ABI compilation, returning predicate, 8-bit and 16-bit values from device functions is not supported\n';
  const several = "ptxas warning : Function 'f' with multiple return values found, disabling ABI\n";
  const needsAbi = "ptxas fatal   : 'Compile only(-c)' requires ABI\n";

  /** The messages of ptxas 13.0 with `-c`, without it, and with `-c` for a virtual architecture. */
  test.each([
    ['.func f(.param .u16 a) { ret; }', passing, '', ''],
    ['.func f(.reg .pred a) { ret; }', passing, '', ''],
    ['.visible .func (.param .s8 r) f() { ret; }', returning, '', ''],
    ['.func (.param .u8 r) g() { ret; } .func f(.param .u16 a) { ret; }', passing, '', ''],
    ['.func f(.param .b16 a, .param .f16 b, .param .u16 c[2]) { ret; }', '', '', ''],
    ['.extern .func f(.param .u16 a);', '', '', ''],
    ['.entry f(.param .u16 a) { ret; }', '', '', ''],
    ['.func f(.param .u16 a) { ret; } .entry k() { call f, (1); ret; }', passing, passing, ''],
    ['.func (.param .u8 r) f() { ret; } .entry k() { call (_), f; ret; }', returning, returning, ''],
    [
      '.func f(.reg .pred a) { ret; } .func g() { .reg .pred p; call f, (p); ret; } .entry k() { call g; ret; }',
      passing,
      passing,
      '',
    ],
    ['.func f(.param .u16 a) { ret; } .func g() { call f, (1); ret; } .entry k() { ret; }', passing, '', ''],
    ['.func f(.param .u16 a) { ret; } .entry k() { .reg .b64 r; mov.b64 r, f; ret; }', passing, passing, ''],
    ['.entry k() { .reg .b64 r; P: .callprototype _ (.param .u16 _); call r, (1), P; ret; }', passing, passing, ''],
    ['.func (.reg .b32 a, .reg .b32 b) f() { ret; }', several + needsAbi, several, several + needsAbi],
  ])('%s', async (text, part, whole, virtual) => {
    const file = put(folder, 'passed.ptx', `.version 8.0\n.target sm_80\n.address_size 64\n${text}\n`);
    const said = async (...args: readonly string[]): Promise<string> =>
      (await ptxlab(['ptxas', ...args, file, '-o', '/dev/null'])).stderr;
    expect(await said('-c', '-arch', 'sm_80')).toBe(part);
    expect(await said('-arch', 'sm_80')).toBe(whole);
    expect(await said('-c', '-arch', 'compute_80')).toBe(virtual);
  });
});

describe('CTA groups', () => {
  const one = 'tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;';
  const two = one.replace('::1', '::2');
  const mixed = (name: string): string =>
    `ptxas error   : Function '${name}' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.\n`;

  /** The messages of ptxas 13.0 without `-c`, and with it. */
  test.each([
    [`.entry k() { ${one} ${two} ret; }`, mixed('k') + aborted, mixed('k') + aborted],
    [`.entry k() { ${one} ret; } .entry l() { ${two} ret; }`, '', ''],
    [`.func f() { ${one} ret; } .entry k() { ${two} call f; ret; }`, mixed('k') + aborted, ''],
    [`.func f() { ${one} ${two} ret; }`, '', mixed('f') + aborted],
    [
      `.entry k() { ${one} ${two} ret; } .entry l() { ${one} ${two} ret; }`,
      mixed('l') + mixed('k') + aborted,
      mixed('l') + mixed('k') + aborted,
    ],
  ])('%s', async (text, whole, part) => {
    const file = put(folder, 'groups.ptx', `.version 8.8\n.target sm_100a\n.address_size 64\n${text}\n`);
    const said = async (...args: readonly string[]): Promise<string> =>
      (await ptxlab(['ptxas', ...args, '-arch', 'sm_100a', file, '-o', '/dev/null'])).stderr;
    expect(await said()).toBe(whole);
    expect(await said('-c')).toBe(part);
  });
});

test('addresses of 32 bits in a module for an older target', async () => {
  const file = put(folder, 'short.ptx', '.version 7.0\n.target sm_70\n.address_size 32\n.entry k() { ret; }\n');
  expect((await ptxlab(['ptxas', '-arch', 'sm_75', file, '-o', '/dev/null'])).stderr).toBe(
    'ptxas warning :  64 Bit host architecture (--machine) being used mismatches with .address_size of 32 bits\nptxas fatal   :  32-Bit compilation is no longer supported\n',
  );
});

describe('--link', () => {
  test.each([
    ['in this process', ptxlab],
    ['as a built program', spawned],
  ])('puts a program named ptxas that runs into a new folder: %s', async (way, start) => {
    await built();
    const made = join(folder, way, 'bin');
    expect(await start(['ptxas', '--link', made])).toMatchObject({ code: 0, stdout: `${made}/ptxas\n` });
    const version = execFileSync(join(made, 'ptxas'), ['--version'], { encoding: 'utf8' });
    expect(version).toContain('ptxlab, not NVIDIA');
  });

  test('never replaces a file', async () => {
    put(folder, 'ptxas', 'mine');
    expect(await ptxlab(['ptxas', '--link', folder])).toMatchObject({ code: 2 });
    expect(readFileSync(join(folder, 'ptxas'), 'utf8')).toBe('mine');
  });

  test('needs one folder', async () => {
    expect(await ptxlab(['ptxas', '--link'])).toMatchObject({ code: 2 });
  });
});
