/** The global memory that a launch borrows: its parameters and constants, and the memory of each running block. */
import { signedAt } from '../../base/typed-reads.ts';
import type { EngineMemory } from '../../machine/memory/engine-memory.ts';
import { blockIndexOf, blockNumberOf, blocksPerCluster, threadsOf } from '../../machine/extents.ts';
import { clusterLimit, type LaunchShape } from '../../machine/launch.ts';
import { placeMufuTables } from '../../machine/mufu-memory.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';
import { alignTo16, context, type ContextField, contextSize } from '../layout.ts';
import { tableBytes } from '../textures/texture-table.ts';
import { keysOf } from '../../base/records.ts';

/** The memory of one running block, as addresses in global memory. */
export interface BlockRoom {
  readonly context: number;
  readonly frames: number;
  readonly shared: number;
  readonly tensor: number;
  readonly local: number;
  readonly calls: number;
}

export interface ArenaOptions {
  readonly compiled: CompiledKernel;
  readonly shape: LaunchShape;
  readonly memory: EngineMemory;
  readonly parameters: Uint8Array;
  readonly constants: Uint8Array;
}

/**
 * The number of bytes that a launch borrows. The launch needs `common` bytes once, and `room` bytes for each running
 * block.
 */
export interface ArenaNeeds {
  readonly common: number;
  readonly room: number;
}

export function arenaNeeds({ compiled, shape, parameters, constants }: Omit<ArenaOptions, 'memory'>): ArenaNeeds {
  const { frame, sharedBytes, tensorBytes, stackBytes, callBytes } = compiled;
  return {
    common:
      alignTo16(parameters.byteLength) + alignTo16(constants.byteLength) + (compiled.readsTextures ? tableBytes : 0),
    room:
      contextSize +
      alignTo16(frame.size) +
      alignTo16(sharedBytes + shape.sharedBytes) +
      tensorBytes +
      (alignTo16(stackBytes) + alignTo16(callBytes)) * threadsOf(shape),
  };
}

export class Arena {
  readonly parameters: number;
  readonly constants: number;
  readonly sharedSize: number;
  private readonly textureTable: number;
  private readonly options: ArenaOptions;
  private readonly threads: number;
  private readonly roomSize: number;
  private readonly rooms: BlockRoom[] = [];
  private readonly free: BlockRoom[] = [];

  constructor(options: ArenaOptions) {
    const { compiled, shape, memory, parameters, constants } = options;
    const needs = arenaNeeds(options);
    this.options = options;
    this.threads = threadsOf(shape);
    this.sharedSize = compiled.sharedBytes + shape.sharedBytes;
    this.parameters = memory.borrow(needs.common);
    this.constants = this.parameters + alignTo16(parameters.byteLength);
    memory.bytesAt(this.parameters, parameters.byteLength).set(parameters);
    memory.bytesAt(this.constants, constants.byteLength).set(constants);
    this.textureTable = this.constants + alignTo16(constants.byteLength);
    if (compiled.readsTextures) memory.bytesAt(this.textureTable, tableBytes).fill(0);
    if (compiled.usesSpecialFunctions) placeMufuTables(memory);
    this.roomSize = needs.room;
  }

  get localStride(): number {
    return alignTo16(this.options.compiled.stackBytes);
  }

  get callStride(): number {
    return alignTo16(this.options.compiled.callBytes);
  }

  get slowTiles(): number {
    return this.rooms.reduce((sum, room) => sum + (this.contextOf(room)[context.slowTiles / 4] ?? 0), 0);
  }

  /**
   * The number of blocks that can run at the same time if their data must fit in `bytes` bytes. The result is always at
   * least 1.
   */
  roomsWithin(bytes: number): number {
    return Math.max(1, Math.floor(bytes / this.roomSize));
  }

