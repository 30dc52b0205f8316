/** The register types that operand constraints stand for in PTX. */
import type { EnclosingLanguage } from './asm-statement.ts';

export interface ConstraintRow {
  readonly constraint: string;
  /** Type of the register; null for a constant. */
  readonly type: string | null;
  readonly language: EnclosingLanguage | 'both';
}

/**
 * For integer operands, nvcc declares registers with bit-size types such as `.b32`, which can be read as any type of
 * the same size. Triton's compiler also declares such registers for floats.
 */
export const constraintRows: readonly ConstraintRow[] = [
  { constraint: 'h', type: '.b16', language: 'both' },
  { constraint: 'r', type: '.b32', language: 'both' },
  { constraint: 'l', type: '.b64', language: 'both' },
  { constraint: 'q', type: '.b128', language: 'both' },
  { constraint: 'f', type: '.f32', language: 'cuda' },
  { constraint: 'd', type: '.f64', language: 'cuda' },
  { constraint: 'f', type: '.b32', language: 'triton' },
  { constraint: 'd', type: '.b64', language: 'triton' },
  { constraint: 'b', type: '.pred', language: 'triton' },
  { constraint: 'c', type: '.b16', language: 'triton' },
  { constraint: 'n', type: null, language: 'both' },
];

/** The constraint for string operands. The compiler inserts these strings into the text of the statement. */
export const textConstraint = 'C';

export function constraintRow(constraint: string, language: EnclosingLanguage): ConstraintRow | null {
  const found = constraintRows.find(
    (row) => row.constraint === constraint && row.language !== (language === 'cuda' ? 'triton' : 'cuda'),
  );
  return found ?? null;
}
