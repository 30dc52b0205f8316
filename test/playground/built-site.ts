/** Builds the playground into a temporary folder, serves it, and opens it in Chromium. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { build, preview } from 'vite';

export const browserPath = '/usr/bin/chromium';
const configFile = 'apps/playground/vite.config.ts';

export interface Site {
  /** The address of the site's root, with a trailing slash. */
  readonly root: string;
  readonly close: () => Promise<void>;
}

export interface BuiltSite extends Site {
  readonly browser: Browser;
}

/** Builds and serves the site. */
export async function serveSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'ptxlab-site-'));
  await build({ configFile, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  const server = await preview({ configFile, logLevel: 'error', build: { outDir: folder }, preview: { port: 0 } });
  return {
    root: server.resolvedUrls?.local[0] ?? '',
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Builds and serves the site, and starts Chromium. */
export async function buildSite(): Promise<BuiltSite> {
  const { root, close } = await serveSite();
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  return {
    browser,
    root,
    close: async () => {
      await browser.close();
      await close();
    },
  };
}
