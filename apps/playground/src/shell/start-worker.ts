/**
 * Starts a module worker. Browsers do not start workers from scripts of another origin. Therefore, if the element is on
 * a page of another site, the worker is started from a local script that only imports the actual one.
 */
export function startWorker(script: string): Worker {
  const url = new URL(script, import.meta.url);
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const stub = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  return new Worker(stub, { type: 'module' });
}
