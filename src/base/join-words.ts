/** Joins words into a list such as `a, b or c`. */
export function joinWords(words: readonly string[], last: 'or' | 'and'): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} ${last} ${words[words.length - 1]}`;
}
