/**
 * Recognizes input in other languages or formats by its first characters, so that only a single finding is reported for
 * it.
 */

interface ForeignText {
  /** Completes "found …". */
  readonly found: string;
  readonly help: string;
}

interface Mark extends ForeignText {
  readonly pattern: RegExp;
}

const marks: readonly Mark[] = [
  {
    pattern: /^\u007fELF/,
    found: 'an ELF binary',
    help: 'a cubin holds machine code; cuobjdump -ptx prints the PTX embedded in it',
  },
  {
    pattern: /^; ModuleID|^target (triple|datalayout)|^define .*@\w+\(/m,
    found: 'what looks like LLVM IR',
    help: 'compile it first: llc -march=nvptx64 FILE.ll -o FILE.ptx',
  },
  {
    pattern:
      /^\s*#\s*(include|define|pragma|if|ifdef|ifndef)\b|\b__(global|device|host)__\b|^\s*(template\s*<|namespace\b|using\b|extern\s*"C")|\b(void|int)\s+\w+\s*\(/m,
    found: 'what looks like CUDA C++',
    help: 'compile it first: nvcc -ptx FILE.cu -o FILE.ptx',
  },
];

const examined = 4096;

/**
 * Identifies the language or format of text that does not begin with a directive; returns null if none is recognized.
 */
export function foreignText(source: string): ForeignText | null {
  const start = source.slice(0, examined);
  return marks.find(({ pattern }) => pattern.test(start)) ?? null;
}
