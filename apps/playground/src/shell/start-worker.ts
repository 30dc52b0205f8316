/**
 * Starts a module worker. Browsers refuse to start a worker from a script with a different origin. Therefore, if the
 * custom element is embedded in a page of another site, the worker is started from a script of the embedding page's own
 * origin, which does nothing but import the worker's script.
 */
export function startWorker(script: string): Worker {
  const url = new URL(script, import.meta.url);
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const stub = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  return new Worker(stub, { type: 'module' });
}
