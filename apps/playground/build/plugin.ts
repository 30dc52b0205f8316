/** Adds the pages of the reference, the index that the palette searches, and one header for all pages. */
import type { Plugin } from 'vite';
import { html, Markup } from './markup.ts';
import { offlineScript } from './offline.ts';
import { conversionPairs, offlinePage, type Page, referencePages } from './reference.ts';

/** The sections of the site, by folder. */
const places = [
  ['', 'Convert'],
  ['kernel', 'Kernel'],
  ['matrix', 'Matrix'],
  ['tensors', 'Tensors'],
  ['reference', 'Reference'],
] as const;

/** Allows only scripts, styles and data that come from the site itself. */
const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "img-src 'self' blob: data:",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const policyTag = html`<meta http-equiv="Content-Security-Policy" content="${policy}" />`;

interface Files {
  readonly css: string;
  readonly page: string;
  readonly live: string;
}

/** The header and footer of a page; `root` is the relative path to the root of the site, such as `../../`. */
export function frame(place: string, root: string): { readonly header: string; readonly footer: string } {
  const link = ([folder, name]: readonly [string, string]): Markup =>
    html`<a href="${root}${folder === '' ? '' : `${folder}/`}"${new Markup(folder === place ? ' aria-current="page"' : '')}>${name}</a>`;
  const home = root === '' ? './' : root;
  return {
    header: html`<a class="skip" href="#main">Skip to the content</a>
      <header class="bar">
        <a class="name" href="${home}">ptxlab</a>
        <nav aria-label="Places">${places.map((place_) => link(place_ as [string, string]))}</nav>
        <div class="tools">
          <button id="palette" type="button" aria-keyshortcuts="Control+K">Search <kbd>Ctrl K</kbd></button>
          <button id="theme" type="button">Theme: system</button>
        </div>
      </header>`.text,
    footer:
      html`<footer>PTX conversions, bit for bit, computed in your browser. Nothing leaves this machine. Not affiliated with NVIDIA.</footer>`
        .text,
  };
}

function document(page: Page, files: Files): string {
  const root = '../'.repeat(page.path.split('/').length);
  const { header, footer } = frame('reference', root);
  const scripts = page.isLive ? [files.page, files.live] : [files.page];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${policyTag}
        <title>${page.title} · ptxlab</title>
        <meta name="description" content="${page.summary}" />
        <link rel="icon" href="${root}icon.svg" />
        <link rel="stylesheet" href="${root}${files.css}" />
        ${scripts.map((name) => html`<script type="module" src="${root}${name}"></script>`)}
      </head>
      <body data-root="${root}">
        ${new Markup(header)}
        <main id="main" class="reading"><h1>${page.title}</h1>${page.body}</main>
        ${new Markup(footer)}
      </body>
    </html>`.text;
}

export function site(): Plugin {
  let isBuild = false;
  return {
    name: 'ptxlab-site',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    transformIndexHtml(text, { path }) {
      const place = path.split('/').slice(1, -1).join('/');
      const { header, footer } = frame(place, place === '' ? '' : '../');
      // Only built pages get the content security policy, because it forbids inline styles and scripts, which the
      // development server uses.
      const guarded = isBuild ? text.replace('<!--policy-->', policyTag.text) : text;
      return guarded.replace('<!--header-->', header).replace('<!--footer-->', footer);
    },
    generateBundle(_, bundle) {
      const names = Object.values(bundle).map(({ fileName }) => fileName);
      const named = (pattern: RegExp): string => {
        const found = names.find((name) => pattern.test(name));
        if (found === undefined) throw new Error(`the build has no file like ${pattern}`);
        return found;
      };
      const files = { css: named(/\.css$/), page: named(/assets\/page-.*\.js$/), live: named(/^embed\.js$/) };
      const pages = referencePages();
      for (const page of [...pages, offlinePage()])
        this.emitFile({ type: 'asset', fileName: `${page.path}/index.html`, source: document(page, files) });
      const index = [
        ['matrix', 'Matrix', 'mma and wmma: lanes and elements, and the sum of one dot product on each GPU'],
        ['tensors', 'Tensors', 'Open a safetensors, npy, npz or GGUF file: histograms, and the error of each format'],
        ['kernel', 'Kernel', 'Edit, check, run and step PTX kernels'],
        ...pages.map(({ path, title, summary }) => [path, title, summary]),
      ];
      const source = JSON.stringify({ pages: index, conversions: conversionPairs() });
      this.emitFile({ type: 'asset', fileName: 'index.json', source });
      const kept = [
        './',
        './kernel/',
        './matrix/',
        './tensors/',
        './reference/',
        './offline/',
        './index.json',
        './embed.js',
        './icon.svg',
        ...names.filter((name) => name.startsWith('assets/')),
      ];
      this.emitFile({ type: 'asset', fileName: 'offline.js', source: offlineScript(kept) });
    },
  };
}
