/**
 * Computes shapes of instructions and of `.loc` directives. The shape of a line is its text with a placeholder for each
 * number. Two lines with the same shape consist of the same tokens, except that the numbers in registers, labels and
 * integers may differ. Apart from these numbers, parsing the two lines produces the same tree. Most lines of a large
 * file have the same shape as an earlier line, so they need not be parsed again.
 */
import { Kind, kinds } from './shape-characters.ts';
import { CharClass, classes } from './tokens.ts';
import { signedAt } from '../base/typed-reads.ts';

/**
 * Limits on the number of shapes and on their total length in characters. When one of the limits is reached, all shapes
 * are dropped.
 */
const mostShapes = 1 << 14;
const mostCharacters = 1 << 20;
const tableSize = mostShapes * 2;

/**
 * The maximum length of a shape. Longer lines are always parsed. The limit is this high because matrix instructions can
 * name up to 256 registers.
 */
const longest = 2048;

/**
 * The maximum length of a name that is part of a shape. In a shape, a longer name is replaced by a placeholder, because
 * most long names are used in only one function.
 */
const longestName = 16;

/** The placeholders for a number, for a number with more than 9 digits, and for a long name. */
const folded = 0x23;
const longNumber = 0x26;
const longName = 0x22;
const zero = 0x30;
const newline = 10;
const carriageReturn = 13;

/** A name that occurs in an instruction. */
export interface ShapeName {
  /**
   * How the name appears in the shape. In a `register`, a placeholder replaces the number; a `folded` name (a long name
   * or a label) is replaced by a placeholder as a whole; a `kept` name is unchanged.
   */
  readonly kind: 'register' | 'folded' | 'kept';
  readonly start: number;
  readonly end: number;
  /**
   * The index of the name's slot. A folded name has two slots, one for its start and one for its end; a kept name has
   * none, and the index is -1.
   */
  readonly slot: number;
}

/** Information collected while a shape is read. */
export interface ReadShape {
  readonly end: number;
  readonly names: readonly ShapeName[];
  readonly slots: readonly number[];
}

/**
 * A shape in the table. Apart from the shape's id, this describes the text from which the shape was learned: the
 * positions of its names, and the values of its slots.
 */
export interface LineShape extends Omit<ReadShape, 'end'> {
  readonly id: number;
}

/**
 * The table of known shapes, and a list of those lines of the current item that have a known shape. In the list, each
 * line takes up `2 + slots` words: the id of its shape, the offset at which the line starts, and the values of its
 * slots. If an integer has more than 28 bits, its slot contains -1.
 */
export class LineShapes {
  words: Int32Array = new Int32Array(1 << 14);
  /** The number of elements of `words` that are in use. */
  length = 0;
  /** Incremented whenever all shapes are dropped, which makes the ids of earlier shapes invalid. */
  generation = 0;
  /** The number of slots of each shape, indexed by the id of the shape. */
  readonly slotCounts: Uint16Array = new Uint16Array(mostShapes);
  private count = 0;
  private readonly table = new Int32Array(tableSize);
  private readonly hashes = new Int32Array(mostShapes);
  private readonly offsets = new Int32Array(mostShapes + 1);
  private readonly characters = new Uint8Array(mostCharacters);
  /**
   * Describes the most recently read shape: its characters (`shape`), the number of characters, their hash, and the
   * number of slots. The values of the slots are in `words`, in the unused part that begins at `length`.
   */
  private readonly shape = new Uint8Array(longest);
  private shapeLength = 0;
  private hash = 0;
  private slots = 0;
  /** The list in which names are recorded while a shape is learned. */
  private names: ShapeName[] | null = null;

  /** Starts a new item. The lines of the previous item are no longer needed. */
  begin(): void {
    this.length = 0;
    if (this.count >= mostShapes || signedAt(this.offsets, this.count) + longest > mostCharacters) this.forget();
  }

  /**
   * Adds lines to the list, beginning with the line at `start`, as long as their shapes are known and they begin before
   * `limit`. Returns the end of the last line that was added, or -1 if there is none.
   */
  readLines(bytes: Uint8Array, start: number, limit: number): number {
    let end = -1;
    // If no shapes are known, as in the first function of a process, every line has to be parsed anyway.
    if (this.count === 0) return end;
    for (let at = start; at < limit; ) {
      const after = this.scan(bytes, at);
      const id = after < 0 ? -1 : this.find();
      if (id < 0) return end;
      this.words[this.length] = id;
      this.words[this.length + 1] = at;
      this.length += 2 + this.slots;
      end = after;
      at = skipBlanks(bytes, after);
    }
    return end;
  }

  /**
   * Learns the shape of the statement at `start`. Returns null if statements of this kind have no shape, if `isWhole`
   * rejects the shape, or if the table is full.
   */
  learn(bytes: Uint8Array, start: number, isWhole: (read: ReadShape) => boolean): LineShape | null {
    const names: ShapeName[] = [];
    this.names = names;
    const end = this.scan(bytes, start);
    this.names = null;
    if (end < 0) return null;
    const from = this.length + 2;
    const slots = Array.from(this.words.subarray(from, from + this.slots));
    if (!isWhole({ end, names, slots })) return null;
    const id = this.find();
    if (id >= 0) return { id, names, slots };
    return this.hasRoom() ? { id: this.add(), names, slots } : null;
  }

