/** What every page has: the theme button and the palette. */
import { startPalette } from './palette.ts';
import { startThemes } from './theme.ts';

const theme = document.querySelector<HTMLButtonElement>('#theme');
if (theme !== null) startThemes(theme);

const palette = document.querySelector<HTMLElement>('#palette');
if (palette !== null) startPalette(palette, document.body.dataset['root'] ?? './');
