/**
 * Memory in which conversions read and write arrays in place. Arrays outside such memory must be copied into it and
 * back.
 */
import { PtxlabError } from '../base/error.ts';
import { requireArgument } from '../base/require.ts';
import { shown } from '../base/rules.ts';
import { mostWasmPages, wasmPageBytes } from '../base/wasm-pages.ts';
import { staging } from '../jit/arrays/array-plan.ts';
import type { FormatName } from '../numerics/formats.ts';
import { requireFormat } from './names.ts';
import { type ArrayOf, arrayOver, type Packing, packingRule, storageOf, storedBytes } from './storage.ts';

/**
 * Number of unused bytes between two arrays. They are needed because the code that reads a group of elements may read
 * this many bytes past the end of an array.
 */
const gap = 64;

let made = 0;
const workspaces = new WeakMap<ArrayBufferLike, Workspace>();

/** The workspace that contains an array, or null. */
export function workspaceOf(array: ArrayBufferView | ArrayBufferLike): Workspace | null {
  return workspaces.get(ArrayBuffer.isView(array) ? array.buffer : array) ?? null;
}

/**
 * Allocates arrays in one piece of memory that `convert` accesses without copying. For arrays that are larger than the
 * processor's cache, this is up to twice as fast. If memory can be shared, as in Node, worker threads also access the
 * arrays without copying.
 *
 * ```ts
 * const workspace = new Workspace(2 ** 27);
 * const weights = workspace.array('f32', 2 ** 24);
 * const codes = workspace.array('e4m3', 2 ** 24);
 * convert(weights, { to: 'e4m3', out: codes });
 * ```
 */
export class Workspace {
  /**
   * The memory that the conversion kernels access. The kernels use the first bytes of the memory as their own work
   * area.
   */
  readonly memory: WebAssembly.Memory;
  /** The workspace's number, counted from 1. */
  readonly id: number;
  private readonly bytes: number;
  private used: number;

  /**
   * @param bytes size of the workspace: the total size of its arrays, plus 64 bytes for each array; at most 4 GiB
   * @throws PtxlabError `out-of-memory`
   */
  constructor(bytes: number) {
    const isSize = Number.isSafeInteger(bytes) && bytes >= 0;
    const pages = isSize ? Math.ceil((bytes + staging.bytes) / wasmPageBytes) : mostWasmPages + 1;
    if (pages > mostWasmPages) {
      throw new PtxlabError('out-of-memory', `a workspace has at most 4 GiB; ${shown(bytes)} bytes do not fit`);
    }
    this.memory = newMemory(pages);
    this.id = ++made;
    this.bytes = pages * wasmPageBytes;
    this.used = staging.bytes;
    workspaces.set(this.memory.buffer, this);
  }

  /** The number of bytes that are still free. */
  get free(): number {
    return this.bytes - this.used;
  }

  /**
   * Creates an array of `count` elements. All of its bytes are initially zero.
   *
   * @throws PtxlabError `out-of-memory`, `bad-packing`, `bad-count`, `bad-option`; for an unknown `format`, the same
   *   codes as `convert`
   */
  array<T extends FormatName>(format: T, count: number, packing?: Packing): ArrayOf<T>;
  array(format: FormatName, count: number, packing?: Packing): ArrayOf<FormatName> {
    const name = requireFormat(format);
    if (packing !== undefined) requireArgument('packing', packing, packingRule, 'bad-option');
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new PtxlabError('bad-count', `${shown(count)} is not a number of elements`);
    }
    const size = storedBytes(storageOf(name, packing), count);
    if (size + gap > this.free) {
      throw new PtxlabError(
        'out-of-memory',
        `${size} bytes do not fit in the ${this.free} bytes that the workspace has left`,
      );
    }
    const start = this.used;
    this.used += Math.ceil((size + gap) / 16) * 16;
    return arrayOver(name, this.memory.buffer, start, size);
  }

  /** Frees the memory of all arrays in the workspace. Arrays that are created later overwrite the old arrays. */
  clear(): void {
    new Uint8Array(this.memory.buffer, staging.bytes, this.used - staging.bytes).fill(0);
    this.used = staging.bytes;
  }
}

/** Shared memory if possible; in a browser, this requires a cross-origin isolated page. */
function newMemory(pages: number): WebAssembly.Memory {
  if (typeof WebAssembly === 'undefined') {
    throw new PtxlabError('no-webassembly', 'a workspace needs WebAssembly memory, which is not available here');
  }
  try {
    if (typeof SharedArrayBuffer === 'function') {
      return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    }
    return new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch (cause) {
    throw new PtxlabError('out-of-memory', `${pages * wasmPageBytes} bytes of memory are not available`, { cause });
  }
}
