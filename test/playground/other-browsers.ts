/**
 * Controls browsers from Debian that playwright does not support: Firefox through WebDriver BiDi, and WebKitGTK through
 * WebDriver.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';

export interface OtherBrowser {
  readonly open: (url: string) => Promise<void>;
  /** The value of an expression in the page, converted to JSON and back. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const firefox = '/usr/bin/firefox-esr';
const driver = '/usr/bin/WebKitWebDriver';
const miniBrowser = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';
const display = '/usr/bin/Xvfb';

/** The browsers, and whether each of them is installed on this machine. */
export const otherBrowsers: readonly (readonly [name: string, isHere: boolean, start: () => Promise<OtherBrowser>])[] =
  [
    ['firefox-esr', existsSync(firefox), startFirefox],
    ['WebKitGTK', [driver, miniBrowser, display].every((path) => existsSync(path)), startWebKit],
  ];

async function startFirefox(): Promise<OtherBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'ptxlab-firefox-'));
  const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(firefox, options, {
    env: { ...process.env, HOME: profile },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const address = await lineOf(child, /WebDriver BiDi listening on (ws:\S+)/);
  const ask = await connect(`${address}/session`);
  await ask('session.new', { capabilities: {} });
  const { contexts } = await ask<{ contexts: readonly { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;
  return {
    open: async (url) => {
      await ask('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    evaluate: async (expression) => {
      const text = `(async () => JSON.stringify(await (${expression})))()`;
      const { result } = await ask<{ result: { value: string } }>('script.evaluate', {
        expression: text,
        target: { context },
        awaitPromise: true,
      });
      return JSON.parse(result.value);
    },
    close: async () => {
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A message from the browser: either the response to a request, or an event. Events have no `id`. */
interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly message?: string;
}

type Ask = <T>(method: string, params: object) => Promise<T>;

async function connect(address: string): Promise<Ask> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer: Answer = JSON.parse(String(data));
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, ({ result, message }) => {
        if (result === undefined) reject(new Error(`${method}: ${message ?? 'failed'}`));
        else resolve(result as never);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
}

/**
 * Waits until the pattern matches the process's output on standard error, and returns the text that the pattern's first
 * group captures.
 */
function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(text)));
  });
}

async function startWebKit(): Promise<OtherBrowser> {
  const screen = `:${90 + (process.pid % 900)}`;
  const server = spawn(display, [screen, '-screen', '0', '1440x900x24'], { stdio: 'ignore' });
  await sleep(1000);
  const port = 20_000 + (process.pid % 10_000);
  const child = spawn(driver, [`--port=${port}`], {
    env: { ...process.env, DISPLAY: screen, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
    stdio: 'ignore',
  });
  const root = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${root}/status`)).ok);
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await fetch(root + path, { method: 'POST', body: JSON.stringify(body) });
    const { value } = (await answer.json()) as { value: T & { readonly message?: string } };
    if (!answer.ok) throw new Error(`${path}: ${value.message ?? 'failed'}`);
    return value;
  };
  const options = { binary: miniBrowser, args: ['--automation'] };
  const { sessionId } = await post<{ sessionId: string }>('/session', {
    capabilities: { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options } },
  });
  return {
    open: async (url) => {
      await post(`/session/${sessionId}/url`, { url });
    },
    evaluate: async (expression) => {
      const script = `const done = arguments[0]; (async () => JSON.stringify(await (${expression})))().then(done)`;
      return JSON.parse(await post<string>(`/session/${sessionId}/execute/async`, { script, args: [] }));
    },
    close: async () => {
      await fetch(`${root}/session/${sessionId}`, { method: 'DELETE' });
      child.kill();
      server.kill();
    },
  };
}

async function until(isReady: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 100; i++) {
    if (await isReady().catch(() => false)) return;
    await sleep(100);
  }
  throw new Error('the driver did not start');
}
