/** The parts of every page: the theme button and the palette. */
import { startPalette } from './palette.ts';
import { startThemes } from './theme.ts';

const theme = document.querySelector<HTMLButtonElement>('#theme');
if (theme !== null) startThemes(theme);

const palette = document.querySelector<HTMLElement>('#palette');
if (palette !== null) startPalette(palette, document.body.dataset['root'] ?? './');

// Pages opened from a file, or served without https, have no service worker, but still work.
if (import.meta.env.MODE === 'production' && 'serviceWorker' in navigator) {
  const script = new URL(`${document.body.dataset['root'] ?? './'}offline.js`, location.href);
  navigator.serviceWorker.register(script).catch(() => undefined);
}
