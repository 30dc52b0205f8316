import { elementAt } from './element-at.ts';

/**
 * Matches a name against a shell-style pattern: `*` matches any text, `?` any one character, `[a-f0]` one character of
 * a set, and `[!a-f]` one character outside it; everything else matches itself. The pattern must match the whole name;
 * dots and slashes are not special. Matching takes time at most proportional to the product of the lengths of the
 * pattern and the name.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const parts = partsOf(pattern);
  const characters = Array.from(name);
  let part = 0;
  let at = 0;
  // The position of the last star in the pattern, and the end of the text that this star matches so far. If a later
  // part of the pattern does not match, the star is extended by one character.
  let star = -1;
  let taken = 0;
  while (at < characters.length) {
    const wanted = parts[part];
    if (wanted === '*') {
      star = part;
      taken = at;
      part += 1;
    } else if (wanted !== undefined && wanted(elementAt(characters, at))) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      taken += 1;
      at = taken;
      part = star + 1;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
}

type Part = '*' | ((character: string) => boolean);

function partsOf(pattern: string): readonly Part[] {
  const parts: Part[] = [];
  const pieces = pattern.match(/\*|\[!?\]?[^\]]*\]|[\s\S]/gu) ?? [];
  for (const piece of pieces) {
    if (piece === '*') parts.push('*');
    else if (piece === '?') parts.push(() => true);
    else if (piece.length > 2 && piece.startsWith('[')) parts.push(setOf(piece.slice(1, -1)));
    else parts.push((character) => character === piece);
  }
  return parts;
}

function setOf(text: string): Part {
  const isOutside = text.startsWith('!');
  const ranges = (isOutside ? text.slice(1) : text).match(/[\s\S]-[\s\S]|[\s\S]/gu) ?? [];
  return (character) => {
    const isIn = ranges.some((range) => {
      const [first = '', , last = first] = Array.from(range);
      return character >= first && character <= last;
    });
    return isIn !== isOutside;
  };
}
