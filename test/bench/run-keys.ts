/**
 * Measures, in Chromium, the time from a keystroke in the playground to the moment when the squiggle under an error has
 * been painted.
 */
import { existsSync } from 'node:fs';
import { browserPath, buildSite } from '../playground/built-site.ts';
import { keyTimes, openLongKernel } from '../playground/keystrokes.ts';
import type { Row } from './run-kernels.ts';

const keys = 200;
const lines = 2_000;

export async function keyRows(): Promise<readonly Row[]> {
  const what = `key to painted squiggle, line ${lines / 2} of ${lines}`;
  if (!existsSync(browserPath)) return [{ what, figure: 'not measured', beside: 'needs chromium' }];
  const { browser, root, close } = await buildSite();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await openLongKernel(page, root, lines);
  await keyTimes(page, 20);
  const times = await keyTimes(page, keys);
  await close();
  const at = (share: number): string => `${(times[Math.floor((keys - 1) * share)] ?? 0).toFixed(1)} ms`;
  return [{ what, figure: `${at(0.95)} at 95% of ${keys} keys`, beside: `limit 50 ms; median ${at(0.5)}` }];
}
