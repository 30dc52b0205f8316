/**
 * Constant banks. PTX had them from version 1.5 to 2.1, and ptxas 13.0 still accepts them in modules of these versions.
 */
import type { Span } from '../base/span.ts';
import { diagnose } from '../diagnostics/diagnostic.ts';
import type { AvailabilityRow } from '../isa/conditions.ts';
import { availabilityOfBank } from '../isa/find-directive.ts';
import { bankIn, withoutBank } from '../isa/notation.ts';
import { isAvailable } from '../isa/targets.ts';
import type { Declaration, Variable } from '../syntax/tree.ts';
import { checkRows, type ModuleEnvironment } from './availability.ts';
import { type Problem, problem, wholeMnemonic } from './instructions/problem.ts';
import type { Report } from './report.ts';

const lastBank = 10;

/** The requirements of the bank number in a mnemonic such as `ld.const[2].f32`, and the problems with it. */
interface BankUse {
  readonly row: AvailabilityRow;
  readonly problems: readonly Problem[];
}

/** Checks the bank number in a mnemonic. Returns null if there is none. */
export function bankUse(mnemonic: string, environment: ModuleEnvironment): BankUse | null {
  const bank = bankIn(mnemonic);
  const row = bank === null ? null : availabilityOfBank(bank);
  if (bank === null || row === null) return null;
  const spelling = withoutBank(mnemonic);
  const missing = checkRows([row], environment).map((found) => ({ ...found, help: null, accepted: [], spelling }));
  return { row, problems: missing.length === 0 ? numberProblems(bank) : missing };
}

function numberProblems(bank: number): readonly Problem[] {
  return bank > lastBank ? [problem('PTX5007', wholeMnemonic, noSuchBank(bank))] : [];
}

function noSuchBank(bank: number): { readonly what: string; readonly ptxas: string } {
  return {
    what: `there is no constant bank ${bank}; banks have the numbers 0 to ${lastBank}`,
    ptxas: `Illegal bank number: ${bank}`,
  };
}

/** Reports a variable that does not belong in its constant bank. `.const` without a number stands for bank 0. */
export function checkBank(
  { space, bank: written, linkage, spaceStart, spaceEnd }: Declaration,
  { name, nameStart, nameEnd, dimensions }: Variable,
  { version, target }: ModuleEnvironment,
  report: Report,
): void {
  const bank = written ?? 0;
  const row = availabilityOfBank(bank);
  if (space !== '.const' || row === null || !isAvailable(row.ways, version, target)) return;
  const place: Span = { start: spaceStart, end: spaceEnd };
  if (bank > lastBank) return report(diagnose('PTX5007', place, noSuchBank(bank)));
  const [length] = dimensions;
  const isIncomplete = linkage === '.extern' && (length === null || length === 0);
  if (isIncomplete === bank > 0) return;
  const what =
    bank > 0
      ? `'${name}' cannot be in constant bank ${bank}, which holds only .extern arrays without a size`
      : `'${name}' needs a constant bank from 1 to ${lastBank}, because it is an .extern array without a size`;
  const ptxas = 'Constant banks 1..11 are reserved for external incomplete arrays';
  report(diagnose('PTX5007', { start: nameStart, end: nameEnd }, { what, ptxas }));
}
