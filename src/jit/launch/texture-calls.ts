/** Reads textures and accesses texels of surfaces on behalf of compiled code. */
import { operandStarts } from '../../isa/texture-read.ts';
import type { EngineMemory } from '../../machine/memory/engine-memory.ts';
import type { LevelTexels } from '../../machine/textures/level-texels.ts';
import type { TextureOperands } from '../../machine/textures/sampling.ts';
import { Textures } from '../../machine/textures/textures.ts';
import type { EngineCall } from '../engine-call.ts';
import { context } from '../layout.ts';
import { entryBytes, type EntryKey, entryOffset, isEntryOf, wayOf, writeEntry } from '../textures/texture-table.ts';

/** The operands and results in the context of a block. */
interface ContextWords {
  readonly context: number;
  readonly operands: TextureOperands;
  readonly results: Uint32Array;
}

export class TextureCalls {
  private readonly memory: EngineMemory;
  private readonly textures: Textures;
  /** The operands and results of the block that made the last call. */
  private words: ContextWords | null = null;

  constructor(memory: EngineMemory) {
    this.memory = memory;
    this.textures = new Textures(memory);
  }

  read(call: EngineCall, texture: number, sampler: number, blockContext: number): void {
    if (call.kind !== 'texture-read') throw new Error(`a call of kind '${call.kind}' does not read a texture`);
    const { operands, results } = this.wordsOf(blockContext);
    const level = this.textures.read(call.read, texture, sampler, operands, results);
    const way = level === null ? null : wayOf(call.read);
    if (level !== null && way !== null) this.noteInTable({ way, texture, sampler }, level, blockContext);
  }

  /** Adds the texture to the table, so that compiled code can read the texture by itself from now on. */
  private noteInTable(key: EntryKey, level: LevelTexels, blockContext: number): void {
    const table = Number(this.memory.load(blockContext + context.textureTable, 32));
    const bytes = this.memory.bytesAt(table + entryOffset(key), entryBytes);
    const entry = new DataView(bytes.buffer, bytes.byteOffset, entryBytes);
    // The entry may already exist, because the engine always handles reads outside the texture.
    if (!isEntryOf(entry, key)) writeEntry(entry, key, level);
  }

  /**
   * Returns the address of the texel that an instruction accesses. If the instruction is a store, also stores the
   * texel.
   */
  access(call: EngineCall, surface: number, blockContext: number): number {
    const { integers } = this.wordsOf(blockContext).operands;
    if (call.kind === 'surface-address') return this.textures.addressOf(call.place, surface, integers);
    if (call.kind !== 'surface-store') throw new Error(`a call of kind '${call.kind}' does not access a surface`);
    return this.textures.store(call.place, surface, integers, call.values);
  }

  private wordsOf(blockContext: number): ContextWords {
    const { words, memory } = this;
    // Views become empty when memory grows, unless the memory is shared with workers.
    if (words?.context === blockContext && words.results.length > 0) return words;
    const operands = memory.bytesAt(blockContext + context.textureOperands, 4 * operandStarts.count);
    const { buffer, byteOffset } = operands;
    const results = memory.bytesAt(blockContext + context.results, 16);
    const made = {
      context: blockContext,
      operands: {
        integers: new Int32Array(buffer, byteOffset, operandStarts.count),
        floats: new Float32Array(buffer, byteOffset, operandStarts.count),
      },
      results: new Uint32Array(results.buffer, results.byteOffset, 4),
    };
    this.words = made;
    return made;
  }
}
