/**
 * The part of the page's address after the `#`, if it is a link to a state of the page; otherwise empty. The id of an
 * element of the page is not such a link: for example, "Skip to the content" leads to `#main`.
 */
export function linkInAddress(): string {
  return isPlace(location.hash) ? '' : location.hash;
}

function isPlace(hash: string): boolean {
  return document.getElementById(hash.slice(1)) !== null;
}

/** Calls `open` whenever the link in the address changes, unless the page itself has changed it. */
export function onNewLink(open: () => void): void {
  window.addEventListener('hashchange', () => {
    if (!isPlace(location.hash)) open();
  });
}

/**
 * Keeps two links in sync: the link in the page's address, and the `link` attribute of the first element with the tag
 * name `name`.
 */
export function followLink(name: string): void {
  const element = document.querySelector(name);
  if (element === null) throw new Error(`the page has no <${name}>`);
  const open = (): void => element.setAttribute('link', linkInAddress());
  element.addEventListener('change', (event) => {
    if (event instanceof CustomEvent && typeof event.detail === 'string') history.replaceState(null, '', event.detail);
  });
  onNewLink(open);
  open();
}