  private hasRoom(): boolean {
    const used = signedAt(this.offsets, this.count);
    return this.count < mostShapes && used + this.shapeLength <= mostCharacters;
  }

  private forget(): void {
    this.count = 0;
    this.table.fill(0);
    this.generation++;
  }

  private add(): number {
    const id = this.count++;
    const offset = signedAt(this.offsets, id);
    this.characters.set(this.shape.subarray(0, this.shapeLength), offset);
    this.offsets[id + 1] = offset + this.shapeLength;
    this.hashes[id] = this.hash;
    this.slotCounts[id] = this.slots;
    let at = this.firstPlace();
    while (this.table[at] !== 0) at = (at + 1) % tableSize;
    this.table[at] = id + 1;
    return id;
  }

  private firstPlace(): number {
    return (this.hash ^ (this.hash >>> 15)) & (tableSize - 1);
  }

  /** Returns the id of the shape that was read last; -1 if the shape is not known. */
  private find(): number {
    const { table, hashes, hash } = this;
    for (let at = this.firstPlace(); ; at = (at + 1) & (tableSize - 1)) {
      const id = signedAt(table, at) - 1;
      if (id < 0) return -1;
      if (hashes[id] === hash && this.isShape(id)) return id;
    }
  }

  private isShape(id: number): boolean {
    const { characters, shape, shapeLength } = this;
    const offset = signedAt(this.offsets, id);
    if (signedAt(this.offsets, id + 1) - offset !== shapeLength) return false;
    for (let i = 0; i < shapeLength; i++) if (characters[offset + i] !== shape[i]) return false;
    return true;
  }

  /**
   * Reads the shape of one statement. Returns the position after its `;` or, for a `.loc`, after its line. Returns -1
   * if the statement contains something that a shape cannot represent.
   */
  private scan(bytes: Uint8Array, start: number): number {
    this.shapeLength = 0;
    this.hash = 0;
    this.slots = 0;
    if (this.length + 2 + longest > this.words.length) this.grow();
    let at = start;
    let inGuard = false;
    const isLocation = bytes[start] === 0x2e;
    let opcodeRead = isLocation;
    if (isLocation && bytes[start + 1] !== 0x6c) return -1;
    while (this.shapeLength < longest - longestName) {
      const c = bytes[at] ?? 0;
      switch (kinds[c]) {
        case Kind.kept:
          this.keep(c);
          inGuard ||= c === 0x40;
          at++;
          break;
        case Kind.register:
          inGuard = false;
          at = this.readRegister(bytes, at);
          break;
        case Kind.digit:
          at = this.readNumber(bytes, at);
          break;
        case Kind.name:
          at = opcodeRead || inGuard ? this.readName(bytes, at) : this.keepOpcode(bytes, at);
          opcodeRead = !inGuard;
          inGuard = false;
          break;
        case Kind.dot:
          at = this.keepPart(bytes, at);
          break;
        case Kind.label:
          at = this.readName(bytes, at);
          break;
        case Kind.semicolon:
          return isLocation ? -1 : at + 1;
        case Kind.lineEnd:
          return isLocation && endsLocation(bytes, at) ? at : -1;
        default:
          return -1;
      }
      if (at < 0) return -1;
    }
    return -1;
  }

  private grow(): void {
    const larger = new Int32Array(this.words.length * 2);
    larger.set(this.words);
    this.words = larger;
  }

  private keep(c: number): void {
    this.shape[this.shapeLength++] = c;
    this.hash = (Math.imul(this.hash, 31) + c) | 0;
  }

  private slot(value: number): void {
    this.words[this.length + 2 + this.slots++] = value;
  }

  private note(kind: ShapeName['kind'], start: number, end: number, slot: number): void {
    this.names?.push({ kind, start, end, slot });
  }

  /**
   * Reads an opcode with its parts. Digits in the opcode and in its parts are copied to the shape, not replaced by a
   * placeholder.
   */
  private keepOpcode(bytes: Uint8Array, start: number): number {
    const { shape } = this;
    let { hash, shapeLength: length } = this;
    let at = start;
    let c = bytes[at] ?? 0;
    while (((classes[c] ?? 0) & CharClass.word) !== 0 || c === 0x2e || c === 0x3a) {
      if (length >= longest) return -1;
      shape[length++] = c;
      hash = (Math.imul(hash, 31) + c) | 0;
      c = bytes[++at] ?? 0;
    }
    this.shapeLength = length;
    this.hash = hash;
    return at;
  }

  /**
   * Reads a part such as `.x` or `.u32`. Returns -1 if a digit follows the dot, because a shape cannot contain a float
   * that begins with its decimal point.
   */
  private keepPart(bytes: Uint8Array, start: number): number {
    return (classAt(bytes, start + 1) & CharClass.digit) !== 0 ? -1 : this.keepOpcode(bytes, start);
  }

