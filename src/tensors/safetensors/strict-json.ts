/**
 * Parses the JSON of headers, and reports even mistakes that JSON.parse silently accepts. An object must not contain
 * the same name twice, integers must be exact, nesting is limited, and text must be well-formed Unicode.
 */
import { quote, TensorFileError } from '../tensor-error.ts';
import type { MetadataValue } from '../tensor-file.ts';

const space = /[ \t\n\r]*/y;
const integerToken = /(?:0|[1-9]\d*)(?![\d.eE+-])/y;
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wordToken = /true|false|null/y;
const mostDepth = 32;

/**
 * A position in a JSON text. Each method parses one kind of syntax element at the position, and throws `bad-header` if
 * it finds something else.
 */
export class JsonCursor {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses an object. `member` is called after each name and must parse the value that belongs to it. */
  object(member: (name: string) => void): void {
    const names = new Set<string>();
    this.#list('{', '}', () => {
      const name = this.string();
      if (names.has(name)) throw new TensorFileError('duplicate-name', `${quote(name)} occurs twice`);
      names.add(name);
      this.#expect(':');
      member(name);
    });
  }

  /** Parses an array. `item` is called at the start of each item and must parse that item. */
  array(item: () => void): void {
    this.#list('[', ']', item);
  }

  string(): string {
    if (this.#peek() !== '"') this.#fail('a string');
    const start = this.#at;
    this.#at = this.#endOfString(start + 1);
    const text = this.#parse(this.#text.slice(start, this.#at));
    return typeof text === 'string' && !/\p{Surrogate}/u.test(text) ? text : this.#fail('Unicode text');
  }

  /** An integer from 0 to 2^53 - 1, written without a decimal point or exponent. */
  size(): number {
    const value = Number(this.#token(integerToken) ?? this.#fail('a size'));
    if (!Number.isSafeInteger(value)) this.#fail('a size below 2^53');
    return value;
  }

  /** Parses a value of any type. Objects are returned as lists of pairs [name, value]. */
  value(): MetadataValue {
    const next = this.#peek();
    if (next === '"') return this.string();
    const items: MetadataValue[] = [];
    if (next === '[') {
      this.array(() => items.push(this.value()));
      return items;
    }
    if (next === '{') {
      this.object((name) => items.push([name, this.value()]));
      return items;
    }
    const token = this.#token(wordToken) ?? this.#token(numberToken) ?? this.#fail('a value');
    if (token === 'null') return token;
    const found = this.#parse(token);
    return typeof found === 'number' || typeof found === 'boolean' ? found : this.#fail('a value');
  }

  /** Checks that only whitespace follows. */
  end(): void {
    if (this.#peek() !== '') this.#fail('the end');
  }

  #list(open: string, close: string, item: () => void): void {
    this.#expect(open);
    this.#depth += 1;
    if (this.#depth > mostDepth)
      throw new TensorFileError(
        'bad-header',
        `the JSON is nested more than ${mostDepth} deep, at character ${this.#at}`,
      );
    if (this.#peek() === close) this.#at += 1;
    else {
      do item();
      while (this.#continues(close));
    }
    this.#depth -= 1;
  }

  /** Reads a comma or `close`; returns true if it was a comma, which means that the list continues. */
  #continues(close: string): boolean {
    const next = this.#peek();
    if (next !== ',' && next !== close) this.#fail(`',' or '${close}'`);
    this.#at += 1;
    return next === ',';
  }

  #expect(character: string): void {
    if (this.#peek() !== character) this.#fail(`'${character}'`);
    this.#at += 1;
  }

  /** The next character that is not whitespace, without consuming it; empty at the end. */
  #peek(): string {
    this.#token(space);
    return this.#text.charAt(this.#at);
  }

  #token(pattern: RegExp): string | null {
    if (pattern !== space) this.#token(space);
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    if (token === undefined) return null;
    this.#at += token.length;
    return token;
  }

  /**
   * Returns the position after the closing quote. Uses a loop, because a regular expression could cause a stack
   * overflow on a long string.
   */
  #endOfString(start: number): number {
    for (let at = start; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) return at + 1;
      if (code === 0x5c) at += 1;
    }
    return this.#fail('the end of a string');
  }

  #parse(token: string): unknown {
    try {
      return JSON.parse(token);
    } catch {
      return this.#fail('a well-formed string');
    }
  }

  #fail(expected: string): never {
    throw new TensorFileError('bad-header', `the JSON is invalid: ${expected} expected at character ${this.#at}`);
  }
}

/** Decodes bytes as UTF-8; throws `bad-header` if they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TensorFileError('bad-header', 'the JSON is not UTF-8');
  }
}
