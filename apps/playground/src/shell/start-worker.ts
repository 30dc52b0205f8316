/**
 * Starts a module worker. Browsers refuse to start a worker from a script with a different origin. If the custom
 * element is embedded in a page of another site, the worker is therefore started from a small script that has the
 * origin of that page. All that this script does is import the worker's script.
 */
export function startWorker(script: string): Worker {
  const url = new URL(script, import.meta.url);
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const stub = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  return new Worker(stub, { type: 'module' });
}
