/**
 * Keeps two things in sync: the part of the page's address after the `#`, and the `link` attribute of the page's first
 * element with the tag name `name`.
 */
export function followLink(name: string): void {
  const element = document.querySelector(name);
  if (element === null) throw new Error(`the page has no <${name}>`);
  element.setAttribute('link', location.hash);
  element.addEventListener('change', (event) => {
    if (event instanceof CustomEvent && typeof event.detail === 'string') history.replaceState(null, '', event.detail);
  });
  window.addEventListener('hashchange', () => element.setAttribute('link', location.hash));
}
