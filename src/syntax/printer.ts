/**
 * Prints a tree as PTX text in a uniform layout. There is one statement per line, constant expressions are replaced by
 * their values, and debugging sections are copied unchanged. Parsing this text produces the same tree, except for its
 * offsets.
 */
import { assertNever } from '../base/assert-never.ts';
import { statementsOf } from './known-lines.ts';
import { printInitializer, printOperand } from './print-operands.ts';
import { printDimensions } from './storage.ts';
import type {
  Declaration,
  BodilessFunction,
  FunctionItem,
  Instruction,
  Item,
  LocationDirective,
  Parameter,
  PragmaDirective,
  PrototypeDirective,
  Statement,
  TuningDirective,
  Variable,
  TypePart,
} from './tree.ts';

/** Prints a whole module. Each item starts on a new line. */
export function printModule(items: Iterable<Item>): string {
  let text = '';
  for (const item of items) text += `${printItem(item)}\n`;
  return text;
}

/** Prints one item, without a newline at the end. */
export function printItem(item: Item): string {
  switch (item.kind) {
    case 'version':
      return `.version ${item.major}.${item.minor}`;
    case 'target':
      return `.target ${item.names.map((name) => name.name).join(', ')}`;
    case 'address_size':
      return `.address_size ${item.size}`;
    case 'declaration':
      return printDeclaration(item);
    case 'function':
      return printFunction(item);
    case 'debug':
      return item.text;
    case 'alias':
      return `.alias ${item.name}, ${item.target};`;
    case 'pragma':
      return printPragma(item);
    default:
      return assertNever(item);
  }
}

/** Prints one instruction with its guard and its semicolon. */
export function printInstruction(instruction: Instruction): string {
  const { guard } = instruction;
  const prefix = guard === null ? '' : `@${guard.negated ? '!' : ''}${printOperand(guard.predicate)} `;
  const operands = instruction.operands.map((operand) => printOperand(operand)).join(', ');
  return `${prefix}${instruction.mnemonic}${operands === '' ? '' : ` ${operands}`};`;
}

/** Prints one statement of a body, indented by `indent`, without a newline at the end. */
export function printStatement(statement: Statement, indent = ''): string {
  switch (statement.kind) {
    case 'instruction':
      return indent + printInstruction(statement);
    case 'label':
      return `${statement.name}:`;
    case 'block':
      return `${indent}{\n${printStatements(statement.statements, `${indent}  `)}${indent}}`;
    case 'declaration':
      return indent + printDeclaration(statement);
    case 'loc':
      return indent + printLocation(statement);
    case 'intermediate-loc':
      return `${indent}.loc_intermediate ${statement.file} ${statement.line} ${statement.column}`;
    case 'pragma':
      return indent + printPragma(statement);
    case 'targets': {
      const names = statement.names.map((name) => name.name).join(', ');
      return `${statement.label}: ${statement.directive} ${names};`;
    }
    case 'prototype':
      return printPrototype(statement);
    case 'function':
      return indent + printFunction(statement);
    case 'known':
      return statementsOf(statement)
        .map((known) => printStatement(known, indent))
        .join('\n');
    default:
      return assertNever(statement);
  }
}

function printStatements(statements: readonly Statement[], indent: string): string {
  let text = '';
  for (const statement of statements) text += `${printStatement(statement, indent)}\n`;
  return text;
}

function printFunction(item: FunctionItem): string {
  const parts: string[] = item.linkage === null ? [] : [item.linkage];
  parts.push(item.entry ? '.entry' : '.func', ...printAttributes(item.attributes));
  if (item.results.length > 0) parts.push(printParameters(item.results));
  parts.push(`${item.name}${printParameters(item.parameters)}`);
  if (item.noreturn) parts.push('.noreturn');
  for (const directive of item.tuning) parts.push(printTuning(directive, item.entry));
  const header = parts.join(' ');
  return item.body === null ? `${header};` : `${header}\n{\n${printStatements(item.body, '  ')}}`;
}

