/** `.branchtargets` and `.calltargets` (PTX ISA 9.1, section 11.3). */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import type { TargetsDirective } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';
import type { Scope, TargetsSymbol } from '../symbols.ts';

export function targetsSymbol(
  { label: name, directive, names, start, end }: TargetsDirective,
  scope: Scope,
): TargetsSymbol {
  const of = directive === '.branchtargets' ? 'branches' : 'calls';
  return { kind: 'targets', name, of, names: names.map((target) => target.name), scope, declared: { start, end } };
}

/** Reports names that are not labels (in `.branchtargets`) or not functions (in `.calltargets`). */
export function checkTargetNames({ directive, names }: TargetsDirective, scope: Scope, report: Report): void {
  const isBranch = directive === '.branchtargets';
  for (const target of names) {
    if (scope.lookup(target.name)?.kind === (isBranch ? 'label' : 'function')) continue;
    const expected = isBranch ? 'a label' : 'a function';
    report(diagnose('PTX3026', target, { name: target.name, directive, expected }));
  }
}
