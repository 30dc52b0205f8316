/** The elements on a page of another site, which loads `embed.js` and nothing else. */
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

describe.skipIf(!existsSync(browserPath))('elements on another site (needs chromium)', () => {
  let site: BuiltSite;
  let host: Server;
  let body = '';

  beforeAll(async () => {
    site = await buildSite();
    host = createServer((_, answer) => {
      answer.setHeader('content-type', 'text/html');
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
