/**
 * Reads and writes words in the frames of a block's threads. The words contain the state of each thread, the mask of
 * the group in which the thread waits, and the values that the thread exchanges with other threads.
 */
import { signedAt } from '../../base/typed-reads.ts';
import type { BlockCode } from './block-code.ts';

export class ThreadWords {
  private readonly code: BlockCode;
  private readonly stateArray: number;
  private readonly maskArray: number;
  private words: Int32Array = new Int32Array(0);

  constructor(code: BlockCode) {
    const { state, mask } = code.compiled.frame;
    this.code = code;
    this.stateArray = state;
    this.maskArray = mask;
  }

  /**
   * Gets a new view of the words. If other blocks have run, this function must be called before the words are used
   * again.
   */
  refresh(): void {
    this.words = this.code.words();
  }

  stateOf(thread: number): number {
    return this.at(this.stateArray, thread);
  }

  setState(thread: number, word: number): void {
    this.set(this.stateArray, thread, word);
  }

  /** The member mask of the group in which a thread of a warp waits. */
  maskOf(thread: number): number {
    return this.at(this.maskArray, thread) >>> 0;
  }

  setMask(thread: number, mask: number): void {
    this.set(this.maskArray, thread, mask);
  }

  /**
   * Frames consist of arrays that have one word for each thread. Returns the word of a thread in the array that begins
   * at byte offset `array`.
   */
  at(array: number, thread: number): number {
    return signedAt(this.words, array / 4 + thread);
  }

  set(array: number, thread: number, word: number): void {
    this.words[array / 4 + thread] = word;
  }
}
