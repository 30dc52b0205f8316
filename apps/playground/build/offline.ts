/** Creates the service worker, which lets the site work without a network after the first visit. */

/**
 * The script of the service worker. It stores the given files when it is installed, and every other file when it is
 * first requested. Pages come from the network if it is available; files in `assets` never change, so they come from
 * the cache. Without a network, a page that is not stored is replaced by the page `offline/`, which shows the path of
 * the missing page.
 *
 * @param files the paths of files, relative to the root of the site
 */
export function offlineScript(files: readonly string[]): string {
  return `const files = ${JSON.stringify(files)};
const store = 'ptxlab-${hashOf(files.join())}';

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(store).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith('ptxlab-') && name !== store));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

async function fromNetwork(request) {
  const answer = await fetch(request);
  if (answer.ok) (await caches.open(store)).put(request, answer.clone());
  return answer;
}

async function answer(request) {
  const stored = await caches.match(request, { ignoreSearch: true, ignoreVary: true });
  if (stored !== undefined && new URL(request.url).pathname.includes('/assets/')) return stored;
  try {
    return await fromNetwork(request);
  } catch (error) {
    if (stored !== undefined) return stored;
    if (request.mode !== 'navigate') throw error;
    return await missing(request);
  }
}

// The page is shown at the address of the missing page, where its relative links would be wrong, so they are made
// absolute.
async function missing(request) {
  const root = self.registration.scope;
  const page = await caches.match(new URL('offline/', root));
  if (page === undefined) return Response.error();
  const path = new URL(request.url).pathname.slice(new URL(root).pathname.length);
  const name = ' <code>/' + path.replace(/[&<>"]/g, '') + '</code>';
  const text = (await page.text()).replaceAll('="../', '="' + root).replace('<!--path-->', () => name);
  return new Response(text, { status: 503, headers: { 'content-type': 'text/html; charset=utf-8' } });
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});
`;
}

/**
 * The 32-bit FNV-1a hash of a string. The name of the cache contains a hash of the list of stored files, so that each
 * set of files has its own cache.
 */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
