/** The settings that the user chooses for launching a kernel. */
import type { KernelHeader } from 'ptxlab/analysis';
import { guess } from './arguments.ts';
import type { Project } from './link.ts';

export type Launch = Omit<Project, 'source'>;

/**
 * The launch that is shown until a kernel is chosen. It has 1,024 threads because buffers have 1,024 elements by
 * default.
 */
export const firstLaunch: Launch = { entry: '', grid: [32, 1, 1], block: [32, 1, 1], sharedBytes: 0, args: [] };

/**
 * Updates the launch after the text has changed, so that the launch refers to a kernel in the text. The arguments that
 * the user chose are kept as long as the kernel and its number of parameters stay the same.
 */
export function follow(launch: Launch, kernels: readonly KernelHeader[], source: string): Launch {
  const kernel = kernels.find(({ name }) => name === launch.entry) ?? kernels[0];
  if (kernel === undefined) return launch;
  const isSame = kernel.name === launch.entry && kernel.parameters.length === launch.args.length;
  const args = isSame ? launch.args : kernel.parameters.map((parameter) => guess(parameter, source));
  return { ...launch, entry: kernel.name, args, block: kernel.requiredBlock ?? launch.block };
}

/** Reads one to three extents, such as `32`, `8,4` or `8 x 4 x 2`; null if the text is anything else. */
export function extentsOf(text: string): Launch['grid'] | null {
  const parts = text.trim().split(/\s*[x×,\s]\s*/);
  const [x = 0, y = 1, z = 1] = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
  const isGood = parts.length <= 3 && [x, y, z].every((extent) => extent > 0 && Number.isSafeInteger(extent));
  return isGood ? [x, y, z] : null;
}