  /**
   * Provides memory for the block with the number `block`, fills in the block's context, and clears its shared memory.
   */
  enter(block: number): BlockRoom {
    const room = this.free.pop() ?? this.makeRoom();
    const { memory, shape } = this.options;
    const [x, y, z] = blockIndexOf(block, shape);
    const words = this.contextOf(room);
    words[context.blockX / 4] = x;
    words[context.blockY / 4] = y;
    words[context.blockZ / 4] = z;
    words[context.rank / 4] = block % blocksPerCluster(shape);
    words[context.strayed / 4] = 0;
    if (this.sharedSize > 0) memory.bytesAt(room.shared, this.sharedSize).fill(0);
    const { tensorBytes } = this.options.compiled;
    if (tensorBytes > 0) memory.bytesAt(room.tensor, tensorBytes).fill(0);
    return room;
  }

  /** The number of the block that uses this memory or, if the memory is free, of the block that used it last. */
  blockOf(room: BlockRoom): number {
    const words = this.contextOf(room);
    const at = (field: number): number => signedAt(words, field / 4);
    return blockNumberOf([at(context.blockX), at(context.blockY), at(context.blockZ)], this.options.shape);
  }

  /** Returns a view of the fields of a context. The view is valid until the memory grows. */
  contextOf(room: BlockRoom): Int32Array {
    const bytes = this.options.memory.bytesAt(room.context, contextSize);
    return new Int32Array(bytes.buffer, bytes.byteOffset, contextSize / 4);
  }

  /**
   * Writes the shared memory addresses of all blocks of a cluster to the context of each of these blocks. `rooms` must
   * be in the order of the blocks' ranks.
   */
  connect(rooms: readonly BlockRoom[], hasExited: (rank: number) => boolean = () => false): void {
    const first = context.clusterMemories / 4;
    for (const room of rooms) {
      const words = this.contextOf(room).fill(0, first, first + clusterLimit);
      rooms.forEach(({ shared }, rank) => {
        if (!hasExited(rank)) words[first + rank] = shared;
      });
    }
  }

  leave(room: BlockRoom): void {
    this.free.push(room);
  }

  release(): void {
    const { memory } = this.options;
    memory.giveBack(this.parameters);
    for (const room of this.rooms) memory.giveBack(room.context);
  }

  private makeRoom(): BlockRoom {
    const base = this.options.memory.borrow(this.roomSize);
    const frames = base + contextSize;
    const shared = frames + alignTo16(this.options.compiled.frame.size);
    const tensor = shared + alignTo16(this.sharedSize);
    const local = tensor + this.options.compiled.tensorBytes;
    const room = { context: base, frames, shared, tensor, local, calls: local + this.localStride * this.threads };
    this.rooms.push(room);
    this.describe(room);
    this.connect([room]);
    return room;
  }

  /** Writes the fields of a context that are the same for every block. */
  private describe(room: BlockRoom): void {
    const { shape } = this.options;
    const fields = {
      fuel: 0,
      slowTiles: 0,
      rejoinLoss: 0,
      threadsX: shape.block[0],
      threadsY: shape.block[1],
      threadsZ: shape.block[2],
      blocksX: shape.grid[0],
      blocksY: shape.grid[1],
      blocksZ: shape.grid[2],
      sharedSize: this.sharedSize,
      dynamicShared: shape.sharedBytes,
      clusterX: shape.cluster[0],
      clusterY: shape.cluster[1],
      clusterZ: shape.cluster[2],
      hasClusters: shape.hasClusters ? 1 : 0,
      blocksPerCluster: blocksPerCluster(shape),
      gridWorkspace: shape.gridWorkspace,
      threads: this.threads,
      shared: room.shared,
      tensor: room.tensor,
      local: room.local,
      frames: room.frames,
      calls: room.calls,
      parameters: this.parameters,
      constants: this.constants,
      textureTable: this.textureTable,
    } satisfies Partial<Record<ContextField, number>>;
    const words = this.contextOf(room);
    for (const name of keysOf(fields)) words[context[name] / 4] = fields[name];
  }
}
