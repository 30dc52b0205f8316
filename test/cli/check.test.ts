import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moduleOf, ptxlab, put, scratch, spawned } from './ptxlab.ts';

const folder = scratch();
const clean = put(folder, 'clean.ptx', moduleOf('.reg .f32 %f<3>; .reg .b32 %r;\ncvt.rni.s32.f32 %r, %f1;'));
const wrong = put(folder, 'wrong.ptx', moduleOf('.reg .f32 %f; .reg .b16 %h;\ncvt.f16.f32 %h, %f;'));
const narrow = put(
  folder,
  'narrow.ptx',
  moduleOf('.reg .f32 %f; .reg .b16 %h;\ncvt.rn.satfinite.e4m3x2.f32 %h, %f, %f;'),
);

/** Makes a folder in the scratch folder, and returns its path. */
function made(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

describe('exit and output', () => {
  test('a clean module exits 0 with nothing on stdout and a summary on stderr', async () => {
    const { code, stdout, stderr } = await ptxlab(['check', clean]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      `${clean}: no findings for sm_80 at PTX 8.0\n  lowest .version on sm_80: 7.0\n  accepted by: any target from 2.3\n`,
    );
  });

  test('an error exits 1 and is shown with its line', async () => {
    const { code, stdout, stderr } = await ptxlab(['check', wrong]);
    expect(code).toBe(1);
    expect(stdout).toContain('error[PTX2030]: cvt.f16.f32 needs a rounding modifier');
    expect(stdout).toContain(`${wrong}:7:1`);
    expect(stdout).toContain('7 | cvt.f16.f32 %h, %f;\n  | ^^^^^^^^^^^\n');
    expect(stderr).toBe(`${wrong}: 1 error for sm_80 at PTX 8.0\n`);
  });

  test('--quiet prints nothing on stderr', async () => {
    const { code, stderr } = await ptxlab(['check', '-q', wrong]);
    expect([code, stderr]).toEqual([1, '']);
  });

  test('the summary names the targets that accept a module if only its own target refuses it', async () => {
    const { code, stderr } = await ptxlab(['check', narrow]);
    expect(code).toBe(1);
    expect(stderr).toContain('no .version accepts it on sm_80');
    expect(stderr).toContain('accepted by: sm_90 or higher from 7.8; sm_89 from 8.1');
  });

  test('the summary names no targets for a module with an unchecked instruction', async () => {
    const input = moduleOf('.reg .b64 %rd<3>;\nfabric.wait.global.b64 [%rd1], %rd2;', 'sm_100', '9.3');
    const { code, stderr } = await ptxlab(['check', '-'], { input });
    expect(code).toBe(0);
    expect(stderr).toContain('lowest .version on sm_100: 9.3 or later\n');
    expect(stderr).toContain('accepted by: unknown, because fabric.wait is not checked\n');
  });

  test('the summary says that ptxas generates no code for 32-bit addresses', async () => {
    const { code, stderr } = await ptxlab(['check', '-'], {
      input: moduleOf('.reg .b32 %r<3>;\nld.global.u32 %r1, [%r2];'),
    });
    expect(code).toBe(0);
    expect(stderr).toContain('accepted by: any target from 2.3; ptxas generates no code for 32-bit addresses\n');
  });

  test('- reads stdin', async () => {
    const { code, stdout } = await ptxlab(['check', '-'], { input: moduleOf('cvt.f16.f32 %h, %f;') });
    expect(code).toBe(1);
    expect(stdout).toContain('<stdin>:6:1');
  });

  test('stdin has the name that --stdin-name gives it', async () => {
    const args = ['check', '--stdin-name', 'kernel.ptx', '-'];
    const { stdout, stderr } = await ptxlab(args, { input: moduleOf('cvt.f16.f32 %h, %f;') });
    expect(stdout).toContain(' --> kernel.ptx:6:1');
    expect(stderr).toMatch(/^kernel\.ptx: /);
    expect(stdout + stderr).not.toContain('stdin');
  });

  describe('--source maps findings to the lines that .loc gives', () => {
    const input = `.version 8.0
.target sm_80
.address_size 64
.func early() { add.rz.s32 %r1, %r2, %r3; }
.entry k() {
.loc 1 12 5
{ .loc 1 40 3, function_name $name, inlined_at 1 12 5
cvt.f16.f32 %h, %f; }
.loc 1 0 0
add.rz.s32 %r1, %r2, %r3;
ret;
}
.file 1 "kernel.cu"
.section .debug_str { $name: .b8 102,0 }
`;
    const run = async (...flags: readonly string[]): Promise<string> =>
      (await ptxlab(['check', '--source', ...flags, '-'], { input })).stdout;

    test('in notes', async () => {
      const found = [...(await run()).matchAll(/= source: (.*)/g)].map(([, place]) => place);
      expect(found).toContain('kernel.cu:40:3 in f, inlined at kernel.cu:12:5');
      expect(new Set(found).size).toBe(1);
    });

    test('in JSON', async () => {
      const [report] = JSON.parse(await run('--format', 'json')) as {
        diagnostics: { line: number; source: object }[];
      }[];
      const lines = new Map(report?.diagnostics.map(({ line, source }) => [line, source]));
      expect(lines.get(4)).toBeNull();
      expect(lines.get(8)).toMatchObject({ file: 'kernel.cu', line: 40, column: 3, inlined: { function: 'f' } });
      expect(lines.get(10)).toBeNull();
    });

    test('in annotations', async () => {
      expect(await run('--format', 'github')).toContain('::error file=kernel.cu,line=40,col=3,title=');
    });

    test('in the lines of ptxas', async () => {
      const lines = (await run('--format', 'ptxas')).split('\n');
      expect(lines.filter((line) => line.includes('kernel.cu'))).toEqual(
        expect.arrayContaining([expect.stringMatching(/^ptxas kernel\.cu, line 40; error {3}: /)]),
      );
      expect(lines).toContainEqual(expect.stringMatching(/^ptxas <stdin>, line 4; error/));
    });

    test('in SARIF, together with the position in the module', async () => {
      const log = JSON.parse(await run('--format', 'sarif')) as { runs: { results: object[] }[] };
      const located = (uri: string, region: object): object => ({
        physicalLocation: { artifactLocation: { uri }, region },
      });
      const results = log.runs[0]?.results ?? [];
      const module = expect.stringContaining('stdin') as string;
      expect(results).toContainEqual(
        expect.objectContaining({
          locations: [located('kernel.cu', { startLine: 40, startColumn: 3 })],
          relatedLocations: [expect.objectContaining(located(module, expect.objectContaining({ startLine: 8 })))],
        }),
      );
      expect(results[0]).toMatchObject({ locations: [located(module, { startLine: 4 })] });
      expect(results[0]).not.toHaveProperty('relatedLocations');
    });
  });

  test('all files are checked, and the worst one decides the exit code', async () => {
    const { code, stderr } = await ptxlab(['check', clean, wrong]);
    expect(code).toBe(1);
    expect(stderr).toContain('clean.ptx: no findings');
    expect(stderr).toContain('wrong.ptx: 1 error');
  });

  test('-Werror turns warnings into errors', async () => {
    const newer = put(folder, 'newer.ptx', moduleOf('', 'sm_80', '9.9'));
    const lenient = await ptxlab(['check', newer]);
    const strict = await ptxlab(['check', '-Werror', newer]);
    expect(lenient.stdout).toMatch(/^warning\[/);
    expect(strict.stdout).toMatch(/^error\[/);
    expect([lenient.code, strict.code]).toEqual([0, 1]);
  });
});

describe('targets and versions', () => {
  test('--target checks for another target than the module names', async () => {
    expect((await ptxlab(['check', '-q', '-t', 'sm_90', narrow])).code).toBe(0);
  });

  test('--isa checks for another version', async () => {
    const { code, stdout } = await ptxlab(['check', '-q', '-t', 'sm_90', '--isa', '7.0', narrow]);
    expect(code).toBe(1);
    expect(stdout).toContain('7.8');
  });

  test('several targets are reported separately, but shared findings only once', async () => {
    const both = put(
      folder,
      'both.ptx',
      moduleOf('.reg .f32 %f; .reg .b16 %h;\ncvt.f16.f32 %h, %f;\ncvt.rn.satfinite.e4m3x2.f32 %h, %f, %f;'),
    );
    const { code, stdout, stderr } = await ptxlab(['check', '-t', 'sm_80,sm_90', both]);
    expect(code).toBe(1);
    expect(stdout.match(/PTX2030/g)).toHaveLength(1);
    expect(stdout.match(/PTX4002/g)).toHaveLength(1);
    expect(stderr).toContain('2 errors for sm_80');
    expect(stderr).toContain('1 error for sm_90');
  });
});

describe('formats', () => {
  test('ptxas', async () => {
    const { stdout } = await ptxlab(['check', '-q', '-f', 'ptxas', wrong]);
    expect(stdout).toBe(
      `ptxas ${wrong}, line 7; error   : Rounding modifier required for instruction 'cvt'\n` +
        'ptxas fatal   : Ptx assembly aborted due to errors\n',
    );
  });

  test('json lists every file and target, and the versions and targets that would accept the file', async () => {
    const { stdout } = await ptxlab(['check', '-q', '-f', 'json', '-t', 'sm_80,sm_90', clean, narrow]);
    const entries = JSON.parse(stdout) as readonly Record<string, unknown>[];
    expect(entries.map(({ target, ok }) => [target, ok])).toEqual([
      ['sm_80', true],
      ['sm_90', true],
      ['sm_80', false],
      ['sm_90', true],
    ]);
    expect(entries[3]).toMatchObject({ file: narrow, version: '8.0', minimumVersion: '7.8', diagnostics: [] });
    expect(entries[3]?.['targets']).toContainEqual({ target: 'sm_89', since: '8.1' });
  });

  test('sarif is one log for all files', async () => {
    const { stdout } = await ptxlab(['check', '-q', '-f', 'sarif', clean, wrong]);
    const log = JSON.parse(stdout) as { readonly runs: readonly { readonly results: readonly unknown[] }[] };
    expect(log.runs).toHaveLength(1);
    expect(log.runs[0]?.results).toHaveLength(1);
  });

  test('github', async () => {
    const { stdout } = await ptxlab(['check', '-q', '-f', 'github', wrong]);
    expect(stdout).toMatch(/^::error file=.*wrong\.ptx,line=7,endLine=7,col=1,endColumn=12,title=PTX2030 /);
  });

  test('repeated findings are only counted unless --all is given', async () => {
    const many = put(
      folder,
      'many.ptx',
      moduleOf(`.reg .f32 %f; .reg .b16 %h;\n${'cvt.f16.f32 %h, %f;\n'.repeat(20)}`),
    );
    const short = await ptxlab(['check', '-q', many]);
    expect(short.stdout.match(/error\[/g)).toHaveLength(3);
    expect(short.stdout).toContain('... and 17 more of PTX2030');
    const all = await ptxlab(['check', '-q', '--all', many]);
    expect(all.stdout.match(/error\[/g)).toHaveLength(20);
  });
});

describe('colors', () => {
  const escape = '\u001b[';

  test.each<[string, readonly string[], Readonly<Record<string, string>>, boolean]>([
    ['a pipe has none', [], {}, false],
    ['--color always', ['--color', 'always'], {}, true],
    ['FORCE_COLOR', [], { FORCE_COLOR: '1' }, true],
    ['NO_COLOR wins over FORCE_COLOR', [], { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    ['--color always wins over NO_COLOR', ['--color', 'always'], { NO_COLOR: '1' }, true],
    ['--color never wins over FORCE_COLOR', ['--color', 'never'], { FORCE_COLOR: '1' }, false],
  ])('%s', async (_, args, env, colored) => {
    const { stdout } = await ptxlab([...args, 'check', '-q', wrong], { env });
    expect(stdout.includes(escape)).toBe(colored);
  });
});

describe('a folder', () => {
  const kernels = made('kernels');
  made('kernels/inner');
  put(kernels, 'b.ptx', moduleOf('cvt.f16.f32 %h, %f;'));
  put(kernels, 'inner/a.ptx', moduleOf(''));
  put(kernels, 'notes.txt', 'cvt');
  for (const leftOut of ['.cache', 'node_modules']) {
    made(`kernels/${leftOut}`);
    put(kernels, `${leftOut}/c.ptx`, 'not read');
  }

  test('stands for the modules in it and below it, in the order of their names', async () => {
    const { code, stderr } = await ptxlab(['check', `${kernels}/`]);
    expect(code).toBe(1);
    expect(stderr.match(/^\S+(?=: )/gm)).toEqual([`${kernels}/b.ptx`, `${kernels}/inner/a.ptx`]);
  });

  test('includes once what links lead to', async () => {
    const place = made('links');
    const elsewhere = made('elsewhere');
    put(elsewhere, 'far.ptx', moduleOf(''));
    put(made('links/inner'), 'a.ptx', moduleOf(''));
    symlinkSync('..', join(place, 'inner/up'));
    symlinkSync('inner/a.ptx', join(place, 'same.ptx'));
    symlinkSync(elsewhere, join(place, 'another'));
    symlinkSync(elsewhere, join(place, 'node_modules'));
    const { stderr } = await ptxlab(['check', place]);
    expect(stderr.match(/^\S+(?=: )/gm)).toEqual([`${place}/another/far.ptx`, `${place}/inner/a.ptx`]);
  });
});

describe('odd inputs', () => {
  test('an empty file has findings at line 1, column 1', async () => {
    const { code, stdout } = await ptxlab(['check', '-q', put(folder, 'empty.ptx', '')]);
    expect(code).toBe(1);
    expect(stdout).toContain('empty.ptx:1:1');
  });

  test('a Windows line ending counts as one', async () => {
    const windows = put(folder, 'windows.ptx', moduleOf('cvt.f16.f32 %h, %f;').replaceAll('\n', '\r\n'));
    const { stdout } = await ptxlab(['check', '-q', '-f', 'github', windows]);
    expect(stdout).toContain('line=6,endLine=6,col=1,endColumn=12');
    expect(stdout).not.toContain('\r');
  });

  test('a byte order mark is rejected, as by ptxas, and the rest is read', async () => {
    const { code, stdout } = await ptxlab(['check', '-q', put(folder, 'bom.ptx', `\ufeff${moduleOf('')}`)]);
    expect(code).toBe(1);
    expect(stdout.match(/error\[/g)).toHaveLength(1);
    expect(stdout).toContain('byte order mark');
  });

  test('a binary file has a bounded number of findings and cannot send commands to the terminal', async () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) & 0xff);
    const { code, stdout, stderr } = await ptxlab(['check', '--all', put(folder, 'rubbish.ptx', bytes)]);
    expect(code).toBe(1);
    expect(stdout.length).toBeLessThan(2_000_000);
    // oxlint-disable-next-line no-control-regex -- the test asserts that the output has no control characters
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test.each<[string, () => string, RegExp]>([
    ['a missing file', () => join(folder, 'none.ptx'), /none\.ptx: no such file/],
    ['a folder without modules', () => made('empty'), /empty: contains no \.ptx files/],
    ['a path through a file', () => join(clean, 'x'), /no such file/],
  ])('%s exits 2, and other files are still checked', async (_, path, reason) => {
    const { code, stdout, stderr } = await ptxlab(['check', '-f', 'ptxas', path(), wrong]);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
    expect(stdout).toContain("Rounding modifier required for instruction 'cvt'");
  });

  test('check writes nothing next to the files that it reads', async () => {
    const alone = join(folder, 'alone');
    mkdirSync(alone);
    await spawned(['check', clean], { cwd: alone });
    expect(readdirSync(alone)).toEqual([]);
  });
});

describe('files of other languages', () => {
  test('have findings in their asm statements, at their place', async () => {
    const file = put(folder, 'host.cu', 'void f(unsigned x) {\n  asm("{\\n" "mov.u3 %0, 1; }" : "=r"(x));\n}\n');
    const { code, stdout } = await ptxlab(['check', '--format', 'github', file]);
    expect(code).toBe(1);
    expect(stdout).toContain(`file=${file},line=2,`);
    expect(stdout).toContain('.u3');
  });

  test('can come from stdin under a name', async () => {
    const { code, stdout } = await ptxlab(['check', '--stdin-name', 'kernel.py', '-'], {
      input: 'tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x])',
    });
    expect([code, stdout]).toEqual([0, '']);
  });
});
