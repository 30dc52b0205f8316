/** Multiplies rows for tcgen05.mma with compiled code, which is generated once for each kind of product. */
import { elementAt } from '../../base/element-at.ts';
import type { MultiplyRow, RowFactors, RowMultiplier, RowProduct } from '../../machine/tensor-memory/multiply-row.ts';
import { compileModule } from '../compile-module.ts';
import { type CompiledFunction, exportedFunction } from '../exported-function.ts';
import { tileKernel, tileRooms } from './tile-kernel.ts';
import { zeroMark } from './vector-chunks.ts';
import { across } from './vector-layout.ts';

const pageBytes = 65_536;

/** The exponents of B include the bias of f32, so that the exponent of a product does. */
const bias = 127;

/** The memory of all kernels, and the product whose factors it contains. */
class Workspace {
  private readonly memory: WebAssembly.Memory;
  private readonly kernels = new Map<string, CompiledFunction>();
  private loaded: RowProduct | null = null;
  private readonly sums: Uint32Array;

  constructor() {
    const pages = Math.ceil(tileRooms.size / pageBytes);
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.sums = new Uint32Array(this.memory.buffer, tileRooms.sums, tileRooms.a / 4);
  }

  multiplier(product: RowProduct): MultiplyRow {
    const multiply = this.kernelFor(product);
    return (row, first, sums) => {
      if (this.loaded !== product) this.load(product);
      this.sums.set(sums);
      if (multiply(row, first / across, sums.length / across) !== 0) return false;
      sums.set(this.sums.subarray(0, sums.length));
      return true;
    };
  }

  private kernelFor({ a, arithmetic, formats }: RowProduct): CompiledFunction {
    const key = JSON.stringify([a.length, arithmetic, formats]);
    const known = this.kernels.get(key);
    if (known !== undefined) return known;
    const module = compileModule(tileKernel({ length: a.length, arithmetic, formats }));
    const instance = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    const made = exportedFunction(instance.exports, 'multiply');
    this.kernels.set(key, made);
    return made;
  }

  private load(product: RowProduct): void {
    const { a, b } = product;
    const inOrder = (line: number, k: number): number => line * a.length + k;
    const inEights = (line: number, k: number): number =>
      across * (Math.floor(line / across) * b.length + k) + (line % across);
    this.loadFactors(a, tileRooms.a, tileRooms.exponentsA, 0, inOrder);
    this.loadFactors(b, tileRooms.b, tileRooms.exponentsB, bias, inEights);
    this.loaded = product;
  }

  private loadFactors(
    { length, values, exponents }: RowFactors,
    valuesAt: number,
    exponentsAt: number,
    offset: number,
    placeOfElement: (line: number, k: number) => number,
  ): void {
    const { buffer } = this.memory;
    const toValues = new Float32Array(buffer, valuesAt, values.length);
    const toExponents = new Int16Array(buffer, exponentsAt, values.length);
    for (let line = 0; line < values.length / length; line++) {
      for (let k = 0; k < length; k++) {
        const at = line * length + k;
        const value = elementAt(values, at);
        const to = placeOfElement(line, k);
        toValues[to] = value;
        toExponents[to] = value === 0 ? zeroMark : elementAt(exponents, at) + offset;
      }
    }
  }
}

let workspace: Workspace | null = null;

export const tileRows: RowMultiplier = (product) => {
  workspace ??= new Workspace();
  return workspace.multiplier(product);
};
