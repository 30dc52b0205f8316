/**
 * Accesses the values of a thread that are kept in memory rather than in a region's locals. These values are the
 * thread's elements in the arrays of the block's frames.
 */
import type { Code } from '../../wasm/code.ts';
import { pushField } from '../context-field.ts';
import type { FunctionShape } from './function-shape.ts';
import type { KernelShape } from './kernel-shape.ts';
import type { ContextField } from '../layout.ts';
import { type IntegerType, upperPlace, type Values } from './values.ts';

export class ThreadFrame {
  private readonly code: Code;
  private readonly shape: KernelShape;
  private readonly fn: FunctionShape;
  private readonly values: Values;
  private readonly thread: number;
  /**
   * Locals that contain base addresses for this thread: `words` for arrays with 4-byte elements, and `doubleWords` for
   * arrays with 8-byte elements. The base address plus the offset of an array is the address of the thread's element.
   */
  private readonly words: number;
  private readonly doubleWords: number;

  constructor(code: Code, shape: KernelShape, fn: FunctionShape, values: Values, thread: number) {
    this.code = code;
    this.shape = shape;
    this.fn = fn;
    this.values = values;
    this.thread = thread;
    this.words = code.local('i32');
    this.doubleWords = code.local('i32');
  }

  /** Computes the base addresses. Must be called where the code of a thread begins. */
  enter(): void {
    const { code, thread } = this;
    this.field('frames').get(thread).i32(2).op('i32.shl', 'i32.add').tee(this.words);
    code.get(thread).i32(2).op('i32.shl', 'i32.add').set(this.doubleWords);
  }

  /** Pushes a field of the block's context. */
  field(name: ContextField): Code {
    return pushField(this.code, this.shape.layout, name);
  }

  /** Pushes the thread's element in an array. */
  load(array: number, type: 'i32' | 'i64' = 'i32'): Code {
    return this.code.get(this.elements(type)).memory(`${type}.load`, this.shape.layout.origin + array);
  }

  store(array: number, push: () => unknown, type: 'i32' | 'i64' = 'i32'): void {
    this.code.get(this.elements(type));
    push();
    this.code.memory(`${type}.store`, this.shape.layout.origin + array);
  }

  /** Stores registers in the frame. */
  save(places: Iterable<number>): void {
    const { values } = this;
    this.eachSlot(places, (half, slot, type) => this.store(slot, () => values.getPlace(half, type), type));
  }

  /** Loads registers from the frame. */
  restore(places: Iterable<number>): void {
    const { values } = this;
    this.eachSlot(places, (half, slot, type) => {
      this.load(slot, type);
      values.setPlace(half, type);
    });
  }

  /**
   * Calls `body` with the offset of each register's array. The two halves of a 128-bit register have separate arrays.
   */
  private eachSlot(places: Iterable<number>, body: (half: number, slot: number, type: IntegerType) => void): void {
    const { fn, values } = this;
    const one = (half: number): void => {
      const slot = fn.slots.get(half);
      if (slot !== undefined) body(half, slot, values.registerType(half));
    };
    for (const place of places) {
      one(place);
      one(upperPlace(fn.program, place));
    }
  }

  private elements(type: 'i32' | 'i64'): number {
    return type === 'i64' ? this.doubleWords : this.words;
  }
}
