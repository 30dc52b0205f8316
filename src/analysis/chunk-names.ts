/** The names that a chunk declares or uses. They show whether a changed declaration can affect the chunk. */

/** A name split into its stem and the number at its end. The number is -1 if the name does not end in a number. */
export interface NameKey {
  readonly stem: string;
  readonly number: number;
}

const name: RegExp = /[A-Za-z_$%][\w$]*/g;
const numbered: RegExp = /^([A-Za-z%].*?)(\d{1,9})$/;

/**
 * For names that end in a number, only the highest number for each stem is kept, because a register family declares all
 * names below a number.
 */
export class ChunkNames {
  private readonly highest: ReadonlyMap<string, number>;

  private constructor(highest: ReadonlyMap<string, number>) {
    this.highest = highest;
  }

  static of(text: string): ChunkNames {
    const highest = new Map<string, number>();
    const words = new Set(text.match(name) ?? []);
    for (const word of words) {
      const { stem, number } = keyOf(word);
      if ((highest.get(stem) ?? -2) < number) highest.set(stem, number);
    }
    return new ChunkNames(highest);
  }

  /** Whether the chunk may contain this name, or a name with the same stem and a higher number. */
  mayContain({ stem, number }: NameKey): boolean {
    return (this.highest.get(stem) ?? -2) >= number;
  }
}

export function keyOf(word: string): NameKey {
  const [, stem, digits] = numbered.exec(word) ?? [];
  return stem === undefined ? { stem: word, number: -1 } : { stem, number: Number(digits) };
}
