/**
 * Finds the word that was probably intended. Each kind of edit has a cost that reflects how likely it is as a typing
 * mistake: a letter in the wrong case or a doubled letter costs little, and a replaced letter costs much. Words that
 * contain different numbers never match: `fp8`, for example, is not a misspelling of `fp4`.
 */
import { elementAt } from './element-at.ts';

/**
 * The candidate that `word` is probably a misspelling of; null if none is close enough. If several candidates are
 * equally close, returns the first of them.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | null {
  if (word.length > longest) return null;
  let best: string | null = null;
  let least = allowance(word) + 1;
  const digits = digitsOf(word);
  for (const candidate of candidates) {
    if (candidate === word || Math.abs(candidate.length - word.length) * cost.sigil >= least) continue;
    if (digitsOf(candidate) !== digits) continue;
    const found = distance(word, candidate, least);
    if (found >= least) continue;
    least = found;
    best = candidate;
  }
  return best;
}

const longest = 60;

/** For each digit, the amount that one occurrence adds to the packed number of `digitsOf`. */
const digitUnits: readonly number[] = Array.from({ length: 10 }, (_, digit) => (digit < 2 ? 0 : 64 ** (digit - 2)));

/**
 * The number of occurrences of each digit, packed into one number. Two words whose counts differ can never match:
 * adding, dropping or replacing a digit costs too much, and swapping two digits does not change the counts. The digits
 * 0 and 1 are not counted, because they look like letters.
 */
function digitsOf(word: string): number {
  let packed = 0;
  for (let i = 0; i < word.length; i++) {
    const digit = word.charCodeAt(i) - 0x30;
    if (digit >= 2 && digit <= 9) packed += elementAt(digitUnits, digit);
  }
  return packed;
}

const cost = { case: 1, doubled: 2, swap: 3, sigil: 2, edit: 4, replaced: 5, first: 1, digit: 100 } as const;

/** The maximum cost that is accepted for a word; it is higher for longer words. */
function allowance(word: string): number {
  const { length } = word.replace(/^[%._$-]+/, '');
  if (length <= 1) return cost.sigil;
  if (length === 2) return cost.edit;
  if (length <= 3) return cost.edit + cost.first;
  return length <= 5 ? cost.edit + cost.swap : length <= 8 ? 2 * cost.edit + cost.first : 3 * cost.edit;
}

/**
 * The lowest cost of turning one word into the other. The search stops early once the cost is known to be at least
 * `limit`; the result is then `limit`.
 */
function distance(a: string, b: string, limit: number): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => insertions(b, j));
  for (let i = 1; i <= a.length; i++) {
    const next = [insertions(a, i)];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + replacement(a, i - 1, b, j - 1);
      const dropped = at(row, j) + insertion(a, i - 1);
      const added = at(next, j - 1) + insertion(b, j - 1);
      const swapped = isSwap(a, i, b, j) ? at(before, j - 2) + cost.swap : replaced;
      next.push(Math.min(replaced, dropped, added, swapped));
    }
    if (Math.min(...next) >= limit && Math.min(...row) >= limit) return limit;
    before = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/** The cost of inserting the first `count` letters of a word. */
function insertions(word: string, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += insertion(word, i);
  return sum;
}

function insertion(word: string, index: number): number {
  const letter = word[index] ?? '';
  if (isDigit(letter)) return cost.digit;
  if (letter === word[index - 1]) return cost.doubled;
  if (/[%._$-]/.test(letter)) return cost.sigil;
  return index === 0 ? cost.edit + cost.first : cost.edit;
}

function replacement(a: string, i: number, b: string, j: number): number {
  const from = a[i] ?? '';
  const to = b[j] ?? '';
  if (from === to) return 0;
  if (from.toLowerCase() === to.toLowerCase()) return cost.case;
  if (lookAlikes.has(from + to) || lookAlikes.has(to + from)) return cost.case;
  if (isDigit(from) || isDigit(to)) return cost.digit;
  return i === 0 ? cost.replaced + cost.first : cost.replaced;
}

const lookAlikes: ReadonlySet<string> = new Set(['O0', 'o0', 'l1', 'I1']);

/**
 * Whether the two letters before position `i` in `a` also come before position `j` in `b`, but in the opposite order.
 */
function isSwap(a: string, i: number, b: string, j: number): boolean {
  return i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && a[i - 1] !== a[i - 2];
}

function isDigit(letter: string): boolean {
  return letter >= '0' && letter <= '9';
}

/** The end of a message about an unknown word: `; did you mean WORD?`, or nothing if no known word is similar. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearestWord(word, known);
  return near === null ? '' : `; did you mean ${near}?`;
}
