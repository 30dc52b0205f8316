/** Finds the memory areas of the threads of running blocks. */
import { blocksPerCluster } from '../../machine/extents.ts';
import { callSize, returnRegion } from '../calls/call-stack.ts';
import type { Arena, BlockRoom } from './arena.ts';
import type { BlockLaunch } from './block-launch.ts';
import type { Areas } from './faults.ts';
import { context } from '../layout.ts';

export class ThreadMemory {
  private readonly launch: BlockLaunch;
  private readonly arena: Arena;
  private readonly blockOf: Areas['blockOf'];
  private readonly blocksPerCluster: number;

  /** @param blockOf finds a block in the cluster of the running block */
  constructor(launch: BlockLaunch, arena: Arena, blockOf: Areas['blockOf']) {
    this.launch = launch;
    this.arena = arena;
    this.blockOf = blockOf;
    this.blocksPerCluster = blocksPerCluster(launch.shape);
  }

  /** The regions to which a thread's open calls return, beginning with the outermost call. */
  openCalls(room: BlockRoom, thread: number): readonly number[] {
    const { arena } = this;
    const { memory, compiled } = this.launch;
    const regions: number[] = [];
    if (compiled.callBytes === 0) return regions;
    const start = room.calls + thread * arena.callStride;
    let bytes = Number(memory.load(room.frames + compiled.frame.depth + 4 * thread, 32));
    for (; bytes > 0; bytes -= callSize(memory, start + bytes)) regions.push(returnRegion(memory, start + bytes));
    return regions.reverse();
  }

  /** The offset in a thread's local memory at which the activation of the running function begins. */
  baseOf(room: BlockRoom, thread: number): number {
    const { compiled, memory } = this.launch;
    if (compiled.callBytes === 0) return 0;
    return Number(memory.load(room.frames + compiled.frame.base + 4 * thread, 32));
  }

  /** @param localEnd end of the running activation; accesses to local memory must not go beyond it */
  areas(room: BlockRoom, thread: number, localEnd: number): Areas {
    const rank = this.arena.contextOf(room)[context.rank / 4] ?? 0;
    const { arena, launch, blocksPerCluster: inCluster, blockOf } = this;
    const { stackBytes, tensorBytes, shared, local, parameters, clusterBarrier } = launch.compiled;
    const own = room.local + thread * arena.localStride;
    return {
      shared: { address: room.shared, size: arena.sharedSize, named: shared },
      local: stackBytes === 0 ? null : { address: own, size: localEnd, named: local },
      tensor: tensorBytes === 0 ? null : { address: room.tensor, size: tensorBytes, named: [] },
      const: { address: arena.constants, size: launch.constants.byteLength, named: launch.constantRegions },
      param: { address: arena.parameters, size: launch.parameters.byteLength, named: parameters },
      blocksPerCluster: inCluster,
      rank,
      blockOf,
      clusterBarrier,
    };
  }
}
