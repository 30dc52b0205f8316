/**
 * Tests the editor of the Kernel page in Chromium: whether it shows the results that the worker computes for the
 * document.
 */
import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, buildSite, type BuiltSite } from './built-site.ts';

const source = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
\t.reg .b32 %r<4>;
\t.reg .f32 %f<3>;
\tmov.u32 %r1, %tid.x;
$L_loop:
\tadd.u32 %r2, %r1, 1;
\tmul.lo.u32 %r3, %r2, %r2;
\tret;
}
`;

let site: BuiltSite;
let page: Page;

/** Puts the cursor after the first occurrence of a part of the text. */
async function goAfter(part: string): Promise<void> {
  const before = source.slice(0, source.indexOf(part) + part.length).split('\n');
  const line = page.locator('.cm-line').nth(before.length - 1);
  await line.click({ position: { x: 2, y: 5 } });
  await page.keyboard.press('Home');
  await page.keyboard.press('Home');
  for (const _ of before.at(-1) ?? '') await page.keyboard.press('ArrowRight');
}

const text = (): Promise<string> => page.locator('.cm-content').innerText();

describe.skipIf(!existsSync(browserPath))('the editor (needs chromium)', () => {
  beforeAll(async () => {
    site = await buildSite();
    page = await site.browser.newPage({ viewport: { width: 1440, height: 900 } });
    // Replace what is stored, because otherwise the page would open drafts of earlier tests.
    const draft = JSON.stringify(source);
    await page.addInitScript(`localStorage.clear(); localStorage.setItem('ptxlab-kernel-draft', ${draft})`);
  }, 300_000);

  afterAll(() => site.close());

  async function fresh(): Promise<void> {
    await page.goto(`${site.root}kernel/`);
    await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
  }

  it('offers only what can become legal, and names that fit', async () => {
    await fresh();
    await goAfter('%r1, 1;');
    await page.keyboard.type('\ncvt.rn.');
    const options = page.getByRole('option');
    await expect.poll(() => options.allTextContents()).toContain('.f16');
    expect(await options.allTextContents()).not.toContain('.e4m3x2');
    await page.keyboard.press('Escape');
    await page.keyboard.type('f16.f32 ');
    await expect.poll(() => page.locator('.cm-signature strong').textContent()).toBe('d');
  });

  it('applies the first fix on Ctrl-.', async () => {
    await fresh();
    await goAfter('%r1, 1;');
    await page.keyboard.type('\nmul.u32 %r3, %r2, %r1;');
    await page.keyboard.press('Escape');
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.getByText(/error for sm_80/).waitFor();
    await page.keyboard.press('Control+.');
    await expect.poll(text).toMatch(/mul\.(?:lo|hi|wide)\.u32 %r3, %r2, %r1;/);
  });

  it('marks reads and writes of the register at the cursor', async () => {
    await fresh();
    await goAfter('mul.lo.u32 %r3, %r2');
    await expect.poll(() => page.locator('.cm-read').allTextContents()).toEqual(['%r2', '%r2']);
    expect(await page.locator('.cm-write').allTextContents()).toEqual(['%r2']);
  });

  it('goes to the write that is read at the cursor', async () => {
    await fresh();
    await goAfter('mul.lo.u32 %r3, %r2');
    await page.keyboard.press('F12');
    await expect.poll(() => page.locator('.cm-activeLine').innerText()).toContain('add.u32');
  });

  it('shows the value of a register under the pointer', async () => {
    await fresh();
    await page.locator('.cm-line', { hasText: 'mul.lo' }).getByText('%r2').first().hover();
    await expect.poll(() => page.locator('.cm-hover').innerText()).toContain('= tid.x + 1');
  });

  it('folds the code after a label', async () => {
    await fresh();
    await page.locator('.cm-foldGutter span[title="Fold line"]').last().click();
    await expect.poll(text).not.toContain('mul.lo');
  });

  it('renames a label everywhere, and says why a name cannot be used', async () => {
    await fresh();
    await goAfter('$L_lo');
    await page.keyboard.press('F2');
    await page.getByLabel('New name').fill('%r1');
    await page.keyboard.press('Enter');
    await page.locator('.cm-dialog').waitFor();
    expect(await text()).toContain('$L_loop:');
    await page.keyboard.press('Escape');
    await goAfter('$L_lo');
    await page.keyboard.press('F2');
    await page.getByLabel('New name').fill('again');
    await page.keyboard.press('Enter');
    await expect.poll(text).toContain('again:');
  });

  it('formats the text', async () => {
    await fresh();
    await goAfter('%r1, 1;');
    await page.keyboard.type('\nadd.u32    %r2,%r1,   2;');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Format' }).click();
    await expect.poll(text).toContain('%r2, %r1, 2;');
  });
});