  /** Reads a register: `%` and a name. The number at the end of the name is replaced by a placeholder. */
  private readRegister(bytes: Uint8Array, start: number): number {
    const { shape } = this;
    let { hash, shapeLength: length } = this;
    let digits = -1;
    let value = 0;
    let lengthBefore = 0;
    let hashBefore = 0;
    let at = start;
    let c = bytes[at] ?? 0;
    do {
      if (c > 0x39 || c < zero) digits = -1;
      else if (digits >= 0) value = value * 10 + c - zero;
      else {
        digits = at;
        value = c - zero;
        lengthBefore = length;
        hashBefore = hash;
      }
      if (length >= longest) return -1;
      shape[length++] = c;
      hash = (Math.imul(hash, 31) + c) | 0;
      c = bytes[++at] ?? 0;
    } while (((classes[c] ?? 0) & CharClass.name) !== 0);
    if (digits < 0 || !isCanonical(bytes, digits, at)) {
      this.shapeLength = length;
      this.hash = hash;
      this.note('kept', start, at, -1);
      return at - start > longestName ? -1 : at;
    }
    this.shapeLength = lengthBefore;
    this.hash = hashBefore;
    this.keep(folded);
    this.note('register', start, at, this.slots);
    this.slot(value);
    return at;
  }

  /**
   * Reads a label or another name that does not start with `%`. Long names and the labels that nvcc generates are
   * replaced by a placeholder as a whole. A `$` alone is not a name.
   */
  private readName(bytes: Uint8Array, start: number): number {
    const first = bytes[start] ?? 0;
    let at = start + 1;
    while ((classAt(bytes, at) & CharClass.name) !== 0) at++;
    if (first === 0x24 && at === start + 1) return -1;
    if (at - start > longestName || first === 0x24) {
      this.keep(first === 0x24 ? first : longName);
      this.note('folded', start, at, this.slots);
      this.slot(start);
      this.slot(at);
      return at;
    }
    for (let i = start; i < at; i++) this.keep(bytes[i] ?? 0);
    if (at > start + 1 || first !== 0x5f) this.note('kept', start, at, -1);
    return at;
  }

  /**
   * Reads a number that is a decimal integer, an integer after `0x`, or a hexadecimal float. Lines with numbers of any
   * other form have no shapes.
   */
  private readNumber(bytes: Uint8Array, start: number): number {
    const second = (bytes[start + 1] ?? 0) | 0x20;
    if (bytes[start] === zero && second >= 0x62 && second <= 0x78) return this.readHex(bytes, start, second);
    let at = start;
    let value = 0;
    let c = bytes[at] ?? 0;
    while (c >= zero && c <= 0x39) {
      value = value * 10 + c - zero;
      c = bytes[++at] ?? 0;
    }
    const digits = at - start;
    if ((bytes[start] === zero && digits > 1) || digits > 18 || !endsNumber(c)) return -1;
    this.keep(digits > 9 ? longNumber : folded);
    this.slot(value < 1 << 28 ? value : -1);
    return at;
  }

  private readHex(bytes: Uint8Array, start: number, letter: number): number {
    let at = start + 2;
    let value = 0;
    while ((classAt(bytes, at) & CharClass.hex) !== 0) {
      if (at < start + 9) value = value * 16 + hexDigit(bytes[at] ?? 0);
      at++;
    }
    const digits = at - start - 2;
    if (!endsNumber(bytes[at] ?? 0)) return -1;
    this.keep(letter);
    this.keep(folded);
    switch (letter) {
      case 0x78:
        this.slot(digits <= 7 ? value : -1);
        return digits > 0 && digits < 16 ? at : -1;
      case 0x66:
        return digits === 8 ? at : -1;
      case 0x64:
        return digits === 16 ? at : -1;
      default:
        return -1;
    }
  }
}

function classAt(bytes: Uint8Array, at: number): number {
  return classes[bytes[at] ?? 0] ?? 0;
}

/**
 * True if the number of a register can be stored as an integer without losing anything: it has no leading zeros and at
 * most 9 digits.
 */
function isCanonical(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start <= 9 && (bytes[start] !== zero || end === start + 1);
}

/** Whether the character `c` ends the number before it. */
function endsNumber(c: number): boolean {
  return ((classes[c] ?? 0) & CharClass.name) === 0 && c !== 0x2e;
}

/**
 * Whether a `.loc` directive ends with the line that ends at `lineEnd`. It does not if the next line starts with a
 * comma and thus continues the directive.
 */
function endsLocation(bytes: Uint8Array, lineEnd: number): boolean {
  const next = bytes[skipBlanks(bytes, lineEnd)] ?? 0;
  return next === 0x2e || next === 0x40 || next === 0x24 || next === 0x25 || isLetter(next);
}

function isLetter(c: number): boolean {
  return kinds[c] === Kind.name;
}

function hexDigit(c: number): number {
  return c <= 0x39 ? c - zero : (c | 0x20) - 0x57;
}

function skipBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const c = bytes[at];
    if (c !== 0x20 && c !== 9 && c !== newline && c !== carriageReturn) return at;
    at++;
  }
}
