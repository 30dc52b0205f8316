/**
 * Compares operands that are single values (registers, constants, special registers, and addresses that are used as
 * values) with the patterns that they must match.
 */
import { valueAt } from '../../base/element-at.ts';
import type { Regime, ValuePattern } from '../../isa/operand-patterns.ts';
import { comparedType } from '../../isa/variant.ts';
import { acceptsConstant, acceptsRegister, describeConstants, describeRegisters } from '../../isa/operand-rules.ts';
import { isInteger, type PtxType, types } from '../../isa/types.ts';
import { describeShape } from './describe-shape.ts';
import { holdsInteger } from './match-address.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';

export function regimeOf(subject: Subject, pattern: ValuePattern): Regime {
  return pattern.regime ?? subject.variant.form.regime;
}

/** Returns the problems found in a single value, which is the operand or element at the given path. */
export function matchValue(
  subject: Subject,
  pattern: ValuePattern,
  shape: Shape,
  path: readonly number[],
): readonly Problem[] {
  const type = comparedType(subject.variant, pattern);
  const parameters = { name: pattern.name, what: subject.what, opcode: subject.opcode };
  const place = operand(...path);
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'register':
      if (pattern.minus === 'must') return [wrongKind(subject, pattern.name, shape, path, 'a negated register')];
      return matchRegister(subject, pattern, type, shape, path);
    case 'sink':
      if (pattern.sink !== undefined && pattern.sink !== false) return [];
      return [
        pattern.role === 'write'
          ? problem('PTX3008', place, parameters)
          : wrongKind(subject, pattern.name, shape, path, 'a value'),
      ];
    case 'part':
      if (pattern.parts?.test(shape.selector) !== true)
        return [wrongKind(subject, pattern.name, shape, path, 'a whole register or a different part')];
      return matchValue(subject, pattern, shape.register, path);
    case 'unary':
      if (pattern.minus !== undefined && shape.operator === '-') {
        const { minus: _, ...bare } = pattern;
        return matchValue(subject, bare, shape.operand, path);
      }
      if (pattern.negatedPredicate === true && isNegatedPredicate(shape)) return [];
      if (pattern.negatable === true && shape.operator === '!')
        return matchValue(subject, pattern, shape.operand, path);
      return [wrongKind(subject, pattern.name, shape, path, describeRegisters(type, regimeOf(subject, pattern)))];
    case 'vector':
      return [problem('PTX3009', place, parameters)];
    default:
      // A minus sign before a constant is part of the constant.
      if (pattern.minus === 'must') return [wrongKind(subject, pattern.name, shape, path, 'a negated register')];
      if (pattern.role === 'write') return [problem('PTX3007', place, { ...parameters, found: describeShape(shape) })];
      return matchSource(subject, pattern, type, shape, path);
  }
}

function isNegatedPredicate(shape: Extract<Shape, { kind: 'unary' }>): boolean {
  const { operator, operand: inner } = shape;
  return operator === '!' && inner.kind === 'register' && inner.type.class === 'predicate';
}

function matchRegister(
  subject: Subject,
  pattern: ValuePattern,
  type: PtxType,
  shape: Extract<Shape, { kind: 'register' }>,
  path: readonly number[],
): readonly Problem[] {
  if (pattern.constantOnly === true) return [wrongKind(subject, pattern.name, shape, path, 'an integer constant')];
  if (pattern.sink === 'only') return [wrongKind(subject, pattern.name, shape, path, "'_'")];
  const regime = regimeOf(subject, pattern);
  const isBarred =
    (pattern.unpacked && shape.type.name === '.f16x2') || (pattern.numeric && shape.type.class === 'bits');
  const isTaken = acceptsRegister(type, shape.type, regime) && !isBarred;
  if (shape.lanes === 1 && isTaken) return [];
  const parameters = { name: pattern.name, what: subject.what, opcode: subject.opcode };
  if (shape.lanes > 1) return [problem('PTX3009', operand(...path), parameters)];
  const expected = pattern.numeric ? `a register of type ${type.name}` : describeRegisters(type, regime);
  return [
    problem(
      'PTX3004',
      operand(...path),
      { ...parameters, expected, found: describeShape(shape) },
      { section: section(subject, regime) },
    ),
  ];
}

/** Matches a source operand that is not a register. */
function matchSource(
  subject: Subject,
  pattern: ValuePattern,
  type: PtxType,
  shape: Shape,
  path: readonly number[],
): readonly Problem[] {
  const parameters = { name: pattern.name, what: subject.what, opcode: subject.opcode };
  const place = operand(...path);
  if (shape.kind === 'constant') {
    if (pattern.registerOnly !== true && acceptsConstant(type, shape.constant)) return [];
    const expected = pattern.registerOnly === true ? 'registers only' : describeConstants(type);
    const repair = shape.constant === 'integer' && pattern.registerOnly !== true ? floatConstant(type) : null;
    return [problem('PTX3005', place, { ...parameters, found: describeShape(shape), expected }, { repair })];
  }
  if (shape.kind === 'special') {
    if (pattern.special !== true) return [problem('PTX3006', place, parameters)];
    if (type.class === 'float') {
      const expected = `${describeRegisters(type, regimeOf(subject, pattern))} that is not special`;
      return [wrongKind(subject, pattern.name, shape, path, expected)];
    }
    const chopped = type.width >= shape.least && type.width < shape.type.width;
    const register = chopped ? valueAt(types, `.u${type.width}`) : shape.type;
    return matchRegister(subject, pattern, type, { ...shape, kind: 'register', type: register, lanes: 1 }, path);
  }
  if (shape.kind === 'register-offset' && holdsInteger(shape.type) && holdsInteger(type)) return [];
  if (pattern.address === true && (shape.kind === 'variable' || shape.kind === 'function')) {
    if (shape.kind === 'function' && shape.offset)
      return [
        wrongKind(subject, pattern.name, shape, path, 'a register, or an address: that of a function takes no offset'),
      ];
    if (shape.kind === 'variable' && shape.space === 'local parameter') {
      return [problem('PTX5014', place, { found: describeShape(shape) })];
    }
    if (shape.kind === 'variable' && shape.opaque !== null && !shape.offset && type.name !== '.u64')
      return [wrongKind(subject, pattern.name, shape, path, 'a register, because only .u64 reads a handle')];
    return isInteger(type) || type.class === 'bits'
      ? []
      : [wrongKind(subject, pattern.name, shape, path, describeRegisters(type, 'exact'))];
  }
  return [wrongKind(subject, pattern.name, shape, path, describeRegisters(type, regimeOf(subject, pattern)))];
}

/**
 * Returns a function that turns an integer into a float constant: `1` into `1.0`, and an integer with all hex digits of
 * the type, such as `0x3f800000`, into the float with these bits. Null if the type has no float constants.
 */
function floatConstant({ name, width }: PtxType): ((written: string) => string | null) | null {
  const prefix = name === '.f32' ? '0f' : '0d';
  if (name !== '.f32' && name !== '.f64') return null;
  return (written) => {
    if (/^-?(0|[1-9]\d*)U?$/.test(written)) return `${written.replace('U', '')}.0`;
    const [, digits = ''] = /^0x([\da-f]+)$/i.exec(written) ?? [];
    return digits.length === width / 4 ? prefix + digits : null;
  };
}

function section(subject: Subject, regime: Regime): string {
  return regime === 'relaxed' ? '9.4.1' : subject.variant.form.section;
}
