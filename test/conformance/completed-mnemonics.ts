/**
 * Builds mnemonics only from the dot-separated parts that completion offers, and compares them with the mnemonics in
 * the table.
 */
import { Completer } from '../../src/analysis/completion.ts';
import { rowsOf } from '../../src/check/availability.ts';
import { findVariants } from '../../src/check/instructions/resolve.ts';
import { expandForm, type ExpandOptions } from '../../src/isa/expand.ts';
import type { InstructionForm, Variant } from '../../src/isa/form.ts';
import { isAvailable, type Target, type Version } from '../../src/isa/targets.ts';

interface Offered {
  /**
   * The parts that completion offers after a given prefix of a mnemonic. A part is mapped to true if it completes the
   * mnemonic.
   */
  readonly parts: ReadonlyMap<string, boolean>;
  readonly isComplete: boolean;
}

export class CompletedMnemonics {
  private readonly version: Version;
  private readonly target: Target;
  private readonly completer: Completer;
  private readonly offered = new Map<string, Offered>();
  private readonly endings = new Map<string, string | null>();

  constructor(version: Version, target: Target) {
    this.version = version;
    this.target = target;
    this.completer = new Completer({ version, target, addressSize: 64, declaresAddressSize: true, texmode: 'unified' });
    const parts = this.completer.opcodes();
    for (const { text, isComplete } of parts) this.note(text, isComplete);
    this.offered.set('', { parts: flagsOf(parts), isComplete: false });
  }

  /**
   * The legal variants of a form that completion misses: either they cannot be reached by accepting one item after the
   * other, or the completer does not regard them as complete.
   */
  unreached(form: InstructionForm, options: ExpandOptions): readonly string[] {
    return [...expandForm(form, options)]
      .filter((one) => this.isLegal(one) && !this.isReached(one.mnemonic))
      .map((one) => one.mnemonic);
  }

  /**
   * Items that have been offered although they do not lead to a legal mnemonic: either no complete mnemonic can be
   * reached from them, or the checker rejects it.
   */
  misleading(): readonly string[] {
    const beginnings = [...this.offered].flatMap(([beginning, { parts }]) =>
      [...parts.keys()].map((part) => beginning + part),
    );
    return beginnings.filter((beginning) => {
      const ending = this.endingOf(beginning);
      return ending === null || !this.isAccepted(ending);
    });
  }

  /** The number of different prefixes that were tried. */
  get size(): number {
    return this.offered.size;
  }

  private note(text: string, isComplete: boolean): Offered {
    const known = this.offered.get(text);
    if (known !== undefined) return known;
    const made = { parts: flagsOf(this.completer.parts(text)), isComplete };
    this.offered.set(text, made);
    return made;
  }

  private at(beginning: string): Offered {
    const known = this.offered.get(beginning);
    if (known !== undefined) return known;
    const before = beginning.slice(0, beginning.lastIndexOf('.'));
    const last = beginning.slice(before.length);
    const parts = this.offered.get(before)?.parts ?? flagsOf(this.completer.parts(before));
    return this.note(beginning, parts.get(last) === true);
  }

  private isReached(mnemonic: string): boolean {
    const [first = '', ...rest] = mnemonic.split('.');
    if (this.offered.get('')?.parts.has(first) !== true) return false;
    let beginning = first;
    for (const part of rest) {
      if (!this.at(beginning).parts.has(`.${part}`)) return false;
      beginning += `.${part}`;
    }
    return this.at(beginning).isComplete;
  }

  /**
   * The complete mnemonic that results from accepting the first item every time. Null if completion stops offering
   * items before the mnemonic is complete.
   */
  private endingOf(beginning: string): string | null {
    const known = this.endings.get(beginning);
    if (known !== undefined) return known;
    const { parts, isComplete } = this.at(beginning);
    const [next] = parts.keys();
    const ending = isComplete ? beginning : next === undefined ? null : this.endingOf(beginning + next);
    this.endings.set(beginning, ending);
    return ending;
  }

  private isAccepted(mnemonic: string): boolean {
    return findVariants(mnemonic).some((variant) => this.isLegal(variant));
  }

  private isLegal(variant: Variant): boolean {
    return rowsOf(variant).every(({ ways }) => isAvailable(ways, this.version, this.target));
  }
}

function flagsOf(items: readonly { readonly text: string; readonly isComplete: boolean }[]): Offered['parts'] {
  return new Map(items.map(({ text, isComplete }) => [text, isComplete]));
}
