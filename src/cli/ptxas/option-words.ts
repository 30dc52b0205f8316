/** Splits the text of an options file at white space. Quotes and backslashes keep white space within a word. */
export function splitWords(text: string): readonly string[] {
  const words = text.matchAll(/(?:\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"|'[^']*'|[^\s"'\\])+/g);
  return [...words].map(([word]) => unquoted(word));
}

function unquoted(word: string): string {
  return word.replaceAll(/\\([\s\S])|"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'/g, (_, escaped, double, single) =>
    String(escaped ?? (double === undefined ? single : String(double).replaceAll(/\\([\s\S])/g, '$1'))),
  );
}
