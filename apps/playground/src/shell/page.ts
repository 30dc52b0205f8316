/** What every page has: the theme button and the palette. */
import { startPalette } from './palette.ts';
import { startThemes } from './theme.ts';

const theme = document.querySelector<HTMLButtonElement>('#theme');
if (theme !== null) startThemes(theme);

const palette = document.querySelector<HTMLElement>('#palette');
if (palette !== null) startPalette(palette, document.body.dataset['root'] ?? './');

// Pages from a file, or from a host without https, have no service workers; they work all the same.
if (import.meta.env.MODE === 'production' && 'serviceWorker' in navigator) {
  const script = new URL(`${document.body.dataset['root'] ?? './'}offline.js`, location.href);
  navigator.serviceWorker.register(script).catch(() => undefined);
}
