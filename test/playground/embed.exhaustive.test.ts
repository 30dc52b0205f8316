/** Tests the embeddable elements on a page of another site. This page loads `embed.js` and nothing else. */
import { createServer, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, buildSite, type BuiltSite } from './built-site.ts';

const kernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.u32 %r3, %r2, %r2;
  st.global.u32 [%rd3], %r3;
  ret;
}
`;

/** Two kernels without parameters. The kernel `endless` never ends. */
const two = `.version 8.0
.target sm_80
.address_size 64
.visible .entry first() { ret; }
.visible .entry endless() {
LOOP:
  bra LOOP;
}
`;

describe.skipIf(!existsSync(browserPath))('elements on another site (needs chromium)', () => {
  let site: BuiltSite;
  let host: Server;
  let body = '';

  beforeAll(async () => {
    site = await buildSite();
    host = createServer((request, answer) => {
      answer.setHeader('content-type', 'text/html');
      if (request.url === '/two.ptx') return void answer.end(two);
      if (request.url === '/lost.ptx') return void answer.writeHead(404).end();
      answer.end(`<!doctype html><title>A course</title><h1>A course</h1>${body}
        <script type="module" src="${site.root}embed.js"></script>`);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  }, 120_000);

  afterAll(async () => {
    host.close();
    await site.close();
  });

  async function openPage(
    content: string,
  ): Promise<{ page: Page; requested: readonly string[]; errors: readonly string[] }> {
    body = content;
    const page = await site.browser.newPage({ viewport: { width: 900, height: 900 } });
    const [requested, errors]: [string[], string[]] = [[], []];
    page.on('request', (request) => requested.push(request.url()));
    page.on('pageerror', ({ message }) => errors.push(message));
    const { port } = host.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/`);
    return { page, requested, errors };
  }

  it('<ptx-kernel> checks and runs the text inside it', async () => {
    const { page, errors } = await openPage(`<ptx-kernel><pre>${kernel}</pre></ptx-kernel>`);
    await page.getByText('Legal for sm_80').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/Done: 1,024 threads/).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('target="sm_90" judges for that target', async () => {
    const { page } = await openPage(`<ptx-kernel target="sm_90"><pre>${kernel}</pre></ptx-kernel>`);
    await page.getByText('Legal for sm_90').waitFor();
    await page.close();
  });

  it('opens a file, with the entry, grid and block of its attributes, and follows their changes', async () => {
    const { page } = await openPage('<ptx-kernel src="two.ptx" entry="first" grid="2, 3" block="8x2x1"></ptx-kernel>');
    await page.getByText('Legal for sm_80').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^Done: 96 threads/).waitFor();
    await page.locator('ptx-kernel').evaluate((element) => element.setAttribute('grid', '5'));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^Done: 80 threads/).waitFor();
    await page.close();
  });

  it.each([
    ['src="lost.ptx"', 'lost.ptx could not be loaded. A different kernel is shown instead.'],
    ['target="sm_1"', 'sm_1 is not a target.'],
    ['entry="third"', 'There is no kernel named third.'],
    ['grid="0"', 'grid="0" is not valid. Give one to three extents, such as 32 or 8,4.'],
    ['block="many"', 'block="many" is not valid. Give one to three extents, such as 32 or 8,4.'],
  ])('says what is wrong with %s', async (attribute, sentence) => {
    const { page } = await openPage(`<ptx-kernel ${attribute}><pre>${two}</pre></ptx-kernel>`);
    await page.getByText(sentence).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^Done:/).waitFor();
    await page.close();
  });

  it('Tab leaves the editor, and the button that runs and stops keeps the focus', async () => {
    const { page } = await openPage(`<ptx-kernel entry="endless"><pre>${two}</pre></ptx-kernel>`);
    await page.getByText('Legal for sm_80').waitFor();
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Tab');
    expect(await page.locator('.cm-content').evaluate((content) => content.matches(':focus'))).toBe(false);
    expect(await page.locator('.cm-content').innerText()).toContain('\nLOOP:');
    const focused = page.locator('button:focus');
    await page.getByRole('button', { name: 'Run', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused.textContent()).toBe('Stop');
    await page.keyboard.press('Enter');
    await page.getByText('The run was stopped before it ended.').waitFor();
    expect(await focused.textContent()).toBe('Run');
    await page.close();
  });

  it('keeps the elements that announce the verdict and the outcome', async () => {
    const { page } = await openPage(`<ptx-kernel><pre>${kernel}</pre></ptx-kernel>`);
    await page.locator('.verdict[role="status"]').waitFor();
    const [verdict, state] = await Promise.all(['.verdict', '.state'].map((name) => page.$(name)));
    await page.getByText('Legal for sm_80').waitFor();
    expect(await verdict?.textContent()).toBe('✓ Legal for sm_80, PTX 8.0');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => state?.textContent()).toMatch(/^Done: 1,024 threads/);
    expect(await state?.getAttribute('role')).toBe('status');
    await page.close();
  });

  it('keeps the text and the launch when it is moved in the page', async () => {
    const { page } = await openPage(`<ptx-kernel grid="2"><pre>${two}</pre></ptx-kernel><section></section>`);
    await page.getByText('Legal for sm_80').waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('// mine');
    await page.evaluate(() => document.querySelector('section')?.append(...document.querySelectorAll('ptx-kernel')));
    await expect.poll(() => page.locator('.cm-content').innerText()).toContain('// mine');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^Done: 64 threads/).waitFor();
    await page.close();
  });

  it('runs the text as it was edited after a link was opened', async () => {
    const { page } = await openPage(`<ptx-kernel entry="first"><pre>${two}</pre></ptx-kernel>`);
    await page.getByText('Legal for sm_80').waitFor();
    await page.locator('ptx-kernel').evaluate((element) =>
      element.addEventListener('share', (event) => {
        const opened = document.createElement('ptx-kernel');
        if (event instanceof CustomEvent) opened.setAttribute('link', String(event.detail));
        element.replaceWith(opened);
      }),
    );
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.locator('ptx-kernel[link]').waitFor();
    await page.getByText('Legal for sm_80').waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('.version 8.0 .target sm_80 .visible .entry first() { trap; } //');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.state.bad').waitFor();
    await page.close();
  });

  it('links lead to the site', async () => {
    const { page } = await openPage(`<ptx-kernel><pre>${kernel}</pre></ptx-kernel>`);
    const link = page.getByRole('link', { name: 'All forms' });
    expect(await link.getAttribute('href')).toBe(`${site.root}i/ld/`);
    await page.close();
  });

  it('an element out of view loads nothing', async () => {
    const { page, requested } = await openPage(`<div style="height: 5000px"></div><ptx-kernel></ptx-kernel>`);
    await page.waitForTimeout(500);
    expect(requested.filter((url) => url.startsWith(site.root))).toEqual([`${site.root}embed.js`]);
    await page.evaluate(() => scrollTo(0, 5000));
    await page.getByText('Legal for').waitFor();
    await page.close();
  });

  it('an element added later is loaded', async () => {
    const { page } = await openPage('');
    await page.evaluate(() => document.body.append(document.createElement('ptx-convert')));
    await page.getByText('448').first().waitFor();
    await page.close();
  });
});
