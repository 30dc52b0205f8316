/**
 * Checks initial values (PTX ISA 9.1, sections 5.4.3 and 5.4.4). An initial value must match the shape of the variable:
 * the list for a dimension cannot have more elements than the dimension, and the list for a vector must have exactly
 * one element for each lane. The verdicts were measured with ptxas 13.0.
 */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { isInteger, opaqueTypes, type PtxType } from '../../isa/types.ts';
import type { Declaration, Initializer, Variable } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';
import { wideConstant } from '../instructions/problem.ts';
import { checkFields } from './opaque-initializers.ts';
import { isOpen } from './sizes.ts';

type Scalar = Exclude<Initializer, { readonly kind: 'list' }>;

/** One dimension of a variable's shape. A dimension without a length, such as `[]`, accepts any number of elements. */
interface Level {
  readonly most: number | null;
  readonly exactly: boolean;
}

export function checkInitializer(declaration: Declaration, variable: Variable, type: PtxType, report: Report): void {
  const { initializer } = variable;
  if (initializer === null) return;
  const place = placeWithout(declaration);
  if (place === null) new InitializerCheck(variable, type, report).check(initializer, levelsOf(variable));
  else report(diagnose('PTX5009', initializer.span, { name: variable.name, type: type.name, found: place }));
}

/** The reason why a variable in this state space and with this linkage cannot have an initial value; null if it can. */
function placeWithout({ space, linkage }: Declaration): string | null {
  if (space !== '.global' && space !== '.const') return `any value, because it is in ${space}`;
  return linkage === '.extern' ? 'any value, because it is .extern' : null;
}

function levelsOf(variable: Variable): readonly Level[] {
  const { dimensions, vector } = variable;
  const levels = dimensions.map(
    (size, i): Level => ({ most: i === 0 && isOpen(variable) ? null : size, exactly: false }),
  );
  return vector === null ? levels : [...levels, { most: Number(vector.slice(2)), exactly: true }];
}

class InitializerCheck {
  private readonly variable: Variable;
  private readonly type: PtxType;
  private readonly report: Report;
  /** The kinds of invalid values that have already been reported. */
  private readonly reported = new Set<string>();

  constructor(variable: Variable, type: PtxType, report: Report) {
    this.variable = variable;
    this.type = type;
    this.report = report;
  }

  check(initializer: Initializer, levels: readonly Level[]): void {
    const [level, ...inner] = levels;
    if (takesNone(this.type)) return this.mismatch(initializer, 'any value');
    if (level === undefined && opaqueTypes.has(this.variable.type))
      checkFields(initializer, this.variable, this.report);
    else if (initializer.kind !== 'list') {
      if (level !== undefined) this.mismatch(initializer, 'a single value in place of a list');
      else if (!typeTakes(this.type, initializer)) this.mismatch(initializer, describe(initializer));
      else if (initializer.kind === 'float' && initializer.form === '0f' && this.type.width === 64)
        this.report(diagnose('PTX3031', initializer.span, { type: this.type.name }, { help: wideConstant }));
    } else if (level === undefined) this.mismatch(initializer, 'a list in place of a single value');
    else this.checkList(initializer, level, inner);
  }

  private checkList(
    list: Extract<Initializer, { kind: 'list' }>,
    { most, exactly }: Level,
    inner: readonly Level[],
  ): void {
    const { name } = this.variable;
    const found = list.elements.length;
    if (most === null && found === 0) {
      this.mismatch(list, 'an empty list, because the array has no size');
      return;
    }
    if (most !== null && (exactly ? found !== most : found > most)) {
      const ptxas = exactly
        ? 'Incorrect number of elements in vector initializer'
        : 'Greater number of elements in array initializer';
      const amount = exactly ? 'exactly' : 'at most';
      this.report(diagnose('PTX5023', list.span, { name, amount, found: String(found), most: String(most), ptxas }));
      return;
    }
    for (const element of list.elements) this.check(element, inner);
  }

  /** Reports a value that does not match the variable's type. Each kind of invalid value is reported only once. */
  private mismatch({ span }: Initializer, found: string): void {
    if (this.reported.has(found)) return;
    this.reported.add(found);
    this.report(diagnose('PTX5009', span, { name: this.variable.name, type: this.type.name, found }));
  }
}

function takesNone({ name }: PtxType): boolean {
  return name === '.f16' || name === '.f16x2';
}

function typeTakes(type: PtxType, initializer: Scalar): boolean {
  if (initializer.kind === 'address') return takesAddress(type, initializer.mask !== null);
  if (type.class === 'bits') return true;
  return isInteger(type) === (initializer.kind !== 'float');
}

/** If the initial value is only one byte of an address, as in `0xff(name)`, the type can also be `.u8`. */
function takesAddress({ name }: PtxType, isByte: boolean): boolean {
  return name === '.u32' || name === '.u64' || (isByte && name === '.u8');
}

function describe(initializer: Scalar): string {
  switch (initializer.kind) {
    case 'integer':
      return 'an integer';
    case 'float':
      return 'a float';
    case 'address':
      return 'an address';
    case 'field':
      return 'a texture field';
  }
}
