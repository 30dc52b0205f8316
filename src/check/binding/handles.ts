/** Handles of textures, surfaces and samplers that are parameters of the kernel. */
import type { Ref } from '../../isa/steps/ref.ts';
import type { Step } from '../../isa/steps/step.ts';

/** The name under which steps refer to the address of the kernel parameter that contains a given handle. */
export const parameterOf = (handle: Ref): Ref => `${handle}.parameter`;

const handles: readonly Ref[] = ['$a', '$sampler'];

/** The steps that load handles from parameters. They must precede the instruction's own steps. */
export function handleLoads(operands: readonly { readonly name: Ref }[]): readonly Step[] {
  return handles
    .filter((handle) => operands.some(({ name }) => name === parameterOf(handle)))
    .map((handle): Step => {
      const place = { space: 'param', width: 64, address: parameterOf(handle) } as const;
      return { kind: 'load', ...place, to: [handle], proxy: 'generic', order: null, unused: false };
    });
}
