/**
 * Accesses the values that four threads keep in the frame between regions: four consecutive elements of each array.
 * thread-frame.ts is the counterpart for a single thread.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Code } from '../../wasm/code.ts';
import { pushField } from '../context-field.ts';
import type { FunctionShape } from '../regions/function-shape.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import type { ContextField } from '../layout.ts';
import type { IntegerType, Values } from '../regions/values.ts';
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

  /**
   * Writes code that computes addresses. Must be called where the code for four threads begins. `thread` is the local
   * that holds the index of the first thread.
   */
  enter(thread: number): void {
    const { code } = this;
    this.field('frames').get(thread).i32(2).op('i32.shl', 'i32.add').tee(this.words);
    code.get(thread).i32(2).op('i32.shl', 'i32.add').set(this.doubleWords);
  }

  /** Pushes a field of the block's context. */
  field(name: ContextField): Code {
    return pushField(this.code, this.shape.layout, name);
  }

  load(array: number, type: 'i32' | 'i64'): Vector {
    return this.vectors.made(type, (half) => this.push(array, type, half));
  }

  /** Pushes the first thread's element of an array. */
  loadFirst(array: number, type: IntegerType): void {
    this.code.get(this.addressOf(type)).memory(`${type}.load`, this.shape.layout.origin + array);
  }

  /** Stores elements of the four threads in an array; `push` pushes the vectors that contain them. */
  store(array: number, type: 'i32' | 'i64', push: (half: number) => unknown): void {
    const { code, shape } = this;
    for (let half = 0; half < (type === 'i64' ? 2 : 1); half++) {
      code.get(this.addressOf(type));
      push(half);
      code.vectorMemory('v128.store', shape.layout.origin + array + 16 * half);
    }
  }

  /** Stores registers in the frame. If a value is the same for all four threads, each of them gets a copy. */
  save(places: Iterable<number>): void {
    const { code, values, vectors } = this;
    for (const place of places) {
      const type = values.registerType(place);
      if (vectors.isVarying(place)) {
        const { locals } = vectors.home(place);
        this.store(this.slotOf(place), type, (half) => code.get(elementAt(locals, half)));
      } else {
        this.store(this.slotOf(place), type, () => {
          values.getPlace(place, type);
          code.vector(type === 'i64' ? 'i64x2.splat' : 'i32x4.splat');
        });
      }
    }
  }

  /**
   * Loads registers from the frame. A value that is the same for all four threads is loaded from the first thread's
   * element.
   */
  restore(places: Iterable<number>): void {
    const { code, shape, values, vectors } = this;
    for (const place of places) {
      const type = values.registerType(place);
      const array = this.slotOf(place);
      if (vectors.isVarying(place)) {
        vectors.home(place).locals.forEach((home, half) => {
          this.push(array, type, half);
          code.set(home);
        });
        continue;
      }
      code.get(this.addressOf(type)).memory(`${type}.load`, shape.layout.origin + array);
      values.setPlace(place, type);
    }
  }

  /**
   * Pushes 1 if the four threads have different values in a register that is expected to be the same for all of them,
   * and otherwise 0.
   */
  pushDisagreement(places: Iterable<number>): void {
    const { code, values, vectors } = this;
    code.i32(0);
    for (const place of places) {
      if (vectors.isVarying(place)) continue;
      const type = values.registerType(place);
      this.pushDifference(this.slotOf(place), type);
      code.op('i32.or');
    }
  }

  /** Pushes 1 if the four threads' elements of an array differ, otherwise 0. */
  pushDifference(array: number, type: IntegerType): void {
    const { code, shape } = this;
    const shapeName = type === 'i64' ? 'i64x2' : 'i32x4';
    const [first, differs] = [code.local(type), code.local('i32')];
    code
      .get(this.addressOf(type))
      .memory(`${type}.load`, shape.layout.origin + array)
      .set(first);
    code.i32(0).set(differs);
    for (let half = 0; half < (type === 'i64' ? 2 : 1); half++) {
      this.push(array, type, half);
      code.get(first).vector(`${shapeName}.splat`, `${shapeName}.eq`, `${shapeName}.all_true`);
      code.op('i32.eqz').get(differs).op('i32.or').set(differs);
    }
    code.get(differs);
  }

  private slotOf(place: number): number {
    const slot = this.fn.slots.get(place);
    if (slot === undefined) throw new Error(`slot ${place} is not kept in the frame`);
    return slot;
  }

  private push(array: number, type: 'i32' | 'i64', half: number): Code {
    const offset = this.shape.layout.origin + array + 16 * half;
    return this.code.get(this.addressOf(type)).vectorMemory('v128.load', offset);
  }

  private addressOf(type: 'i32' | 'i64'): number {
    return type === 'i64' ? this.doubleWords : this.words;
  }
}
