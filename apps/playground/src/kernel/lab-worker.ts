/** The worker that runs and records kernels, so that the page never blocks and a run can be stopped. */
import { expose } from 'comlink';
import { PtxlabError } from 'ptxlab';
import { type Recording, recordWarp, type RegisterState } from 'ptxlab/debug';
import { Device, type Fault, type Kernel, type Race } from 'ptxlab/device';
import { contentsOf } from './arguments.ts';
import type { Project } from './link.ts';

export interface RunRequest extends Project {
  /** Seconds. */
  readonly timeout: number;
  readonly findsRaces: boolean;
}

export interface BufferAfter {
  readonly bytes: Uint8Array;
  /** Whether the run changed the contents of the buffer. */
  readonly isChanged: boolean;
}

export type RunAnswer =
  | {
      readonly kind: 'done';
      /** The contents of each argument's buffer after the run; null for arguments that are numbers. */
      readonly buffers: readonly (BufferAfter | null)[];
      readonly threads: number;
      readonly instructions: number;
      readonly milliseconds: number;
      readonly printed: string;
      /** The races that were found; empty if the run did not search for races. */
      readonly races: readonly Race[];
    }
  | { readonly kind: 'fault'; readonly fault: Fault; readonly printed: string }
  | Refused;

/**
 * The recorded steps of a warp. The contents of the registers are not included; the page requests them for one step at
 * a time.
 */
export interface Recorded {
  readonly steps: readonly { readonly line: number; readonly text: string; readonly mask: number }[];
  readonly lanes: number;
  readonly fault: Fault | null;
  readonly isCut: boolean;
}

export interface StepState {
  readonly registers: readonly RegisterState[];
  /** Names of the registers that the step wrote. */
  readonly written: readonly string[];
}

let recording: Recording | null = null;

/** Size of the device's memory in bytes. A launch is refused if its buffers do not fit. */
const memory = 256 * 2 ** 20;

const lab = {
  async run(request: RunRequest): Promise<RunAnswer> {
    let printed = '';
    try {
      const { kernel, contents, buffers, args } = await prepare(request);
      const { grid, block, sharedBytes, timeout, findsRaces } = request;
      const races = findsRaces ? ({ races: 'report' } as const) : {};
      const onPrint = (text: string): void => {
        if (printed.length < mostPrinted) printed += text;
      };
      const result = await kernel.launch({ grid, block, sharedBytes, timeout, args, onPrint, ...races });
      if (!result.ok) return { kind: 'fault', fault: result.fault, printed };
      const { instructions, milliseconds } = result.stats;
      return {
        kind: 'done',
        buffers: buffers.map((buffer, i) => (buffer === null ? null : bufferAfter(buffer.read(), contents[i]))),
        threads: [...grid, ...block].reduce((product, extent) => product * extent, 1),
        instructions,
        milliseconds,
        printed,
        races: result.races,
      };
    } catch (error) {
      return refusal(error);
    }
  },

  /** Records a warp of block 0. Afterwards, `stateAt` returns the registers at each step. */
  async record(request: RunRequest, warp: number): Promise<Recorded | Refused> {
    try {
      const { kernel, args } = await prepare(request);
      const { grid, block, sharedBytes, timeout } = request;
      recording = await recordWarp(kernel, { grid, block, sharedBytes, timeout, args, warp });
      const { steps, lanes, fault, isCut } = recording;
      return { steps: steps.map(({ line, text, mask }) => ({ line, text, mask })), lanes, fault, isCut };
    } catch (error) {
      return refusal(error);
    }
  },

  stateAt(index: number): StepState {
    const step = recording?.steps[index];
    return {
      registers: recording?.registersAfter(index) ?? [],
      written: step?.writes.map(({ name }) => name) ?? [],
    };
  },

  writerOf(register: string, lane: number, index: number): number | null {
    return recording?.writerOf(register, lane, index) ?? null;
  },
};

/** The maximum number of characters of printf output that are kept. */
const mostPrinted = 100_000;

export interface Refused {
  readonly kind: 'refused';
  readonly message: string;
}

function refusal(error: unknown): Refused {
  if (!(error instanceof PtxlabError)) throw error;
  return { kind: 'refused', message: error.message };
}

function bufferAfter(bytes: Uint8Array, before: unknown): BufferAfter {
  const isSame = before instanceof Uint8Array && bytes.every((byte, i) => byte === before[i]);
  return { bytes, isChanged: !isSame };
}

interface Prepared {
  readonly kernel: Kernel;
  readonly contents: readonly ReturnType<typeof contentsOf>[];
  /** The buffer of each argument; null for arguments that are numbers. */
  readonly buffers: readonly (ReturnType<Device['alloc']> | null)[];
  readonly args: readonly (number | bigint | { readonly address: bigint })[];
}

async function prepare({ source, entry, args }: RunRequest): Promise<Prepared> {
  const device = await Device.create({ memory });
  const kernel = device.load(source).kernel(entry);
  const contents = args.map((plan) => contentsOf(plan));
  const buffers = contents.map((value) => (value instanceof Uint8Array ? device.alloc(value) : null));
  return {
    kernel,
    contents,
    buffers,
    args: contents.map((value, i) => (value instanceof Uint8Array ? (buffers[i] ?? 0) : value)),
  };
}

export type Lab = typeof lab;

expose(lab);
