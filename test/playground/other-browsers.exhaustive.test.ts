/** Tests the built site once in each of the other browsers that Debian provides. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, serveSite } from './built-site.ts';
import { type OtherBrowser, otherBrowsers } from './other-browsers.ts';

/** The text of the page, including the text in the shadow roots of its elements. */
const text = `(() => {
  const all = (root) => [root, ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ? all(shadowRoot) : [])];
  return all(document).map((root) => (root.body ?? root).textContent).join(' ').replace(/\\s+/g, ' ');
})()`;

for (const [name, isHere, start] of otherBrowsers) {
  describe.skipIf(!isHere)(`${name} (skipped where it is not installed)`, () => {
    let site: Site;
    let browser: OtherBrowser;

    beforeAll(async () => {
      site = await serveSite();
      browser = await start();
    }, 120_000);

    afterAll(async () => {
      await browser.close();
      await site.close();
    });

    /** Waits until the page shows the given text. */
    async function shows(wanted: string): Promise<void> {
      await expect.poll(() => browser.evaluate(text), { timeout: 30_000, interval: 200 }).toContain(wanted);
    }

    it('converts 470 to 448 in e4m3', async () => {
      await browser.open(site.root);
      await shows('470 in f32 becomes 448 in e4m3');
    });

    it('checks and runs a kernel', async () => {
      await browser.open(`${site.root}kernel/`);
      await shows('Legal for sm_80');
      const run = `[...document.querySelector('ptx-kernel').shadowRoot.querySelectorAll('button.go')].at(-1)`;
      await browser.evaluate(`${run}.click() ?? null`);
      await shows('Done: 1,024 threads');
    });

    it('sums the products of a matrix element', async () => {
      await browser.open(`${site.root}matrix/`);
      await shows('is the sum of 16 products');
    });

    it('measures the errors of formats on tensors', async () => {
      await browser.open(`${site.root}tensors/`);
      await shows('20.5 dB');
    });

    it('shows a page of the reference', async () => {
      await browser.open(`${site.root}formats/e4m3/`);
      await shows('exponent 4 (bias 7)');
    });
  });
}
