/**
 * Checks how much static shared memory each kernel uses (PTX ISA 9.1, section 5.1.7). The variables that count are
 * those declared in the kernel or in the functions that it calls, and the module's variables to which the kernel or
 * these functions refer. These rules and the limits were measured with ptxas 13.0.
 */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { includesTarget, type Target, type TargetSet } from '../../isa/targets.ts';
import type { Report } from '../report.ts';
import type { FunctionUses } from './function-uses.ts';
import { bytesInRow } from './sizes.ts';

/**
 * The maximum number of bytes of shared memory that a kernel may declare. Targets with the suffix `a` allow the chip's
 * entire shared memory.
 */
const limits: readonly (readonly [bytes: number, on: TargetSet])[] = [
  [232_448, { kind: 'listed', names: ['sm_90a', 'sm_100a', 'sm_101a', 'sm_103a', 'sm_107a', 'sm_110a'] }],
  [101_376, { kind: 'listed', names: ['sm_120a', 'sm_121a'] }],
  [49_152, { kind: 'from', sm: 10 }],
];

/** Reports the kernels that use more shared memory than the target provides. */
export function checkSharedMemory(uses: FunctionUses, target: Target, report: Report): void {
  const [most] = limits.find(([, on]) => includesTarget(on, target)) ?? [Number.POSITIVE_INFINITY];
  for (const { name, entry, span } of uses.uses.values()) {
    const found = entry ? bytesInRow(uses.reached(name).map(({ variable }) => variable)) : 0;
    if (found <= most) continue;
    const hex = (bytes: number): string => `0x${bytes.toString(16)}`;
    const ptxas = `Entry function '${name}' uses too much shared data (${hex(found)} bytes, ${hex(most)} max)`;
    const what = `the .shared variables of '${name}'`;
    report(diagnose('PTX5025', span, { what, found: String(found), most: String(most), ptxas }));
  }
}
