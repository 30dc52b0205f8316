/** Explains a target such as `sm_90a`, or a GPU such as `H100`. */
import { findGpu, type Gpu, gpuOf, gpus, runsOn, todaysNumber } from '../isa/gpus.ts';
import { findDeclaredTarget, formatVersion, type Target, type TargetSuffix, targets } from '../isa/targets.ts';

export interface TargetExplanation {
  readonly kind: 'target';
  readonly name: string;
  readonly summary: string;
  /** Properties, each with its value as text, such as `since` and `PTX 8.0`. */
  readonly facts: readonly (readonly [what: string, value: string])[];
}

/** Explains `sm_90a`, `compute_90a` or `H100`; null for anything else. */
export function explainTarget(text: string): TargetExplanation | null {
  const target = findDeclaredTarget(text);
  if (target !== undefined) return ofTarget(target);
  const gpu = findGpu(text);
  return gpu === undefined ? null : ofGpu(gpu, text);
}

const summaries: Readonly<Record<TargetSuffix, (architecture: string) => string>> = {
  '': (architecture) => `The architecture ${architecture} with the features that all later architectures have, too.`,
  f: (architecture) =>
    `The architecture ${architecture} with the features that all later members of its family have, too.`,
  a: (architecture) => `The architecture ${architecture} with all its features.`,
};

function ofTarget(target: Target): TargetExplanation {
  const gpu = gpuOf(target);
  const others = targets.filter(({ sm, name }) => sm === target.sm && name !== target.name).map(({ name }) => name);
  return {
    kind: 'target',
    name: target.name,
    summary: summaries[target.suffix](gpu.name),
    facts: [
      ['since', `PTX ${formatVersion(target.since)}`],
      ...renamed(target),
      [
        'code runs on',
        gpus
          .filter((one) => runsOn(target, one))
          .map(({ name }) => name)
          .join(', '),
      ],
      ...products(gpu),
      ...(others.length === 0 ? [] : [['see also', others.join(', ')] as const]),
    ],
  };
}

function renamed({ sm, suffix }: Target): TargetExplanation['facts'] {
  const today = todaysNumber(sm);
  if (today !== sm) return [['renamed', `sm_${today}${suffix} since PTX 9.0`]];
  const former = gpus.find((gpu) => gpu.sm !== sm && todaysNumber(gpu.sm) === sm);
  return former === undefined ? [] : [['formerly', `${former.name}${suffix}`]];
}

function ofGpu(gpu: Gpu, text: string): TargetExplanation {
  const own = targets.filter((target) => runsOn(target, gpu));
  const suffixed = own.filter(({ suffix }) => suffix !== '').map(({ name }) => `, ${name}`);
  const name = gpu.chips.find((chip) => chip.toLowerCase() === text.toLowerCase()) ?? gpu.name;
  return {
    kind: 'target',
    name,
    summary: `A GPU of the architecture ${gpu.name}.`,
    facts: [['runs code for', `sm_10 to ${gpu.name}${suffixed.join('')}`], ...products(gpu)],
  };
}

function products({ chips }: Gpu): TargetExplanation['facts'] {
  return chips.length === 0 ? [] : [['products', chips.join(', ')]];
}
