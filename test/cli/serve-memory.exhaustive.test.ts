/** Checks that a server retains no memory for modules, buffers and launches that its client has released. */
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { defaultLimits } from '../../src/cli/serve/limits.ts';
import { serve } from '../../src/cli/serve/server.ts';
import { moduleOf } from './ptxlab.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Returns the number of bytes of live objects after garbage collection. */
async function liveBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    if (typeof collect === 'function') collect();
    // Gives the callbacks of finalization registries a chance to run.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return process.memoryUsage().heapUsed;
}

it.each([1, 1000])('does not grow over 3,000 launches of %i modules', async (modules) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serve({ input, output }, defaultLimits, '1.2.3', new AbortController().signal);
  const connection = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
  connection.listen();
  const ask = (method: string, params: object): Promise<Record<string, number>> =>
    connection.sendRequest(method, params);
  const { device } = await ask('device/create', {});
  const rounds = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const source = moduleOf(`.reg .b32 %r<2>; mov.u32 %r1, ${i % modules};`);
      const { module } = await ask('module/load', { device, source });
      const { buffer } = await ask('buffer/alloc', { device, bytes: 2 ** 16 });
      await ask('launch', { device, module });
      await ask('buffer/free', { device, buffer });
      await ask('module/unload', { device, module });
    }
  };
  await rounds(1500);
  const before = await liveBytes();
  await rounds(3000);
  const growth = (await liveBytes()) - before;
  expect(growth).toBeLessThan(3000 * 256);
  connection.dispose();
  input.end();
  await served;
});