function printTuning(directive: TuningDirective, entry: boolean): string {
  if (directive.name === '.pragma') return `.pragma ${quote(directive.strings)}${entry ? ';' : ''}`;
  const values = [...directive.strings.map((text) => `"${text}"`), ...directive.values];
  return values.length === 0 ? directive.name : `${directive.name} ${values.join(', ')}`;
}

function printParameters(parameters: readonly Parameter[]): string {
  return `(${parameters.map(printParameter).join(', ')})`;
}

/**
 * The parts of a function's header, each printed separately: the linkage, the results and parameters without their
 * names, and the directives.
 */
export function printHeaderParts(item: BodilessFunction): readonly string[] {
  const nameless = (parameter: Parameter): string => printParameter({ ...parameter, name: '' }).trim();
  return [
    ...(item.linkage === null ? [] : [item.linkage]),
    ...printAttributes(item.attributes),
    ...item.results.map((result) => `result ${nameless(result)}`),
    ...item.parameters.map(nameless),
    ...(item.noreturn ? ['.noreturn'] : []),
    ...item.tuning.map((directive) => printTuning(directive, false)),
  ];
}

function printParameter(parameter: Parameter): string {
  const parts: string[] = [parameter.space, ...printAttributes(parameter.attributes)];
  parts.push(...printAlign(parameter.align), ...printType(parameter));
  const { pointer } = parameter;
  if (pointer !== null) {
    parts.push('.ptr');
    if (pointer.space !== null) parts.push(pointer.space);
    parts.push(...printAlign(pointer.align));
  }
  parts.push(parameter.name + printDimensions(parameter));
  return parts.join(' ');
}

function printDeclaration(declaration: Declaration): string {
  const { linkage, space, bank, attributes, nameless, variables } = declaration;
  const [first] = variables;
  const parts: string[] = linkage === null ? [] : [linkage];
  parts.push(bank === null ? space : `${space}[${bank}]`, ...printAttributes(attributes));
  if (nameless !== null) parts.push(...printType(nameless));
  if (first !== undefined)
    parts.push(...printAlign(first.align), ...printType(first), variables.map(printVariable).join(', '));
  return `${parts.join(' ')};`;
}

function printVariable(variable: Variable): string {
  const { name, count, initializer } = variable;
  const family = count === null ? '' : `<${count}>`;
  const value = initializer === null ? '' : ` = ${printInitializer(initializer)}`;
  return name + family + printDimensions(variable) + value;
}

function printType({ vector, type }: TypePart): string[] {
  return vector === null ? [type] : [vector, type];
}

function printAlign(align: number | null): string[] {
  return align === null ? [] : [`.align ${align}`];
}

function printAttributes(attributes: readonly string[]): string[] {
  return attributes.length === 0 ? [] : [`.attribute(${attributes.join(', ')})`];
}

function printPrototype(prototype: PrototypeDirective): string {
  const results = prototype.results.length === 0 ? '' : `${printParameters(prototype.results)} `;
  const parts = [`${prototype.label}: .callprototype ${results}_ ${printParameters(prototype.parameters)}`];
  if (prototype.noreturn) parts.push('.noreturn');
  for (const directive of prototype.tuning) parts.push(printTuning(directive, false));
  return `${parts.join(' ')};`;
}

function printLocation({ file, line, column, inlined }: LocationDirective): string {
  const place = `.loc ${file} ${line} ${column}`;
  if (inlined === null) return place;
  const offset = inlined.functionOffset === 0 ? '' : `+${inlined.functionOffset}`;
  const at = `${inlined.file} ${inlined.line} ${inlined.column}`;
  return `${place}, function_name ${inlined.functionName}${offset}, inlined_at ${at}`;
}

function printPragma(pragma: PragmaDirective): string {
  return `.pragma ${quote(pragma.strings)};`;
}

function quote(strings: readonly string[]): string {
  return strings.map((text) => `"${text}"`).join(', ');
}
