/** Tests the report of `diff --html`. */
import { existsSync, linkSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Outcome, ptxlab, put, scratch } from './ptxlab.ts';
import { floats, putSafetensors } from './tensor-files.ts';

const folder = scratch();

function diff(...args: readonly string[]): Promise<Outcome> {
  return ptxlab(['diff', ...args]);
}

describe('--html', () => {
  const hostile = '<script>alert("1")</script>&amp;';
  const a = putSafetensors(folder, 'html-a.safetensors', { [hostile]: floats(1, 2, 3), u: floats(1, 2) });
  const b = putSafetensors(folder, 'html-b.safetensors', { [hostile]: floats(1, 2, 3.5), u: floats(1, 3) });

  test('is one file with charts that runs no script and loads nothing', async () => {
    const report = join(folder, 'report.html');
    const { code } = await diff('--html', report, a, b);
    expect(code).toBe(1);
    const text = readFileSync(report, 'utf8');
    expect(text.match(/<svg /g)).toHaveLength(5);
    expect(text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;');
    expect(text).not.toMatch(/<script/i);
    expect(text.replaceAll(/xmlns(:xlink)?="[^"]*"/g, '')).not.toMatch(/https?:|src=|@import|url\((?!#)/);
    expect(text.trimEnd()).toMatch(/<\/html>$/);
  });

  test('counts elements that are NaN, infinite or zero in different ways, as the text does', async () => {
    const odd = putSafetensors(folder, 'html-odd.safetensors', { w: floats(NaN, 1, 0, 1) });
    const even = putSafetensors(folder, 'html-even.safetensors', { w: floats(1, Infinity, -0, 2) });
    const report = join(folder, 'mismatches.html');
    const { stdout } = await diff('--html', report, odd, even);
    const text = readFileSync(report, 'utf8');
    for (const words of ['1 NaN in only one file', '1 infinity in only one file', '1 zeros of the opposite sign']) {
      expect(stdout).toContain(words);
      expect(text).toContain(words);
    }
  });

  test('replaces an older report with --force, and leaves nothing else behind', async () => {
    const report = put(folder, 'old.html', 'old');
    const files = readdirSync(folder).length;
    await diff('--html', report, '--force', a, b);
    expect(readFileSync(report, 'utf8')).toMatch(/^<!doctype html>/);
    expect(readdirSync(folder)).toHaveLength(files);
  });

  test('replaces a link, not the file it points to', async () => {
    const precious = put(folder, 'precious.txt', 'precious');
    const link = join(folder, 'link.html');
    symlinkSync(precious, link);
    await diff('--html', link, '--force', a, b);
    expect(readFileSync(precious, 'utf8')).toBe('precious');
  });

  test('never replaces an input, whatever name or link leads to it', async () => {
    const content = readFileSync(a);
    const symbolic = join(folder, 'a-symbolic');
    const hard = join(folder, 'b-hard');
    symlinkSync(a, symbolic);
    linkSync(b, hard);
    for (const [report, input] of [
      [a, a],
      [b, b],
      [symbolic, a],
      [hard, b],
    ] as const) {
      const { code, stdout, stderr } = await diff('--html', report, a, b);
      expect([code, stdout, stderr]).toEqual([2, '', `ptxlab: ${input} and ${report} are the same file\n`]);
    }
    expect(readFileSync(a).equals(content)).toBe(true);
  });

  test('never replaces a shard or the index', async () => {
    const shard = putSafetensors(folder, 's-1.safetensors', { w: floats(1) });
    const index = put(folder, 's.safetensors.index.json', JSON.stringify({ weight_map: { w: 's-1.safetensors' } }));
    const content = readFileSync(shard);
    for (const report of [shard, index]) {
      expect(await diff('--html', report, index, a)).toMatchObject({ code: 2, stdout: '' });
    }
    expect(readFileSync(shard).equals(content)).toBe(true);
  });

  test('exits 2 if the file cannot be written', async () => {
    const { code, stderr } = await diff('--html', join(folder, 'no/such/report.html'), a, b);
    expect([code, existsSync(join(folder, 'no'))]).toEqual([2, false]);
    expect(stderr).toMatch(/^ptxlab: [^\n]+\n$/);
  });
});
