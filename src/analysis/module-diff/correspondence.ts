/** Keeps track of pairs of registers, one from each of two functions, that hold the same values. */
import { elementAt } from '../../base/element-at.ts';
import type { NormalLine, NormalName } from './normal-body.ts';

type Same = (a: string, b: string) => boolean;

/**
 * Goes through the instructions of two functions in parallel. A pair of writes makes two registers correspond; a later
 * read of one must then be paired with a read of the other. An instruction that has no counterpart in the other
 * function ends the correspondence of the registers that it writes.
 */
export class Correspondence {
  private readonly toB = new Map<number, number>();
  private readonly toA = new Map<number, number>();
  private readonly sameSymbol: Same;
  private readonly sameLabel: Same;

  constructor(sameSymbol: Same, sameLabel: Same) {
    this.sameSymbol = sameSymbol;
    this.sameLabel = sameLabel;
  }

  /**
   * Returns whether two instructions of the same shape use corresponding names, and records the registers that they
   * write.
   */
  follow(a: NormalLine, b: NormalLine): boolean {
    if (a.names.length !== b.names.length) {
      this.forgetA(a);
      this.forgetB(b);
      return false;
    }
    let agrees = true;
    a.names.forEach((one, i) => {
      if (!this.agree(one, elementAt(b.names, i))) agrees = false;
    });
    a.names.forEach((one, i) => this.noteWrite(one, elementAt(b.names, i)));
    return agrees;
  }

  private agree(one: NormalName, other: NormalName): boolean {
    if (one.kind === 'register') return other.kind === 'register' && this.agreeInRegister(one, other);
    if (one.kind === 'argument') return other.kind === 'argument' && this.agreeInPlace(one.place, other.place);
    if (other.kind === 'register' || other.kind === 'argument' || one.kind !== other.kind) return false;
    return one.kind === 'label' ? this.sameLabel(one.name, other.name) : this.sameSymbol(one.name, other.name);
  }

  private agreeInRegister(one: NormalName & { kind: 'register' }, other: NormalName & { kind: 'register' }): boolean {
    return one.role === 'write' || this.agreeInPlace(one.place, other.place);
  }

  private agreeInPlace(one: number, other: number): boolean {
    const inB = this.toB.get(one);
    const inA = this.toA.get(other);
    if (inB !== undefined || inA !== undefined) return inB === other;
    this.pair(one, other);
    return true;
  }

  private noteWrite(one: NormalName, other: NormalName): void {
    if (one.kind === 'register' && one.role === 'write') this.forgetPlaceA(one.place);
    if (other.kind === 'register' && other.role === 'write') this.forgetPlaceB(other.place);
    const isPair = one.kind === 'register' && other.kind === 'register';
    if (isPair && one.role === 'write' && other.role === 'write') this.pair(one.place, other.place);
  }

  private pair(one: number, other: number): void {
    this.toB.set(one, other);
    this.toA.set(other, one);
  }

  /**
   * Records an instruction that occurs only in the first function: the registers that it writes lose their
   * counterparts.
   */
  forgetA({ names }: NormalLine): void {
    for (const name of names) if (name.kind === 'register' && name.role === 'write') this.forgetPlaceA(name.place);
  }

  forgetB({ names }: NormalLine): void {
    for (const name of names) if (name.kind === 'register' && name.role === 'write') this.forgetPlaceB(name.place);
  }

  private forgetPlaceA(place: number): void {
    const other = this.toB.get(place);
    this.toB.delete(place);
    if (other !== undefined) this.toA.delete(other);
  }

  private forgetPlaceB(place: number): void {
    const one = this.toA.get(place);
    this.toA.delete(place);
    if (one !== undefined) this.toB.delete(one);
  }
}
