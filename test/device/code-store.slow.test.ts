/** Tests the store of compiled kernels: what one process has compiled, a later one uses. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { built } from '../cli/ptxlab.ts';
import { moduleOf } from './run.ts';

beforeAll(built, 300_000);

const scratch = mkdtempSync(join(tmpdir(), 'ptxlab-store-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(scratch, 'code-'));
});

const files = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.code'));

/** A kernel that is long enough to be stored. From block 8 on, threads diverge, which needs code for single threads. */
const source = moduleOf({
  body: `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;
mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; mov.u32 %r4, %r3;
${'mad.lo.u32 %r4, %r4, 5, %r3; xor.b32 %r4, %r4, %r1;\n'.repeat(400)}
shr.u32 %r5, %r2, 3; and.b32 %r5, %r5, %r1; setp.eq.u32 %p1, %r5, 0; @%p1 bra done; not.b32 %r4, %r4; red.global.add.u32 [%rd1], 0;
done: st.global.u32 [%rd1], %r4;`,
});

const script = `
import { createHash } from 'node:crypto';
const { Device } = await import(${JSON.stringify(new URL('../../dist/device.js', import.meta.url).href)});
const { workers, simd, blocks } = JSON.parse(process.argv[1]);
const device = await Device.create({ workers });
const out = device.alloc(4 * 16 * 64);
const kernel = device.load(${JSON.stringify(source)}).kernel('k');
const result = await kernel.launch({ grid: blocks, block: 64, args: [out], simd });
const hash = createHash('sha256').update(out.read()).digest('hex');
console.log(JSON.stringify({ hash, fault: result.ok ? null : result.fault.kernel }));
`;

interface Found {
  readonly hash: string;
  /** The name of the kernel according to the fault, which comes from the compiled code; null without a fault. */
  readonly fault: string | null;
}

const usual = { workers: 0, simd: true, blocks: 16 };

function launch(options: Partial<typeof usual> = {}, cache: string = folder): Found {
  const given = JSON.stringify({ ...usual, ...options });
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, given], {
    encoding: 'utf8',
    env: { ...process.env, PTXLAB_CACHE: cache },
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Found;
}

/** Changes the name of the kernel in what is stored. */
function rename(file: string): void {
  const path = join(folder, file);
  const stored = deserialize(readFileSync(path)) as { kernel: { name: string } };
  stored.kernel.name = 'stored';
  writeFileSync(path, serialize(stored));
}

describe('compiled kernels', () => {
  test('are used by later processes', () => {
    expect(launch({ blocks: 17 }).fault).toBe('k');
    expect(files()).toHaveLength(1);
    files().forEach(rename);
    expect(launch({ blocks: 17 }).fault).toBe('stored');
  });

  test.each([
    ['four threads at a time, with code for single threads that is compiled later', {}],
    ['single threads', { simd: false }],
    ['workers', { workers: 2 }],
  ])('give the same results: %s', (_, options) => {
    const expected = launch(options, 'off');
    expect([launch(options), launch(options)]).toEqual([expected, expected]);
    expect(files()).toHaveLength(1);
  });

  test('are compiled again if a file is damaged', () => {
    const expected = launch();
    const path = join(folder, files()[0] as string);
    truncateSync(path, 1000);
    expect(launch()).toEqual(expected);
    writeFileSync(path, serialize({ kernel: {}, engineCalls: [], leftOut: [], bytes: new Uint8Array(8) }));
    expect(launch()).toEqual(expected);
    expect(deserialize(readFileSync(path))).toHaveProperty('kernel.name', 'k');
  });

  test('are not stored if PTXLAB_CACHE is off, or if others can write to the folder', () => {
    const expected = launch({}, 'off');
    chmodSync(folder, 0o777);
    expect(launch()).toEqual(expected);
    expect(files()).toEqual([]);
    expect(launch({}, '/dev/null')).toEqual(expected);
  });

  test('that are old are removed when there are too many', () => {
    for (const [i, age] of [3, 2, 1].entries()) {
      const path = join(folder, `${i}.code`);
      writeFileSync(path, '');
      truncateSync(path, 100 * 2 ** 20);
      utimesSync(path, Date.now() / 1000 - age, Date.now() / 1000 - age);
    }
    launch();
    const left = files();
    expect(left).toContain('2.code');
    expect(left).not.toContain('0.code');
    expect(left).toHaveLength(2);
  });
});
