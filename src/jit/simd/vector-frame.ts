/** What four threads keep between regions: four elements of each array side by side (thread-frame.ts is for one). */
import type { Code } from '../../wasm/code.ts';
import { pushField } from '../context-field.ts';
import type { FunctionShape, KernelShape } from '../kernel-shape.ts';
import type { ContextField } from '../layout.ts';
import type { Values } from '../values.ts';
import type { Vector, Vectors } from './vectors.ts';

export class VectorFrame {
  private readonly code: Code;
  private readonly shape: KernelShape;
  private readonly fn: FunctionShape;
  private readonly values: Values;
  private readonly vectors: Vectors;
  private readonly words: number;
  private readonly doubleWords: number;

  constructor(code: Code, shape: KernelShape, fn: FunctionShape, values: Values, vectors: Vectors) {
    this.code = code;
    this.shape = shape;
    this.fn = fn;
    this.values = values;
    this.vectors = vectors;
    this.words = code.local('i32');
    this.doubleWords = code.local('i32');
  }

  /** To be written where four threads begin; `thread` is the local with the first. */
  enter(thread: number): void {
    const { code } = this;
    this.field('frames').get(thread).i32(2).op('i32.shl', 'i32.add').tee(this.words);
    code.get(thread).i32(2).op('i32.shl', 'i32.add').set(this.doubleWords);
  }

  /** Pushes a field of the context. */
  field(name: ContextField): Code {
    return pushField(this.code, this.shape.layout, name);
  }

  load(array: number, type: 'i32' | 'i64'): Vector {
    return this.vectors.made(type, (half) => this.push(array, type, half));
  }

  /** Stores what `push` pushes for each vector. */
  store(array: number, type: 'i32' | 'i64', push: (half: number) => unknown): void {
    const { code, shape } = this;
    for (let half = 0; half < (type === 'i64' ? 2 : 1); half++) {
      code.get(this.addressOf(type));
      push(half);
      code.vectorMemory('v128.store', shape.layout.origin + array + 16 * half);
    }
  }

  /** Keeps the registers that are live at a block, but for those that will be written before. */
  save(block: number, except: ReadonlySet<number> = new Set()): void {
    const { code, fn, values, vectors } = this;
    for (const place of fn.live[block] ?? []) {
      if (except.has(place)) continue;
      const { local, type } = values.register(place);
      const array = fn.slots.get(place) as number;
      if (vectors.isVarying(place)) {
        const { locals } = vectors.home(place);
        this.store(array, type, (half) => code.get(locals[half] as number));
      } else {
        this.store(array, type, () => code.get(local).vector(type === 'i64' ? 'i64x2.splat' : 'i32x4.splat'));
      }
    }
  }

  /**
   * The registers that are live at a block. Pushes 1 where one that is the same for threads in step is not the same here:
   * these have gone different ways before.
   */
  restore(block: number): void {
    const { code, fn, values, vectors } = this;
    code.i32(0);
    for (const place of fn.live[block] ?? []) {
      const { local, type } = values.register(place);
      const array = fn.slots.get(place) as number;
      if (vectors.isVarying(place)) {
        vectors.home(place).locals.forEach((home, half) => {
          this.push(array, type, half);
          code.set(home);
        });
        continue;
      }
      const shape = type === 'i64' ? 'i64x2' : 'i32x4';
      this.push(array, type, 0);
      code.lane(`${shape}.extract_lane`, 0).set(local);
      for (let half = 0; half < (type === 'i64' ? 2 : 1); half++) {
        this.push(array, type, half);
        code.get(local).vector(`${shape}.splat`, `${shape}.eq`, `${shape}.all_true`).op('i32.eqz', 'i32.or');
      }
    }
  }

  private push(array: number, type: 'i32' | 'i64', half: number): Code {
    const offset = this.shape.layout.origin + array + 16 * half;
    return this.code.get(this.addressOf(type)).vectorMemory('v128.load', offset);
  }

  private addressOf(type: 'i32' | 'i64'): number {
    return type === 'i64' ? this.doubleWords : this.words;
  }
}
