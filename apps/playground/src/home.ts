/** The home page: Convert, and its address. */
import './convert/ptx-convert.ts';
import './shell/page.ts';

const element = document.querySelector('ptx-convert');
if (element === null) throw new Error('the page has no <ptx-convert>');

element.setAttribute('link', location.hash);
element.addEventListener('change', (event) => {
  if (event instanceof CustomEvent && typeof event.detail === 'string') history.replaceState(null, '', event.detail);
});
window.addEventListener('hashchange', () => element.setAttribute('link', location.hash));
