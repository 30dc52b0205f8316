/** The host's view of a loaded module's variables. */
import { windowBase } from '../machine/memory/address-space.ts';
import type { GlobalMemory } from '../machine/memory/global-memory.ts';
import { sizeOf } from '../check/declarations/sizes.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { ModuleImage } from '../program/module-image.ts';
import { DeviceRange } from './device-range.ts';

/**
 * Describes the loaded module that a variable belongs to: the device memory, the module's image in that memory, and the
 * module's address size.
 */
export interface SymbolHome {
  readonly memory: GlobalMemory;
  readonly image: ModuleImage;
  readonly addressSize: 32 | 64;
}

/**
 * A module-scope variable in `.global` or `.const`. A write by the host is visible to every launch that starts after
 * the write. Once a launch has ended, the host can read the values that the kernel stored in `.global` variables.
 */
export class ModuleSymbol extends DeviceRange {
  readonly name: string;
  readonly space: '.global' | '.const';
  /** Size in bytes. */
  readonly size: number;
  /** Declared element type, such as `.f32`. */
  readonly type: string;
  private readonly offset: number;
  private readonly home: SymbolHome;

  /**
   * Created by `LoadedModule.symbol`. For a variable in `.global`, `offset` is its address in global memory; for a
   * variable in `.const`, it is the offset in constant memory.
   */
  constructor({ name, variable }: VariableSymbol, space: '.global' | '.const', offset: number, home: SymbolHome) {
    super(home.memory);
    this.name = name;
    this.space = space;
    this.size = sizeOf(variable);
    this.type = variable.type;
    this.offset = offset;
    this.home = home;
  }

  /**
   * The variable's generic address. For a constant, this is the address that `cvta.const` computes in a module with
   * this address size.
   */
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
