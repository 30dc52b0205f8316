/** Measures the time from a key press to the painted squiggle in the editor of the Kernel page. */
import type { Page } from 'playwright-core';

/** Returns a module that has about the given number of lines and contains one kernel. */
export function longKernel(lines: number): string {
  const steps = Array.from({ length: lines - 16 }, (_, i) => {
    const [to, from] = [i % 60, (i * 7 + 3) % 60];
    // The page opens with the cursor on the first mad.lo.
    if (i === lines / 2) return `\tmad.lo.s32 %r${to}, %r${from}, ${i}, %r1;`;
    return `\tadd.s32 %r${to}, %r${from}, ${i};`;
  });
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry long(.param .u64 out)
{
\t.reg .b32 %r<60>;
\t.reg .b64 %rd<3>;
\tmov.u32 %r0, %tid.x;
${steps.join('\n')}
\tld.param.u64 %rd1, [out];
\tcvta.to.global.u64 %rd2, %rd1;
\tst.global.u32 [%rd2], %r0;
\tret;
}
`;
}

/**
 * Code that runs in the page. It waits for a key press, and resolves with the number of milliseconds from the key press
 * until a squiggle has appeared or disappeared.
 */
const measureOneKey = `(wanted) => new Promise((resolve) => {
  const content = document.querySelector('ptx-kernel').shadowRoot.querySelector('.cm-content');
  addEventListener('keydown', ({ timeStamp }) => {
    const look = () => {
      if ((content.querySelector('.cm-activeLine .cm-lintRange-error') !== null) !== wanted) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - timeStamp);
        port2.postMessage(null);
      });
    };
    const observer = new MutationObserver(look);
    observer.observe(content, { subtree: true, childList: true, attributes: true });
  }, { capture: true, once: true });
})`;

/**
 * In the line with the cursor, types a letter into a mnemonic and deletes it again, `count` times. Returns the
 * milliseconds for each letter, in ascending order.
 */
export async function keyTimes(page: Page, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  const press = async (key: string, wanted: boolean): Promise<number> => {
    const answer = page.evaluate<number>(`(${measureOneKey})(${wanted})`);
    // The page handles requests in order, so it is listening for the key once this second request has been answered.
    await page.evaluate('null');
    await page.keyboard.press(key);
    return answer;
  };
  for (let i = 0; i < count; i++) {
    times.push(await press('x', true));
    await press('Backspace', false);
  }
  return times.toSorted((a, b) => a - b);
}

/** Opens the draft in a new page, and puts the cursor into the mnemonic in the middle of the kernel. */
export async function openLongKernel(page: Page, root: string, lines: number): Promise<void> {
  const draft = JSON.stringify(longKernel(lines));
  await page.addInitScript(`localStorage.setItem('ptxlab-kernel-draft', ${draft})`);
  await page.goto(`${root}kernel/`);
  await page.getByText('Legal for sm_80').waitFor({ timeout: 60_000 });
  await page.locator('.cm-content').focus();
  for (const _ of 'mad.lo.s32') await page.keyboard.press('ArrowRight');
}
