/** Values of the special registers (PTX ISA 9.1, chapter 10). What only hardware has reads as one SM with one grid. */
import type { Bits } from '../base/bits.ts';
import { chop } from '../base/bits.ts';
import { type Dim3, machineFault } from '../machine/fault.ts';
import { type LaunchShape, threadsOf, warpSize } from '../machine/launch.ts';
import { reservedOffsets, reservedShared } from '../program/reserved-shared.ts';
import type { Cpu } from './thread.ts';

const dimensions: readonly string[] = ['.x', '.y', '.z', '.w'];

/** What a launch fixes for all its threads. */
export interface LaunchFacts {
  readonly shape: LaunchShape;
  /** Shared memory of a block without what is the system's. */
  readonly sharedBytes: number;
}

/** The value of a special register for the thread that runs, as bits of `width`. */
export function specialReader(name: string, width: number, cpu: Cpu, facts: LaunchFacts): () => Bits {
  const read = readerOf(name, cpu, facts);
  return () => chop(read(), width);
}

function readerOf(name: string, cpu: Cpu, { shape, sharedBytes }: LaunchFacts): () => Bits {
  const dimension = dimensions.indexOf(name.slice(-2));
  if (dimension >= 0) return vectorReader(name.slice(0, -2), dimension, cpu, shape);
  const warps = Math.ceil(threadsOf(shape) / warpSize);
  const lane = (): number => cpu.thread.linear % warpSize;
  switch (name) {
    case '%laneid':
      return lane;
    case '%warpid':
      return () => Math.floor(cpu.thread.linear / warpSize);
    case '%nwarpid':
      return () => warps;
    case '%lanemask_eq':
      return () => (1 << lane()) >>> 0;
    case '%lanemask_lt':
      return () => 2 ** lane() - 1;
    case '%lanemask_le':
      return () => 2 ** (lane() + 1) - 1;
    case '%lanemask_gt':
      return () => 0xffff_ffff - (2 ** (lane() + 1) - 1);
    case '%lanemask_ge':
      return () => 0xffff_ffff - (2 ** lane() - 1);
    case '%clock':
    case '%clock_hi':
    case '%clock64':
      return clockReader(name, cpu);
    case '%globaltimer':
    case '%globaltimer_lo':
    case '%globaltimer_hi':
      return timerReader(name);
    case '%total_smem_size':
      return () => sharedBytes;
    case '%aggr_smem_size':
      return () => sharedBytes + reservedShared;
    case '%envreg2':
      return () => shape.gridWorkspace;
    case '%dynamic_smem_size':
      return () => shape.sharedBytes;
    case '%nsmid':
    case '%cluster_nctarank':
      return () => 1;
    case '%smid':
    case '%gridid':
    case '%cluster_ctarank':
    case '%is_explicit_cluster':
    case '%current_graph_exec':
      return () => 0;
    default:
      return () => {
        const offset = reservedOffsets[name];
        if (offset !== undefined) return offset;
        if (/^%(pm|envreg)/.test(name)) return 0;
        throw machineFault('PTX6030', { what: name });
      };
  }
}

function vectorReader(base: string, dimension: number, cpu: Cpu, shape: LaunchShape): () => Bits {
  const at = (extent: Dim3, beyond: number): number => extent[dimension] ?? beyond;
  switch (base) {
    case '%tid':
      return () => at(cpu.thread.index, 0);
    case '%ntid':
      return () => at(shape.block, 1);
    case '%ctaid':
    case '%clusterid':
      return () => at(cpu.block.index, 0);
    case '%nctaid':
    case '%nclusterid':
      return () => at(shape.grid, 1);
    case '%cluster_nctaid':
      return () => 1;
    default:
      return () => 0;
  }
}

/** A clock that counts executed instructions: it moves forward and is the same in every run. */
function clockReader(name: string, cpu: Cpu): () => Bits {
  return () => {
    const now = BigInt(cpu.executed);
    return name === '%clock_hi' ? now >> 32n : now;
  };
}

function timerReader(name: string): () => Bits {
  return () => {
    const now = BigInt(Math.round(performance.now() * 1e6));
    return name === '%globaltimer_hi' ? now >> 32n : now;
  };
}
