/** Finds the places where the names of a document occur, and the declaration to which each name refers. */
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import type { Chunk } from './chunk.ts';
import type { ChunkList } from './chunk-list.ts';
import { keyOf, type NameKey } from './chunk-names.ts';
import type { Declared, Names, PlacedScope } from './names.ts';
import { type Word, wordsBefore, wordsIn } from './words.ts';

/** Anything that has a name: a register, a family of registers, a label, a variable, a parameter or a function. */
export interface Entity {
  /** The name as declared. For a member of a register family, this is the canonical spelling of the member's name. */
  readonly name: string;
  readonly declared: Declared;
  /** Null for names that are declared at module scope. */
  readonly scope: PlacedScope | null;
  /** True if the entity is a register family as a whole. */
  readonly isFamily: boolean;
}

export interface NamePlace extends Span {
  readonly isDeclaration: boolean;
}

/** Splits a document into words, chunk by chunk, and finds the places where names occur. */
export class References {
  private readonly list: ChunkList;
  private readonly names: Names;
  private readonly words: WeakMap<Chunk, readonly Word[]>;
  /**
   * The last word that was found to be outside of instructions. A backward search for the start of an instruction stops
   * at this word, because directives can be long.
   */
  private outside: { readonly words: readonly Word[]; readonly index: number } = { words: [], index: 0 };

  /** `words` is a cache for the words of each chunk. The cache is kept when the document is edited. */
  constructor(list: ChunkList, names: Names, words: WeakMap<Chunk, readonly Word[]>) {
    this.list = list;
    this.names = names;
    this.words = words;
  }

  /** The words of a chunk, with positions relative to it. */
  wordsOf(chunk: Chunk): readonly Word[] {
    const known = this.words.get(chunk);
    if (known !== undefined) return known;
    const made = wordsIn(chunk.text, chunk.index === 0);
    this.words.set(chunk, made);
    return made;
  }

  /** The word that contains an offset or ends at it. */
  wordAt(offset: number): Word | null {
    const chunk = this.list.at(offset);
    const found = findWord(this.wordsOf(chunk), offset - chunk.start, chunk.start);
    if (found !== null || offset !== chunk.start || chunk.index === 0) return found;
    const before = elementAt(this.list.chunks, chunk.index - 1);
    return findWord(this.wordsOf(before), offset - before.start, before.start);
  }

  get length(): number {
    return this.list.length;
  }

  /** The offset after the semicolon of the statement that contains an offset. */
  endOfStatement(offset: number): number {
    const { start, text } = this.list.at(offset);
    const isEnd = (word: Word): boolean => word.start >= offset - start && text[word.start] === ';';
    const end = this.wordsOf(this.list.at(offset)).find(isEnd);
    return end === undefined ? offset : start + end.end;
  }

  /** Given the offset at which a function starts, returns the offset directly after the opening brace of its body. */
  bodyStart(offset: number): number | null {
    const { start, text } = this.list.at(offset);
    const isBrace = (word: Word): boolean => word.start >= offset - start && text[word.start] === '{';
    const brace = this.wordsOf(this.list.at(offset)).find(isBrace);
    return brace === undefined ? null : start + brace.end;
  }

  /** The instruction around a name, with its guard and its semicolon; null outside of instructions. */
  instructionAround(offset: number): Span | null {
    const { start: by, text } = this.list.at(offset);
    const words = this.wordsOf(this.list.at(offset));
    const at = indexAt(words, offset - by);
    const isEnd = (word: Word): boolean => word.kind === 'punctuation' && text[word.start] === ';';
    let first = at;
    for (; first >= 0; first--) {
      const word = elementAt(words, first);
      const isFirst = word.kind === 'guard' || (word.kind === 'opcode' && text[word.start] !== '.');
      if (isFirst) break;
      const isOutside = words === this.outside.words && first === this.outside.index;
      if (isOutside || word.kind === 'directive' || word.kind === 'label' || isEnd(word)) {
        this.outside = { words, index: at };
        return null;
      }
    }
    const before = words[first - 1];
    if (before?.kind === 'name' || before?.kind === 'member')
      first = words.findLastIndex(({ kind }, i) => i < first && kind === 'guard');
    let end = Math.max(at, 0);
    while (end < words.length && !isEnd(elementAt(words, end))) end++;
    if (first < 0 || end === words.length) return null;
    return { start: by + elementAt(words, first).start, end: by + elementAt(words, end).end };
  }

  /** The entity that the name at an offset stands for; null if there is no name there, or if it is not declared. */
  entityAt(offset: number): Entity | null {
    const word = this.wordAt(offset);
    if (word === null || !isName(word)) return null;
    return this.entityOf(this.list.slice(word.start, word.end), word.start);
  }

