/**
 * The shared memory of a block, as seen by the other blocks of the cluster. They access it through addresses that
 * contain the block's rank.
 */
import { startOfRank } from '../../isa/spaces.ts';
import type { Bits } from '../../base/bits.ts';
import { formatAddress } from './address-space.ts';
import { machineFault } from '../fault.ts';
import type { Access, Memory, Segment } from './segment.ts';

/**
 * All bytes are considered written, because the block that owns them may be running and writing to them at the same
 * time.
 */
export class SharedOfRank implements Memory {
  private readonly rank: number;
  private readonly start: number;
  private readonly segment: Segment | null;

  /** @param segment null if the block has ended */
  constructor(rank: number, segment: Segment | null) {
    this.rank = rank;
    this.start = startOfRank(rank);
    this.segment = segment;
  }

  check(access: Access, offset: number, size: number): void {
    if (this.segment === null) throw noBlock(this.rank, access, offset, size);
    this.segment.check(access, offset - this.start, size);
  }

  load(offset: number, width: number): Bits {
    return this.open().load(offset - this.start, width);
  }

  store(offset: number, width: number, bits: Bits): void {
    this.open().store(offset - this.start, width, bits);
  }

  private open(): Segment {
    if (this.segment === null) throw new Error(`block ${this.rank} of the cluster was not checked`);
    return this.segment;
  }
}

/** Creates the fault for an access to the shared memory of a block that has ended. */
export function noBlock(rank: number, access: Access, offset: number, size: number): Error {
  const where = { space: 'shared', address: formatAddress(offset) } as const;
  const near = `; the block with rank ${rank} in the cluster has exited`;
  return machineFault('PTX6001', { access, size: String(size), near, ...where }, where);
}
