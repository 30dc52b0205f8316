/** Lists of registers that hold part of a matrix: the registers together have a type, which the operand must accept. */
import { elementAt } from '../../base/element-at.ts';
import { joinWords } from '../../base/join-words.ts';
import type { OperandPattern, ValuePattern } from '../../isa/form.ts';
import { isInteger, type TypeName, typeOf } from '../../isa/types.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';

type VectorPattern = Extract<OperandPattern, { readonly kind: 'vector' }>;

/** Registers that ptxas reads as one vector. */
const together = 4;

/** The problems of a list whose length is right. */
export function matchRegisters(
  subject: Subject,
  { name, elements }: VectorPattern,
  types: readonly TypeName[],
  shapes: readonly Shape[],
  index: number,
): readonly Problem[] {
  const problems = elements.flatMap((element, i) => matchElement(subject, element, elementAt(shapes, i), [index, i]));
  const [first] = problems;
  if (first !== undefined) return [first];
  const width = typeOf(elementAt(types, 0)).width;
  for (let start = 0; start < shapes.length; start += together) {
    const found = typeOfList(shapes.slice(start, start + together), width);
    if (found !== null && (found === 'mixed' || !types.includes(found))) {
      const expected = `registers of ${joinWords(types, 'or')}, or a list with ${elementAt(types, 0)} among them`;
      const what = found === 'mixed' ? 'several types' : `registers of ${found}`;
      const parameters = { name, what: subject.what, opcode: subject.opcode, expected, found: what };
      return [problem('PTX3004', operand(index), parameters)];
    }
  }
  if (shapes.every(({ kind }) => kind === 'sink')) {
    const expected = 'a register in the list';
    return [
      problem('PTX3004', operand(index), {
        name,
        what: subject.what,
        opcode: subject.opcode,
        expected,
        found: "nothing but '_'",
      }),
    ];
  }
  return [];
}

function matchElement(
  subject: Subject,
  { name, role, type }: ValuePattern,
  shape: Shape,
  path: readonly number[],
): readonly Problem[] {
  const width = typeof type === 'number' ? 0 : typeOf(type).width;
  const wrong = [wrongKind(subject, name, shape, path, `a register of ${width} bits`)];
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'register':
      return shape.lanes === 1 && shape.type.class !== 'predicate' && shape.type.width === width ? [] : wrong;
    case 'special':
      return role === 'read' && shape.type.width === width ? [] : wrong;
    case 'sink':
      return role === 'write' ? [] : wrong;
    case 'constant':
      return role === 'read' ? [] : wrong;
    default:
      return wrong;
  }
}

/** The type that the registers of a list have together, from the first to the last; null if nothing in it has one. */
function typeOfList(shapes: readonly Shape[], width: number): TypeName | 'mixed' | null {
  const bits: TypeName = width === 64 ? '.b64' : width === 16 ? '.b16' : '.b32';
  let found: TypeName | null = null;
  for (const type of shapes.flatMap((shape) => typeOfElement(shape, bits))) {
    if (found === null || found === type) found = type;
    else if (found === bits || type === bits || (isInteger(typeOf(found)) && isInteger(typeOf(type)))) found = bits;
    else return 'mixed';
  }
  return found;
}

function typeOfElement(shape: Shape, bits: TypeName): readonly TypeName[] {
  switch (shape.kind) {
    case 'register':
      return [shape.type.name];
    case 'special':
      return [bits];
    case 'constant':
      if (shape.constant === 'integer') return [bits === '.b64' ? '.s64' : bits === '.b16' ? '.s16' : '.s32'];
      return [bits === '.b64' ? '.f64' : '.f32'];
    default:
      return [];
  }
}
