/** Variables of a loaded module, as the host sees them. */
import { windowBase } from '../machine/address-space.ts';
import type { GlobalMemory } from '../machine/global-memory.ts';
import { sizeOf } from '../check/declarations/sizes.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { ModuleImage } from '../program/module-image.ts';
import { DeviceRange } from './device-range.ts';

/** The module that a variable belongs to, in device memory. */
export interface SymbolHome {
  readonly memory: GlobalMemory;
  readonly image: ModuleImage;
  readonly addressSize: 32 | 64;
}

/**
 * A variable in `.global` or `.const` at module scope. What is written is there for every launch that starts later, and
 * what kernels store in `.global` can be read after a launch.
 */
export class ModuleSymbol extends DeviceRange {
  readonly name: string;
  readonly space: '.global' | '.const';
  /** Bytes. */
  readonly size: number;
  /** Declared element type, such as `.f32`. */
  readonly type: string;
  private readonly offset: number;
  private readonly home: SymbolHome;

  /** Made by `LoadedModule.symbol`. `offset` is its address in global memory, or its offset among the constants. */
  constructor({ name, variable }: VariableSymbol, space: '.global' | '.const', offset: number, home: SymbolHome) {
    super();
    this.name = name;
    this.space = space;
    this.size = sizeOf(variable);
    this.type = variable.type;
    this.offset = offset;
    this.home = home;
  }

  /** Its generic address; of a constant, the one that `cvta.const` computes in as many bits as the module's addresses. */
  get address(): bigint {
    const base = this.space === '.const' ? windowBase('const', this.home.addressSize) : 0n;
    return base + BigInt(this.offset);
  }

  protected bytes(): Uint8Array {
    const { memory, image } = this.home;
    if (this.space === '.global') return memory.bytesAt(this.offset, this.size);
    return image.constants.subarray(this.offset, this.offset + this.size);
  }

  protected get owner(): string {
    return `variable ${this.name}`;
  }
}
