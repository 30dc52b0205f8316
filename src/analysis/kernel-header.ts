/** The information in a kernel's header that matters for launching it. */
import type { FunctionProgram } from '../program/function-program.ts';

export interface KernelHeader {
  readonly name: string;
  /**
   * The parameters, in the order of the header. `type` is the type of the parameter or of its elements; `size` is in
   * bytes.
   */
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly size: number }[];
  /** The block size that `.reqntid` requires; null if the kernel has no such directive. */
  readonly requiredBlock: readonly [number, number, number] | null;
}

export function kernelHeader(name: string, { parameters, requiredThreads }: FunctionProgram): KernelHeader {
  const [x = 1, y = 1, z = 1] = requiredThreads ?? [];
  return {
    name,
    parameters: parameters.map(({ name: parameter, size, variable }) => ({
      name: parameter,
      type: variable.type,
      size,
    })),
    requiredBlock: requiredThreads === null ? null : [x, y, z],
  };
}
