/**
 * Serves the page and the built package, with the headers that let a page share memory between threads.
 *
 *   npm run build && node examples/page/serve.mjs     then open http://localhost:8123/examples/page/
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8' };
const port = Number(process.argv[2] ?? 8123);

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  // A normalized path that begins with a slash cannot climb out of the root.
  const path = join(root, normalize(decodeURIComponent(pathname)).replace(/\/$/, '/index.html'));
  const type = types[extname(path)];
  const found = type === undefined ? null : await stat(path).catch(() => null);
  if (!found?.isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'Content-Type': type,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  });
  createReadStream(path).pipe(response);
});
server.listen(port, 'localhost', () => console.log(`http://localhost:${port}/examples/page/`));
