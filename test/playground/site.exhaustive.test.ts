/** Tests the built site in Chromium as visitors see it, with its content security policy. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, buildSite, type BuiltSite } from './built-site.ts';

let site: BuiltSite;
let browser: Browser;
let root: string;

/**
 * Opens a page. The test fails if an error message appears in the page's console, for example because a script or style
 * is blocked.
 */
async function open(
  path: string,
  size = { width: 1440, height: 900 },
  theme: 'light' | 'dark' = 'light',
): Promise<Page> {
  const page = await browser.newPage({ viewport: size, colorScheme: theme });
  page.on('pageerror', (error) => messages.push(`${path}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') messages.push(`${path}: ${message.text()}`);
  });
  await page.goto(root + path);
  return page;
}

const messages: string[] = [];

/** Problems that axe rates as serious or critical, by rule and element. */
async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<string>('axe.run().then(({ violations }) => JSON.stringify(violations))');
  const violations: readonly axe.Result[] = JSON.parse(found);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** A one-dimensional .npy file with the given elements. */
function npyOf(values: Float32Array): Buffer {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${values.length},), }`.padEnd(117);
  const start = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${header}\n`, 'latin1');
  return Buffer.concat([start, new Uint8Array(values.buffer)]);
}

/** The address of the Kernel page with a link to an empty kernel with the given name. */
function kernelLink(name: string): string {
  const source = `.version 8.0\n.target sm_80\n.visible .entry ${name}() { ret; }\n`;
  return `kernel/#v1=${deflateRawSync(JSON.stringify({ source, entry: name })).toString('base64url')}`;
}

/** Types at the start of the kernel, and waits until the page has checked the result. */
async function typeFirst(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(text);
}

function kernelText(page: Page): Promise<string> {
  return page.locator('.cm-content').innerText();
}

describe.skipIf(!existsSync(browserPath))('the playground (needs chromium)', () => {
  beforeAll(async () => {
    site = await buildSite();
    ({ browser, root } = site);
  }, 300_000);

  afterAll(async () => {
    await site.close();
    expect(messages).toEqual([]);
  });

  it('opens on 470, which becomes 448 in e4m3 and NaN in ml_dtypes', async () => {
    const page = await open('');
    await expect.poll(() => page.locator('output').textContent()).toBe('448');
    expect(await page.locator('.stack.differs').textContent()).toContain('ml_dtypes');
    await page.close();
  });

  it('follows everything that is typed, flipped and chosen, and keeps it in the address', async () => {
    const page = await open('');
    await page.getByRole('textbox', { name: 'Value' }).fill('1.3');
    expect(await page.locator('output').textContent()).toBe('1.25');
    await page.getByLabel('bit 31, sign').click();
    expect(await page.locator('output').textContent()).toBe('-1.25');
    await page.getByLabel('To', { exact: true }).selectOption('f16');
    await page.getByRole('radio', { name: '.rz' }).click();
    expect(page.url()).toContain('#from=f32&to=f16&v=0xbfa66666&mode=rz');
    await page.getByRole('textbox', { name: 'Value' }).fill('four');
    expect(await page.locator('#problem').textContent()).toContain("'four'");
    await page.getByRole('textbox', { name: 'Value' }).fill('1');
    await page.getByRole('textbox', { name: 'Value' }).press('Alt+ArrowUp');
    expect(await page.locator('output').textContent()).toBe('1.0009765625');
    await page.close();
  });

  it('shortens what was typed in a message, and says once whether something was copied', async () => {
    const page = await open('');
    await page.getByRole('textbox', { name: 'Value' }).fill(`${'1'.repeat(5_000)}x`);
    const problem = page.locator('#problem');
    await expect.poll(() => problem.textContent()).toContain(`'${'1'.repeat(39)}…'`);
    expect((await problem.textContent())?.length).toBeLessThan(300);
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    const labels = ['Copy link', 'Copy command', 'Copy Markdown'];
    for (const name of labels) await page.getByRole('button', { name }).click();
    await expect.poll(() => page.getByText('Copying is not allowed here').count()).toBe(1);
    expect(await page.locator('.share button').allTextContents()).toEqual([...labels, 'Save SVG']);
    await page.close();
  });

  it('drags the source along the number line, and snaps it to the midpoint', async () => {
    const page = await open('#from=f32&to=f16&v=0x3f800001&mode=rn');
    const dot = page.getByRole('slider', { name: 'Source value' });
    const midpoint = await page.getByText('midpoint').boundingBox();
    const place = await dot.boundingBox();
    if (midpoint === null || place === null) throw new Error('the number line is drawn');
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    await page.mouse.down();
    await page.mouse.move(midpoint.x + midpoint.width / 2 + 3, place.y, { steps: 4 });
    await page.mouse.up();
    expect(page.url()).toContain('v=0x3f801000');
    await page.close();
  });

  it('draws the number line beyond the largest value of u64', async () => {
    const page = await open('#from=f64&to=u64&v=0x43f0000000000000&mode=rzi');
    const line = page.getByRole('group', { name: 'Number line' });
    await expect
      .poll(() => line.locator('text').allTextContents())
      .toEqual([
        '18446744073709551615',
        '0xffffffffffffffff',
        '18446744073709551616',
        'not in u64',
        '18446744073709551616',
      ]);
    const [dot, tick] = await Promise.all([
      line.getByRole('slider').getAttribute('cx'),
      line.locator('.tick').last().getAttribute('x1'),
    ]);
    expect(dot).toBe(tick);
    await page.close();
  });

  it('finds pages and conversions by Ctrl-K', async () => {
    const page = await open('');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('ptx4002');
    await expect.poll(() => page.getByRole('option').first().textContent()).toContain('PTX4002');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/why/PTX4002/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('f32 e5m2');
    await expect.poll(() => page.getByRole('option').first().textContent()).toContain('f32 → e5m2');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/#from=f32&to=e5m2*');
    await page.close();
  });

  it('offers only conversions that exist', async () => {
    const page = await open('');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search' });
    await field.fill('f64 f32');
    await expect.poll(() => page.getByRole('option').first().textContent()).toContain('f64 → f32');
    await field.fill('f64 e4m3');
    await expect.poll(() => page.getByText('Open the conversion').count()).toBe(0);
    await field.fill('f64 f32');
    await field.press('Enter');
    await expect.poll(() => page.locator('.instruction code').textContent()).toBe('cvt.rn.f32.f64');
    expect(await page.locator('#problem').textContent()).toBe('');
    await page.close();
  });

  it.each([
    ['#from=f32&to=e4m3&v=470', /^The link is damaged or too new: v=470 cannot be read\..* v=0x43eb0000\.$/],
    ['#from=f64&to=e4m3&v=470', /A different conversion is shown instead/],
    ['matrix/#inst=bogus', /A different instruction is shown instead/],
    ['matrix/#inst=mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32&at=99,9', /: at=99,9 cannot be read\./],
    ['kernel/#v2=abc', /A different kernel is shown instead/],
  ])('says that /%s is damaged', async (path, sentence) => {
    const page = await open(path);
    const status = page.getByRole('status').filter({ hasText: 'The link is damaged' });
    await expect.poll(() => status.textContent()).toMatch(sentence);
    await page.close();
  });

  it('keeps the conversion when the skip link is used', async () => {
    const page = await open('#from=f64&to=f32&v=0x3fb999999999999a&mode=rn');
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.instruction code').textContent()).toBe('cvt.rn.f32.f64');
    expect(await page.locator('#problem').textContent()).toBe('');
    await page.close();
  });

  it('runs a kernel, and steps through it', async () => {
    const page = await open('kernel/');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/Done:/).waitFor({ timeout: 60_000 });
    expect(await page.getByRole('img', { name: 'From 0 to 2046' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await page.getByText('step 1 of 18').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Last' }).click();
    await page.getByText('step 18 of 18').waitFor();
    await page.close();
  });

  it.each(['', '0', '1.5', '-1', '1e30'])('does not run a grid of %j blocks', async (blocks) => {
    const page = await open('kernel/');
    const field = page.getByLabel('Grid x');
    await field.fill(blocks);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect(await field.evaluate((input: HTMLInputElement) => input.matches(':invalid:focus'))).toBe(true);
    await field.fill('1');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/Done: 32 threads/).waitFor({ timeout: 60_000 });
    await page.close();
  });

  it('keeps a draft while a link is opened and edited, and shows the edit after a reload', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${root}kernel/`);
    await typeFirst(page, '// mine\n');
    await page.goto(root);
    await page.goto(root + kernelLink('linked'));
    await expect.poll(() => kernelText(page)).toContain('linked');
    await typeFirst(page, '// edit\n');
    await page.reload();
    await expect.poll(() => kernelText(page)).toMatch(/edit[^]*linked/);
    await page.getByLabel('Shown').selectOption('The kernel of the link');
    await expect.poll(() => kernelText(page)).not.toContain('edit');
    await page.goto(root);
    await page.goto(`${root}kernel/`);
    await expect.poll(() => kernelText(page)).toContain('mine');
    await context.close();
  });

  it('keeps the settings of a launch with the draft, after a reload', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${root}kernel/`);
    await page.getByLabel('Grid x').fill('7');
    await typeFirst(page, '// mine\n');
    await page.getByLabel('Grid y').fill('3');
    await page.reload();
    await expect.poll(() => kernelText(page)).toContain('mine');
    await expect.poll(() => page.getByLabel('Grid x').inputValue()).toBe('7');
    expect(await page.getByLabel('Grid y').inputValue()).toBe('3');
    await context.close();
  });

  it('keeps what is typed in two tabs, and offers both', async () => {
    const context = await browser.newContext();
    const tabs = [await context.newPage(), await context.newPage()];
    for (const tab of tabs) await tab.goto(`${root}kernel/`);
    for (const [i, tab] of tabs.entries()) await typeFirst(tab, `// tab ${i}\n`);
    for (const [i, tab] of tabs.entries()) {
      await tab.bringToFront();
      await tab.reload();
      await expect.poll(() => kernelText(tab)).toContain(`tab ${i}`);
      expect(await tab.getByLabel('Shown').locator('option').count()).toBe(3);
    }
    await context.close();
  });

  it('opens a link that is put into the address of an open Kernel page, and keeps what was typed', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(root + kernelLink('one'));
    await expect.poll(() => kernelText(page)).toContain('one');
    await typeFirst(page, '// edit of one\n');
    await page.goto(root + kernelLink('two'));
    await expect.poll(() => kernelText(page)).toContain('two');
    expect(await kernelText(page)).not.toContain('edit of one');
    await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
    await page.goBack();
    await expect.poll(() => kernelText(page)).toContain('edit of one');
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    expect(await kernelText(page)).toContain('edit of one');
    await context.close();
  });

  it('says that the browser cannot store what is typed', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript('Storage.prototype.setItem = () => { throw new DOMException("full"); }');
    await page.goto(`${root}kernel/`);
    await typeFirst(page, '// mine\n');
    await page.getByRole('alert').getByText('The browser cannot store your changes.').waitFor();
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.goto(root + kernelLink('linked'));
    await expect.poll(() => page.url()).toBe(`${root}kernel/`);
    expect(await kernelText(page)).toContain('mine');
    await context.close();
  });

  it('offers no line for a fault that has none, and no errors while a module is checked', async () => {
    const page = await browser.newPage();
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const look = (): void => {
        const words = document.querySelector('ptx-kernel')?.shadowRoot?.querySelector('.panel')?.textContent ?? '';
        if (words !== seen.at(-1)) seen.push(words);
        requestAnimationFrame(look);
      };
      look();
    });
    await page.goto(root + kernelLink('empty'));
    await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
    expect(await page.evaluate('seen.join()')).not.toContain('errors');
    await page.getByLabel('Grid x').fill('2147483647');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('the kernel did not finish').waitFor({ timeout: 60_000 });
    expect(await page.getByRole('button', { name: /Go to line/ }).count()).toBe(0);
    await page.close();
  });

  it('reaches targets and tabs of the Kernel page by arrow keys', async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${root}kernel/`);
    await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
    const focused = page.locator('ptx-kernel :focus');
    const targets = page.getByRole('toolbar', { name: 'Targets' });
    expect(await targets.locator('button:not([tabindex="-1"])').count()).toBe(1);
    await targets.locator('[aria-pressed=true]').focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused.textContent()).toMatch(/^\s*82\s*$/);
    await page.keyboard.press('Tab');
    expect(await focused.getAttribute('aria-label')).toBe('PTX');
    const launch = page.getByRole('tab', { name: 'Launch' });
    await launch.focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused.textContent()).toBe('Steps');
    expect(await focused.getAttribute('aria-selected')).toBe('true');
    expect(await launch.getAttribute('tabindex')).toBe('-1');
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await page.getByText('step 1 of 18').waitFor({ timeout: 60_000 });
    expect(await page.getByLabel('Step', { exact: true }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('step 2 of 18').waitFor();
    await context.close();
  });

  it('finds the data races of a kernel', async () => {
    const page = await open('kernel/');
    const source = `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {
.shared .b32 tile; .reg .b32 %r<2>;
mov.u32 %r1, %tid.x;
st.shared.u32 [tile], %r1;
ret; }\n`;
    await page.evaluate((text) => localStorage.setItem('ptxlab-kernel-draft', text), source);
    await page.reload();
    await page.getByLabel('Find data races').check();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Found 1 data race.').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Go to line 7' }).click();
    await page.close();
  });

  it.each([720, 900])('fits the Kernel page into a window %i pixels high', async (height) => {
    const page = await open('kernel/', { width: 1280, height });
    await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
    await page.close();
  });

  it('shows the C++ names of kernels, and runs the one chosen', async () => {
    const page = await open('kernel/', { width: 390, height: 844 });
    const entry = (name: string): string => `.visible .entry ${name}() { ret; }\n`;
    const header = '.version 8.0\n.target sm_80\n.address_size 64\n';
    const draft = header + entry('_Z5scaleIfEvPT_i') + entry('plain');
    await page.evaluate((text) => localStorage.setItem('ptxlab-kernel-draft', text), draft);
    await page.reload();
    const kernel = page.locator('.launch select').first();
    await expect
      .poll(() => kernel.locator('option').allTextContents())
      .toEqual(['void scale<float>(float*, int)', 'plain']);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await kernel.selectOption('plain');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/Done:/).waitFor({ timeout: 60_000 });
    await page.close();
  });

  it('shows the mistakes in a kernel, and fixes them', async () => {
    const page = await open('kernel/');
    await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('cvt.rn.e4m3x2.f32 %h, %f1, %f2;\n');
    await page.getByText(/errors? for sm_80/).waitFor({ timeout: 60_000 });
    await page.getByRole('tab', { name: /Problems/ }).click();
    await page.getByRole('button', { name: 'Fix' }).first().click();
    await expect.poll(() => editor.textContent()).toContain('cvt.rn.satfinite.e4m3x2.f32');
    await page.close();
  });

  const sizes = [
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
    { width: 390, height: 844 },
    { width: 360, height: 780 },
  ];
  const paths = [
    '',
    '#from=f64&to=f32&v=0x3fb999999999999a&mode=rn',
    'kernel/',
    'reference/',
    'formats/e4m3/',
    'i/cvt/',
    'why/PTX2032/',
    'matrix/',
    'tensors/',
  ];

  it.each(paths.flatMap((path) => sizes.map((size) => ({ path, ...size }))))(
    '/$path fits $width pixels',
    async ({ path, width, height }) => {
      const page = await open(path, { width, height }, 'dark');
      await page.waitForTimeout(300);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.close();
    },
  );

  it('shows the lanes of a product, and computes an element on each GPU', async () => {
    const page = await open('matrix/');
    await expect.poll(() => page.locator('output').textContent()).toBe('0.861718714');
    expect(await page.locator('.gpus .differs th').allTextContents()).toEqual(['sm_80 to sm_89']);
    await page.getByRole('button', { name: 'sm_80 to sm_89' }).click();
    expect(page.url()).toContain('&gpu=sm_80');
    expect(await page.locator('output').textContent()).toBe('0.861718655');
    await page.getByLabel('C[0][0]').fill('1');
    await page.getByLabel('C[0][0]').press('Enter');
    expect(await page.locator('output').textContent()).toBe('1.76171875');
    await page.getByRole('button', { name: /^row 9, column 2: lane 5,/ }).click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(page.url()).toContain('&at=9,3&');
    expect(await page.locator('.held').textContent()).toContain('Lane 5');
    await page.getByLabel('Shape').selectOption('m16n8k8');
    expect(await page.locator('.operands tbody tr').count()).toBe(9);
    await page.close();
  });

  it.each(['1e400', '0x12345'])('says beside the field of a matrix that %s cannot be read', async (text) => {
    const page = await open('matrix/');
    const field = page.getByLabel('A[0][2]');
    const before = await field.inputValue();
    await field.fill(text);
    await field.press('Enter');
    const id = (await field.getAttribute('aria-describedby')) ?? '';
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator(`#${id}`).textContent()).toContain(text);
    const [above, below] = await Promise.all([field.boundingBox(), page.locator(`#${id}`).boundingBox()]);
    expect((below?.y ?? 0) - (above?.y ?? 0)).toBeLessThan(60);
    await page.getByLabel('B[1][0]').fill('1');
    await page.getByLabel('B[1][0]').press('Enter');
    expect(await field.getAttribute('aria-invalid')).toBe('false');
    expect(await field.inputValue()).toBe(before);
    await page.close();
  });

  it('marks a row outside the matrix, and keeps the element that it shows', async () => {
    const page = await open('matrix/');
    const row = page.getByLabel('Row of D');
    await row.fill('16');
    await row.press('Enter');
    expect(await row.evaluate((input: HTMLInputElement) => input.validationMessage)).not.toBe('');
    expect(await page.locator('#products-title').textContent()).toBe('The products of D[0][0]');
    await row.fill('15');
    expect(await page.locator('#products-title').textContent()).toBe('The products of D[15][0]');
    await page.close();
  });

  it('tries the recipes on the sample, and saves it as GGUF', async () => {
    const page = await open('tensors/');
    await expect.poll(() => page.locator('.recipes .bar').count(), { timeout: 60_000 }).toBe(15);
    expect(await page.locator('output').textContent()).toMatch(/^\d+\.\d dB$/);
    await page.getByRole('button', { name: /^q8_0/ }).press('Enter');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the whole file as q8_0' }).click();
    expect((await downloading).suggestedFilename()).toBe('sample-q8_0.gguf');
    await page.getByText('Saved sample-q8_0.gguf').waitFor();
    await page.getByRole('button', { name: /^norm\.weight/ }).press('Enter');
    await expect.poll(() => page.locator('.why').textContent()).toContain('In norm.weight');
    await page.close();
  });

  it('opens a chosen file in the worker, and refuses one that holds no tensors with a sentence', async () => {
    const page = await open('tensors/');
    const field = page.getByLabel('Tensor file');
    const values = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i));
    await field.setInputFiles({ name: 'waves.npy', mimeType: '', buffer: npyOf(values) });
    await page.getByText('waves.npy: 1 tensor, 256 bytes').waitFor();
    await expect.poll(() => page.locator('.recipes .bar').count(), { timeout: 60_000 }).toBe(15);
    await field.setInputFiles({ name: 'notes.txt', mimeType: '', buffer: Buffer.from('not a tensor file') });
    expect(await page.getByRole('alert').textContent()).toContain('Choose another file.');
    await page.getByRole('button', { name: 'Open the sample' }).click();
    await page.getByText('A generated sample: 4 tensors').waitFor();
    await page.close();
  });

  it('reads a large file in pieces, and stops when asked to', async () => {
    const page = await open('tensors/');
    const folder = await mkdtemp(join(tmpdir(), 'ptxlab-large-'));
    const path = join(folder, 'large.npy');
    await writeFile(path, npyOf(new Float32Array(2 ** 25).fill(0.3)));
    await page.getByLabel('Tensor file').setInputFiles(path);
    await page.getByText('large.npy: 1 tensor, 134 MB').waitFor();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await page.close();
    await rm(folder, { recursive: true });
  });

  it.each(
    [...paths, 'kernel/#v1=unreadable', 'matrix/#inst=mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32'].flatMap(
      (path) => (['light', 'dark'] as const).map((theme) => ({ path, theme })),
    ),
  )('/$path has no serious findings of axe in the $theme theme', async ({ path, theme }) => {
    const context = await browser.newContext({ bypassCSP: true, colorScheme: theme });
    const page = await context.newPage();
    await page.goto(root + path);
    if (path.startsWith('kernel/')) await page.locator('.cm-content').waitFor();
    await page.waitForTimeout(300);
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await context.close();
  });

  it('shows in forced colors what is chosen and where buttons are', async () => {
    const page = await browser.newPage({ forcedColors: 'active' });
    const borderOf = (selector: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).borderTopWidth);
    await page.goto(root);
    expect(await borderOf('.chip[aria-checked=true]')).toBe('3px');
    expect(await borderOf('.chip[aria-checked=false]')).toBe('1px');
    const current = page.locator('nav [aria-current=page]');
    expect(await current.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    await page.goto(`${root}kernel/`);
    expect(await borderOf('[role=tab][aria-selected=true]')).toBe('2px');
    expect(await borderOf('[role=tab][aria-selected=false]')).toBe('0px');
    expect(await borderOf('.go:not(.second)')).toBe('1px');
    await page.close();
  });

  it('works without a network after the first visit', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(root);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await context.setOffline(true);
    await page.goto(`${root}kernel/`);
    await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
    await page.goto(root);
    await expect.poll(() => page.locator('output').textContent()).toBe('448');
    await page.goto(`${root}i/mma/`);
    expect(await page.locator('main').innerText()).toContain('/i/mma/ has not been opened before');
    const background = (): string => getComputedStyle(document.querySelector('footer') ?? document.body).borderTopStyle;
    expect(await page.evaluate(background)).toBe('solid');
    await page.getByRole('link', { name: 'index of the reference' }).click();
    await page.waitForURL(`${root}reference/`);
    await context.close();
  });

  it('shows the reference without script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${root}why/PTX2032/`);
    expect(await page.locator('main').innerText()).toContain('ptxas says');
    await context.close();
  });
});
