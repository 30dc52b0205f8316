/** Creates launches in the form in which engines receive them. Each launch has its own memory. */
import { loadModule } from '../../src/check/check.ts';
import { packArguments } from '../../src/device/arguments.ts';
import { type ReferenceOptions, ReferenceEngine } from '../../src/interp/engine.ts';
import { windowBase } from '../../src/machine/memory/address-space.ts';
import { DeviceHeap } from '../../src/machine/memory/device-heap.ts';
import type { Launch } from '../../src/machine/engine.ts';
import { GlobalMemory } from '../../src/machine/memory/global-memory.ts';
import { clock } from '../../src/machine/time-limit.ts';
import { Printed } from '../../src/machine/printing/printed.ts';
import { FunctionTable } from '../../src/program/function-table.ts';
import { linkKernel } from '../../src/program/link.ts';
import { buildImage } from '../../src/program/module-image.ts';
import { moduleOf, type Source } from './run.ts';
import { shapeOf } from './shape-of.ts';

export interface Shape {
  readonly grid?: number;
  readonly block?: number;
  /** The address of the output buffer, the only argument. */
  readonly bytes?: number;
}

/** A launch of the kernel `k`, and a function that returns the contents of its output buffer. */
export interface Prepared {
  readonly launch: Launch;
  readonly output: () => Uint8Array;
}

export function launchOf(source: Source, { grid = 1, block = 1, bytes = 1024 }: Shape = {}): Prepared {
  const { module, report } = loadModule(moduleOf(source));
  if (module === null) throw new Error(report.diagnostics.map(({ message }) => message).join('\n'));
  const memory = new GlobalMemory(2 ** 24);
  const functions = new FunctionTable(module);
  const room = {
    allocate: (size: number, owner: string) => memory.allocate(size, owner),
    write: (address: number, contents: Uint8Array) => memory.bytesAt(address, contents.byteLength).set(contents),
  };
  const image = buildImage(module, room, {
    constBase: (width) => windowBase('const', width),
    functionAddress: (name) => functions.find(name)?.address ?? null,
  });
  const kernel = linkKernel(module, functions, 'k', image.shared);
  const { parameters, parameterBytes } = kernel.entry;
  const out = memory.allocate(bytes, 'output');
  const launch: Launch = {
    kernel,
    image,
    shape: shapeOf(grid, block),
    memory,
    heap: new DeviceHeap(memory),
    parameters: packArguments('k', parameters, parameterBytes, [{ address: BigInt(out.address) }], 8),
    limits: { budget: 10 ** 6, seconds: 60, begun: clock(), signal: null },
    printed: new Printed(2 ** 20, () => undefined),
    inLockstep: 'volatile',
  };
  return { launch, output: () => memory.bytesOf(out).slice() };
}

export function referenceEngine(
  launch: Launch,
  { trackWrites = true, tracing = null }: Partial<ReferenceOptions> = {},
): ReferenceEngine {
  return new ReferenceEngine(launch, { trackWrites, tracing, races: null });
}
