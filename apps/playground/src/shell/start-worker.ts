/**
 * Starts a module worker. Browsers refuse workers from another origin, so an element on a page of another site starts a
 * worker of that page, which imports the script.
 */
export function startWorker(script: string): Worker {
  const url = new URL(script, import.meta.url);
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const stub = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  return new Worker(stub, { type: 'module' });
}
