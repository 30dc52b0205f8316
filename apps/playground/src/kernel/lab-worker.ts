/** The worker behind the Kernel page: checks, explains and runs, so that the page never waits and Stop can end it. */
import { expose } from 'comlink';
import { check, explain, type Explanation, isTargetName, PtxlabError, type Severity, targetNames } from 'ptxlab';
import { Device, type Fault } from 'ptxlab/device';
import { type ArgumentPlan, contentsOf } from './arguments.ts';

export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly help: string | null;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  readonly fix: { readonly start: number; readonly end: number; readonly text: string } | null;
}

export interface Checked {
  readonly findings: readonly Finding[];
  readonly version: string;
  readonly target: string;
  /** Every target, with the first version in which it takes the module; null if it does in none. */
  readonly targets: readonly { readonly name: string; readonly since: string | null }[];
  readonly kernels: readonly KernelFacts[];
}

export interface KernelFacts {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly size: number }[];
  readonly block: readonly [number, number, number] | null;
}

export interface RunRequest {
  readonly source: string;
  readonly entry: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly sharedBytes: number;
  readonly args: readonly ArgumentPlan[];
  /** Seconds. */
  readonly timeout: number;
}

export type RunAnswer =
  | {
      readonly kind: 'done';
      readonly buffers: readonly (Uint8Array | null)[];
      readonly instructions: number;
      readonly milliseconds: number;
      readonly printed: string;
    }
  | { readonly kind: 'fault'; readonly fault: Fault; readonly printed: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Bytes of the device's memory; buffers beyond it are refused. */
const memory = 256 * 2 ** 20;

const lab = {
  /** `target` replaces the module's own; null keeps it. */
  async check(source: string, target: string | null): Promise<Checked> {
    const options = target !== null && isTargetName(target) ? { target } : {};
    const { diagnostics, requirements } = check(source, options);
    const findings = diagnostics.map(({ code, severity, message, help, span, fix }) => ({
      code,
      severity,
      message,
      help,
      ...span,
      fix: fix === null ? null : { ...fix.span, text: fix.text },
    }));
    return {
      findings,
      version: requirements.version,
      target: requirements.target,
      targets: targetNames.map((name) => ({
        name,
        since: requirements.targets.find(({ target: taker }) => taker === name)?.since ?? null,
      })),
      kernels: findings.some(({ severity }) => severity === 'error') ? [] : await kernelsOf(source),
    };
  },

  explain(text: string): Explanation {
    return explain(text);
  },

  async run(request: RunRequest): Promise<RunAnswer> {
    let printed = '';
    try {
      const device = await Device.create({ memory });
      const kernel = device.load(request.source).kernel(request.entry);
      const contents = request.args.map((plan) => contentsOf(plan));
      const buffers = contents.map((value) => (value instanceof Uint8Array ? device.alloc(value) : null));
      const { grid, block, sharedBytes, timeout } = request;
      const args = contents.map((value, i) => buffers[i] ?? (value instanceof Uint8Array ? 0 : value));
      const onPrint = (text: string): void => {
        if (printed.length < 100_000) printed += text;
      };
      const result = await kernel.launch({ grid, block, sharedBytes, timeout, args, onPrint });
      if (!result.ok) return { kind: 'fault', fault: result.fault, printed };
      const { instructions, milliseconds } = result.stats;
      return {
        kind: 'done',
        buffers: buffers.map((buffer) => buffer?.read() ?? null),
        instructions,
        milliseconds,
        printed,
      };
    } catch (error) {
      if (!(error instanceof PtxlabError)) throw error;
      return { kind: 'refused', message: error.message };
    }
  },
};

export type Lab = typeof lab;

/** The headers of a module without errors; none if its variables need more memory than the page has. */
async function kernelsOf(source: string): Promise<readonly KernelFacts[]> {
  const device = await Device.create({ memory });
  try {
    const module = device.load(source);
    return module.kernelNames.map((name) => {
      const { parameters, attributes } = module.kernel(name);
      return {
        name,
        parameters: parameters.map(({ name: parameter, type, size }) => ({ name: parameter, type, size })),
        block: attributes.requiredBlock,
      };
    });
  } catch (error) {
    if (error instanceof PtxlabError) return [];
    throw error;
  } finally {
    device.close();
  }
}

expose(lab);
