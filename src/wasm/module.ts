/** A module: imported memory and functions, its own functions, and exports. */
import { mostWasmPages } from '../base/wasm-pages.ts';
import { Bytes, unsignedSize } from './bytes.ts';
import type { Code, FunctionBody } from './code.ts';
import { type ValueType, valueTypes } from './opcodes.ts';
import { VectorConstants, writeWords } from './vector-constants.ts';

export interface FunctionType {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

const sections = { custom: 0, type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const;

/** The module name under which everything is imported. */
const namespace = 'env';

/** Globals are declared mutable, so that V8 does not replace each use of a global with its value. */
const mutable = 1;

const endOfExpression = 0x0b;

/** The expected size in bytes of all sections except the code section. */
const sizeOfRest = 16 * 1024;

const branchHintName = 'metadata.code.branch_hint';

export class ModuleBuilder {
  private readonly types = new Map<string, { readonly index: number; readonly type: FunctionType }>();
  private readonly imports: { readonly name: string; readonly type: number }[] = [];
  private readonly functions: { readonly type: number; body: FunctionBody | null }[] = [];
  private readonly exports: { readonly name: string; readonly index: number }[] = [];

  private readonly constants = new VectorConstants();
  private readonly shared: boolean;

  /**
   * @param shared whether the memory is shared between threads; a module can import either a shared or an unshared
   *   memory, not both
   */
  constructor(shared = false) {
    this.shared = shared;
  }

  /** Adds an imported function and returns its index. All imports must be added before the first call to `declare`. */
  importFunction(name: string, type: FunctionType): number {
    if (this.functions.length > 0) throw new Error(`import '${name}' after the first declared function`);
    this.imports.push({ name, type: this.typeIndex(type) });
    return this.imports.length - 1;
  }

  /** Declares a function and returns its index. The body must be added later with `define`. */
  declare(type: FunctionType): number {
    this.functions.push({ type: this.typeIndex(type), body: null });
    return this.imports.length + this.functions.length - 1;
  }

  define(index: number, code: Code): void {
    const declared = this.functions[index - this.imports.length];
    if (declared === undefined) throw new Error(`function ${index} has not been declared`);
    declared.body = code.encode((words) => this.constants.indexOf(words));
  }

  /** Adds a function with its body, and returns its index. */
  add(type: FunctionType, code: Code): number {
    const index = this.declare(type);
    this.define(index, code);
    return index;
  }

  export(name: string, index: number): void {
    this.exports.push({ name, index });
  }

  /** Encodes the module in the binary format. The memory is imported under the name `memory`. */
  encode(): Uint8Array<ArrayBuffer> {
    const bodies = this.functions.map(({ body }) => {
      if (body === null) throw new Error('a function has no body');
      return body.bytes;
    });
    const codeSize = bodies.reduce((sum, body) => sum + unsignedSize(body.length) + body.length, 0);
    const out = new Bytes(codeSize + sizeOfRest);
    for (const byte of [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]) out.byte(byte);
    section(out, sections.type, [...this.types.values()], (bytes, { type }) => {
      bytes.byte(0x60);
      for (const list of [type.parameters, type.results]) {
        bytes.unsigned(list.length);
        for (const value of list) bytes.byte(valueTypes[value]);
      }
    });
    section(out, sections.import, [null, ...this.imports], (bytes, imported) => {
      bytes.name(namespace);
      bytes.name(imported?.name ?? 'memory');
      bytes.byte(imported === null ? 2 : 0);
      // The memory is declared with a minimum of zero pages, so that a memory of any size can be imported.
      if (imported === null) this.memoryLimits(bytes);
      else bytes.unsigned(imported.type);
    });
    section(out, sections.function, this.functions, (bytes, { type }) => bytes.unsigned(type));
    section(out, sections.global, this.constants.values, (bytes, words) => {
      bytes.byte(valueTypes.v128);
      bytes.byte(mutable);
      writeWords(bytes, words);
      bytes.byte(endOfExpression);
    });
    section(out, sections.export, this.exports, (bytes, { name, index }) => {
      bytes.name(name);
      bytes.byte(0);
      bytes.unsigned(index);
    });
    this.branchHints(out);
    out.byte(sections.code);
    out.unsigned(unsignedSize(bodies.length) + codeSize);
    out.unsigned(bodies.length);
    for (const body of bodies) {
      out.unsigned(body.length);
      out.append(body);
    }
    return out.written();
  }

  /**
   * Adds the section that the branch hinting proposal defines; engines that do not implement the proposal ignore it.
   */
  private branchHints(out: Bytes): void {
    const hinted = this.functions.flatMap(({ body }, i) =>
      body === null || body.hints.length === 0 ? [] : [{ index: this.imports.length + i, hints: body.hints }],
    );
    if (hinted.length === 0) return;
    const content = new Bytes();
    content.name(branchHintName);
    content.unsigned(hinted.length);
    for (const { index, hints } of hinted) {
      content.unsigned(index);
      content.unsigned(hints.length);
      for (const { offset, isLikely } of hints) {
        content.unsigned(offset);
        content.byte(1);
        content.byte(isLikely ? 1 : 0);
      }
    }
    append(out, sections.custom, content);
  }

  /**
   * Writes the limits of the imported memory, chosen so that a memory of any size is accepted. For a shared memory,
   * WebAssembly requires a maximum.
   */
  private memoryLimits(bytes: Bytes): void {
    bytes.byte(this.shared ? 3 : 0);
    bytes.unsigned(0);
    if (this.shared) bytes.unsigned(mostWasmPages);
  }

  private typeIndex(type: FunctionType): number {
    const key = `${type.parameters.join()}>${type.results.join()}`;
    const known = this.types.get(key);
    if (known !== undefined) return known.index;
    const index = this.types.size;
    this.types.set(key, { index, type });
    return index;
  }
}

function section<T>(out: Bytes, id: number, items: readonly T[], write: (bytes: Bytes, item: T) => void): void {
  const bytes = new Bytes();
  bytes.unsigned(items.length);
  for (const item of items) write(bytes, item);
  append(out, id, bytes);
}

/** Appends a section, and makes the buffer of its content available again. */
function append(out: Bytes, id: number, content: Bytes): void {
  out.byte(id);
  out.unsigned(content.length);
  out.append(content.written());
  content.release();
}
