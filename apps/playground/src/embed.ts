/**
 * Defines the elements that other pages can use. A page loads this script with
 * `<script type="module" src="…/embed.js">`, and can then contain `<ptx-convert link="#from=…">` or `<ptx-kernel>`. The
 * code of an element is loaded when the element comes close to the visible part of the page.
 */
import tokens from './style/tokens.css?inline';

const elements: Readonly<Record<string, () => Promise<unknown>>> = {
  'ptx-convert': () => import('./convert/ptx-convert.ts'),
  'ptx-kernel': () => import('./kernel/ptx-kernel.ts'),
};
const names = Object.keys(elements).join(', ');

/** Sets the colors and fonts of the elements, unless the page already defines them. */
function addTokens(): void {
  if (getComputedStyle(document.documentElement).getPropertyValue('--ink') !== '') return;
  const sheet = new CSSStyleSheet();
  const own = `:is(${names})`;
  sheet.replaceSync(
    `${tokens.replaceAll(':root', own)} ${own} { background: var(--ground); } ptx-convert { padding: 16px; }`,
  );
  document.adoptedStyleSheets.push(sheet);
}

const inView = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      inView.unobserve(target);
      void elements[target.localName]?.();
    }
  },
  { rootMargin: '400px' },
);

function watch(): void {
  for (const element of document.querySelectorAll(names)) {
    if (customElements.get(element.localName) === undefined) inView.observe(element);
  }
}

addTokens();
watch();
new MutationObserver(watch).observe(document, { childList: true, subtree: true });