  private entityOf(name: string, offset: number): Entity | null {
    const scope = this.names.scopeAt(offset);
    const family = scope?.familyAt(offset) ?? null;
    if (family !== null) return { name: family.symbol.name, declared: family, scope, isFamily: true };
    const found = this.names.resolve(name, offset);
    if (found === null) return null;
    const { symbol } = found.declared;
    const isMember = symbol.kind === 'register' && symbol.count !== null;
    const canonical = isMember ? symbol.name + String(Number(name.slice(symbol.name.length))) : symbol.name;
    return { name: canonical, ...found, isFamily: false };
  }

  /** All places where the name of an entity occurs, including its declarations, in the order of the text. */
  placesOf(entity: Entity): readonly NamePlace[] {
    const { scope, declared } = entity;
    const isLabel = declared.symbol.kind === 'label';
    // Labels are searched for in the whole document, because debug sections may refer to labels in functions.
    const within = scope === null || isLabel ? { start: 0, end: this.list.length } : scope;
    const others = scope === null ? this.names.ofModule(entity.name) : [];
    const declarations = new Set([declared, ...others].map(({ start }) => start));
    const places: NamePlace[] = [];
    for (const { start, end } of this.find(spellingOf(entity), within, declared.start)) {
      const found = this.entityOf(this.list.slice(start, end), start);
      const isHere = found === null ? isLabel && this.names.scopeAt(start) === null : isSame(found, entity);
      if (isHere) places.push({ start, end, isDeclaration: declarations.has(start) });
    }
    return places;
  }

  /**
   * Finds the names between two offsets that match a spelling. A chunk is skipped if its list of names shows that it
   * contains no matching name. The chunk that contains the offset `always` is never skipped.
   */
  *find({ key, stem, isRest }: Spelling, within: Span, always = -1): Generator<Span> {
    const { chunks } = this.list;
    const searched = always < 0 ? null : this.list.at(always);
    for (let i = this.list.at(within.start).index; i < chunks.length; i++) {
      const chunk = elementAt(chunks, i);
      if (chunk.start > within.end) return;
      if (chunk !== searched && !chunk.names.mayContain(key)) continue;
      const { text, start: by } = chunk;
      for (const word of this.wordsOf(chunk)) {
        if (!isName(word) || !text.startsWith(stem, word.start)) continue;
        const [start, end] = [by + word.start, by + word.end];
        const isWithin = start >= within.start && end <= within.end;
        if (isWithin && isRest(text.slice(word.start + stem.length, word.end))) yield { start, end };
      }
    }
  }
}

export function isName({ kind }: Word): boolean {
  return kind === 'name' || kind === 'label';
}

function isSame(a: Entity, b: Entity): boolean {
  if (a.scope === null && b.scope === null) return a.name === b.name;
  if (a.declared.start !== b.declared.start) return false;
  return b.isFamily || a.isFamily ? true : a.name === b.name;
}

/** All spellings of the name of an entity. For example, `%r05` is another spelling of `%r5`. */
function spellingOf({ name, declared: { symbol }, isFamily }: Entity): Spelling {
  const isRegister = symbol.kind === 'register' && symbol.count !== null;
  if (!isRegister) return exactly(name);
  if (isFamily) return numbered(symbol.name);
  const number = Number(name.slice(symbol.name.length));
  const isRest = (rest: string): boolean => rest === '' || (/^\d+$/.test(rest) && Number(rest) === number);
  return { key: keyOf(name), stem: symbol.name, isRest };
}

/**
 * A set of names that begin with the same stem. `isRest` tests whether the stem, followed by the given text, is one of
 * these names.
 */
export interface Spelling {
  /** The key for finding the chunks that may contain one of these names. */
  readonly key: NameKey;
  readonly stem: string;
  readonly isRest: (rest: string) => boolean;
}

/** A set that contains only this name. */
export function exactly(name: string): Spelling {
  return { key: keyOf(name), stem: name, isRest: (rest) => rest === '' };
}

/** The set of names that consist of the stem, alone or followed by a number. */
export function numbered(stem: string): Spelling {
  return { key: { stem, number: -1 }, stem, isRest: (rest) => /^\d*$/.test(rest) };
}

/** The index of the last word that starts at or before an offset; -1 if all words start after it. */
function indexAt(words: readonly Word[], offset: number): number {
  return wordsBefore(words, offset + 1) - 1;
}

function findWord(words: readonly Word[], offset: number, by: number): Word | null {
  const index = indexAt(words, offset);
  const at = words[index];
  const before = words[index - 1];
  const touches = (word: Word | undefined): word is Word => word !== undefined && offset <= word.end;
  const found = touches(at) && (offset < at.end || isName(at)) ? at : null;
  const ended = touches(before) && isName(before) ? before : null;
  const kept =
    found !== null && (isName(found) || ended === null) ? found : (ended ?? found ?? (touches(at) ? at : null));
  return kept === null ? null : { kind: kept.kind, start: kept.start + by, end: kept.end + by };
}
