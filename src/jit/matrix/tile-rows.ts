/** Multiplies rows for tcgen05.mma with compiled code, which is generated once for each kind of product. */
import { elementAt } from '../../base/element-at.ts';
import { wasmPageBytes } from '../../base/wasm-pages.ts';
import type {
  GroupFactors,
  MultiplyRow,
  RowFactors,
  RowMultiplier,
  RowProduct,
} from '../../machine/tensor-memory/multiply-row.ts';
import { compileModule } from '../compile-module.ts';
import { type CompiledFunction, exportedFunction } from '../exported-function.ts';
import { columnsTogether, groupBytes, groupElements, groupFields, groupKernel, groupRooms } from './group-kernel.ts';
import { tileKernel, tileRooms } from './tile-kernel.ts';
import { zeroMark } from './vector-chunks.ts';
import { across } from './vector-layout.ts';

/** The f32 bias is added to the exponents of B, so that the exponents of products are biased. */
const bias = 127;

/** The maximum number of sums, which are at the start of the memory. */
const mostSums = 256;

/** For each kind of product, the number of columns that are computed together. */
const together: Readonly<Record<RowProduct['kind'], number>> = { elements: across, groups: columnsTogether };

/** The memory that all kernels share, and the product whose factors this memory currently contains. */
class Workspace {
  private readonly memory: WebAssembly.Memory;
  private readonly kernels = new Map<string, CompiledFunction>();
  private loaded: RowProduct | null = null;
  private readonly sums: Uint32Array;

  constructor() {
    const pages = Math.ceil(Math.max(tileRooms.size, groupRooms.size) / wasmPageBytes);
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.sums = new Uint32Array(this.memory.buffer, 0, mostSums);
  }

  multiplier(product: RowProduct): MultiplyRow {
    const multiply = this.kernelFor(product);
    const width = together[product.kind];
    return (row, first, sums) => {
      if (this.loaded !== product) this.load(product);
      this.sums.set(sums);
      if (multiply(row, first / width, sums.length / width) !== 0) return false;
      sums.set(this.sums.subarray(0, sums.length));
      return true;
    };
  }

  private kernelFor(product: RowProduct): CompiledFunction {
    const { kind, arithmetic } = product;
    const { length } = kind === 'groups' ? product.a.lines : product.a;
    const formats = kind === 'groups' ? null : product.formats;
    const key = JSON.stringify([kind, length, arithmetic, formats]);
    const known = this.kernels.get(key);
    if (known !== undefined) return known;
    const bytes = kind === 'groups' ? groupKernel({ length, arithmetic }) : tileKernel({ length, arithmetic, formats });
    const instance = new WebAssembly.Instance(compileModule(bytes), { env: { memory: this.memory } });
    const made = exportedFunction(instance.exports, 'multiply');
    this.kernels.set(key, made);
    return made;
  }

  private load(product: RowProduct): void {
    const { buffer } = this.memory;
    if (product.kind === 'groups') {
      loadGroups(product.a, 1, new DataView(buffer, groupRooms.a));
      loadGroups(product.b, columnsTogether, new DataView(buffer, groupRooms.b));
    } else {
      const { a, b } = product;
      const { length } = a;
      loadElements(a, 0, areas(buffer, tileRooms.a, tileRooms.exponentsA), (line, k) => line * length + k);
      loadElements(b, bias, areas(buffer, tileRooms.b, tileRooms.exponentsB), (line, k) => {
        return across * (Math.floor(line / across) * length + k) + (line % across);
      });
    }
    this.loaded = product;
  }
}

interface Areas {
  readonly values: Float32Array;
  readonly exponents: Int16Array;
}

function areas(buffer: ArrayBuffer, values: number, exponents: number): Areas {
  return { values: new Float32Array(buffer, values), exponents: new Int16Array(buffer, exponents) };
}

function loadElements(
  { length, values, exponents }: RowFactors,
  offset: number,
  to: Areas,
  placeOf: (line: number, k: number) => number,
): void {
  for (let line = 0; line < values.length / length; line++) {
    for (let k = 0; k < length; k++) {
      const at = line * length + k;
      const value = elementAt(values, at);
      const place = placeOf(line, k);
      to.values[place] = value;
      to.exponents[place] = value === 0 ? zeroMark : elementAt(exponents, at) + offset;
    }
  }
}

/** Elements of e2m1 are multiples of 0.5, so twice an element is an integer. */
const unit = 0.5;

/** @param lanes the number of rows or columns whose fields are interleaved */
function loadGroups({ lines: { length, values }, scales }: GroupFactors, lanes: number, to: DataView): void {
  const groups = length / groupElements;
  for (let line = 0; line < values.length / length; line++) {
    const block = Math.floor(line / lanes) * lanes * groups * groupBytes + 4 * (line % lanes);
    for (let at = 0; at < groups; at++) {
      const start = block + lanes * at * groupBytes;
      const place = (field: number): number => start + lanes * field;
      const scale = line * scales.count + Math.floor((at * scales.count) / groups);
      let mask = 0;
      for (let i = 0; i < groupElements; i++) {
        const value = elementAt(values, line * length + at * groupElements + i) / unit;
        if (value !== 0) mask |= 1 << i;
        to.setInt16(place(groupFields.words + 4 * (i >> 1)) + 2 * (i & 1), value, true);
      }
      to.setFloat32(place(groupFields.significand), elementAt(scales.significands, scale) * unit, true);
      to.setInt32(place(groupFields.exponent), elementAt(scales.exponents, scale), true);
      to.setUint32(place(groupFields.mask), mask, true);
    }
  }
}

let workspace: Workspace | null = null;

export const tileRows: RowMultiplier = (product) => {
  workspace ??= new Workspace();
  return workspace.multiplier(product);
};
