/** Measures time, and stops launches that run for too long. */
import { type MachineFault, machineFault } from './fault.ts';
import type { LaunchLimits } from './launch.ts';

export function overBudget(budget: number): MachineFault {
  return machineFault('PTX6020', { budget: String(budget) });
}

/** Milliseconds since a fixed point in time, which is the same for all host threads. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}

type Limits = Pick<LaunchLimits, 'seconds' | 'begun'> & Partial<Pick<LaunchLimits, 'signal'>>;

/** Throws if the caller has aborted the launch or its time is up. */
export function checkTime({ seconds, begun, signal }: Limits): void {
  if (signal?.aborted === true) throw machineFault('PTX6022', {});
  if (clock() - begun > seconds * 1000) throw machineFault('PTX6021', { seconds: String(seconds) });
}
