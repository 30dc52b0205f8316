/**
 * Tests the published package: its types, the files to which it refers, and its size. It also bundles the package into
 * web pages and runs them in a browser.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import * as vite from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, scratch } from '../cli/ptxlab.ts';
import { typeErrors } from './compiled-types.ts';
import { install, sizeOf } from './installed.ts';

const folder = scratch();
const browser = '/usr/bin/chromium';
let installed: readonly string[] = [];

beforeAll(async () => {
  installed = await install(folder);
  copyFileSync(join(root, 'test/package/page.ts'), join(folder, 'page.ts'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}, 300_000);

test('npm pack prints only the name of the package, which pre-commit reads there', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run'], { cwd: root, encoding: 'utf8' });
  expect(stdout).toMatch(/^ptxlab-\d+\.\d+\.\d+\.tgz\n$/);
});

/** types.slow.test.ts compiles the remaining combination: for Node, without the DOM. */
test.each([
  { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022', 'dom'] },
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022'] },
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'] },
])('types compile strictly with skipLibCheck off: $module, $lib', (settings) => {
  expect(typeErrors(folder, settings)).toBe('');
});

test('everything that documents of the package link to is in the package', () => {
  const own = join(folder, 'node_modules/ptxlab');
  const documents = [
    'README.md',
    'CHANGELOG.md',
    ...readdirSync(join(own, 'docs')).map((name) => join('docs', name)),
  ].filter((name) => name.endsWith('.md'));
  const missing = documents.flatMap((document) => {
    const prose = readFileSync(join(own, document), 'utf8').replace(/^```.*?^```/gms, '');
    const links = prose.matchAll(/\]\((?!https?:|#)([^)#]+)/g);
    return [...links].flatMap(([, link = '']) => (existsSync(join(own, dirname(document), link)) ? [] : [link]));
  });
  expect(missing).toEqual([]);
});

test('an installation is smaller than 15 MB', () => {
  const bytes = installed.reduce((sum, name) => sum + sizeOf(realpathSync(join(folder, 'node_modules', name))), 0);
  console.log(`${installed.length} packages, ${(bytes / 1e6).toFixed(1)} MB`);
  expect(bytes).toBeLessThan(15e6);
});

/** Serves a folder. If `isolated` is true, the pages may share memory between threads. */
async function serve(path: string, isolated: boolean): Promise<Server> {
  const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };
  const headers = isolated
    ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
    : {};
  const server = createServer((request, response) => {
    const file = join(path, request.url === '/' ? 'index.html' : (request.url ?? ''));
    if (!existsSync(file)) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': types[extname(file)], ...headers }).end(readFileSync(file));
  });
  return await new Promise((resolve) => server.listen(0, () => resolve(server)));
}

async function bundleWithEsbuild(out: string): Promise<void> {
  const entryPoints = { page: join(folder, 'page.ts'), worker: 'ptxlab/worker' };
  const settings = { bundle: true, format: 'esm', splitting: true, minify: true, target: 'es2022' } as const;
  await esbuild.build({ entryPoints, ...settings, outdir: out, absWorkingDir: folder, logLevel: 'error' });
  writeFileSync(join(out, 'index.html'), '<!doctype html><body><script type="module" src="/page.js"></script>');
}

async function bundleWithVite(out: string): Promise<void> {
  writeFileSync(join(folder, 'index.html'), '<!doctype html><body><script type="module" src="/page.ts"></script>');
  const build = { outDir: out, emptyOutDir: true, target: 'es2022' };
  await vite.build({ root: folder, configFile: false, build, logLevel: 'error' });
}

describe.skipIf(!existsSync(browser))('bundles in a browser (needs chromium)', () => {
  const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  const started = existsSync(browser) ? chromium.launch({ executablePath: browser, args: flags }) : null;
  afterAll(async () => (await started)?.close());

  const answers = [
    'check 0',
    'evaluate 32256',
    'convert 126 56',
    'tensors string 1 6 -6 -1',
    'alone true 1 65536',
    'workers true 1 65536',
  ];

  test.each([
    ['esbuild', bundleWithEsbuild],
    ['vite', bundleWithVite],
  ] as const)('%s', async (name, bundle) => {
    const out = join(folder, name);
    mkdirSync(out);
    await bundle(out);
    console.log(`${name}: ${(sizeOf(out) / 1e3).toFixed(0)} kB`);
    for (const isolated of [true, false]) {
      const server = await serve(out, isolated);
      const page = await (await started)?.newPage();
      await page?.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
      await page?.waitForFunction("document.title === 'done'", null, { timeout: 30_000 });
      expect((await page?.innerText('body'))?.split('\n'), `isolated: ${isolated}`).toEqual(answers);
      await page?.close();
      server.close();
    }
  });
});

test.each([
  ['bundled, on one thread', 'bundle', /launches run on one thread/],
  ['left out', 'external', /^$/],
] as const)('a bundle for Node with the package %s converts a large array', async (_, packages, warning) => {
  const out = join(folder, `node-${packages}`);
  const entry = join(folder, 'large.mjs');
  writeFileSync(
    entry,
    `import { convertAsync, Workspace } from 'ptxlab/arrays';
const [count, place] = [2 ** 23 + 64, new Workspace(2 ** 26)];
const codes = await convertAsync(place.array('f32', count).fill(1.5), { to: 'e4m3', out: place.array('e4m3', count) });
console.log(codes.length, codes[count - 1]);`,
  );
  await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages,
    outfile: join(out, 'large.mjs'),
  });
  const { stdout, stderr } = spawnSync(process.execPath, ['large.mjs'], { cwd: out, encoding: 'utf8' });
  expect([stdout, stderr]).toEqual([`${2 ** 23 + 64} 60\n`, expect.stringMatching(warning)]);
});
