/**
 * Converts the mangled names that compilers emit to the C++ names of functions and variables (Itanium C++ ABI, 5.1).
 */
import { requireArgument } from '../require.ts';
import { text as textRule } from '../rules.ts';
import { builtinTypes, literalSuffixes, operators, qualifiers, standardNames } from './mangled-rows.ts';
import { isDigit, MangledText } from './mangled-text.ts';
import {
  arrayType,
  functionType,
  packOf,
  plainType,
  pointerTo,
  qualified,
  typeText,
  type WrittenType,
} from './written-type.ts';

/** Maximum length of a name in characters; longer names are not demangled. */
const longest = 4096;

/** Messages leave out the template arguments of C++ names that are longer than this. */
const longestInMessages = 160;

/**
 * The C++ name, such as `void scale<float>(float*, int)` for `_Z5scaleIfEvPT_i`; null if the name is not mangled. Names
 * that contain an expression are not supported; for these, the result is null as well.
 *
 * @throws PtxlabError `argument-type` for a value that is not a string
 */
export function demangle(mangled: string): string | null {
  requireArgument('the name', mangled, textRule);
  return nameFrom(mangled, 'whole');
}

/**
 * Returns the text with the C++ name added after each mangled name: `_Z1kPf (k(float*))`. Long names are given without
 * their template arguments: `reduce<…>(float*)`.
 */
export function withDemangled(text: string): string {
  return text.replace(/(?<![\w$])_Z[\w$.]*\w/g, (name) => {
    const whole = nameFrom(name, 'whole');
    if (whole === null) return name;
    return `${name} (${whole.length <= longestInMessages ? whole : nameFrom(name, 'brief')})`;
  });
}

/** `brief` replaces template arguments with `…`. */
type Style = 'whole' | 'brief';

function nameFrom(mangled: string, style: Style): string | null {
  if (!mangled.startsWith('_Z') || mangled.length > longest) return null;
  return new Demangler(mangled, style).read();
}

/**
 * The text of a name that has been read, and the properties of the name that determine whether a result type follows
 * it.
 */
interface Name {
  readonly text: string;
  readonly isTemplate: boolean;
  /** Constructors, destructors and conversions have no result type. */
  readonly isSpecial: boolean;
  /** Qualifiers of a member function, such as `const`. */
  readonly suffix: string;
}

class Demangler extends MangledText {
  private readonly style: Style;
  private readonly substitutions: WrittenType[] = [];
  private parameters: readonly WrittenType[] = [];
  /**
   * How many types enclose the current position. This is needed because template arguments inside a type are not those
   * of the function.
   */
  private inType = 0;

  constructor(text: string, style: Style) {
    super(text);
    this.style = style;
  }

  read(): string | null {
    const found = this.encoding();
    return this.failed || this.at < this.text.length ? null : found;
  }

  /**
   * Reads the name of a variable, or the name and parameters of a function. A function that encloses a local name
   * (`isOuter`) is written without its result type.
   */
  private encoding(isOuter = false): string {
    const special = this.specialName();
    if (special !== null) return special;
    const name = this.name();
    if (this.isAtEnd()) return name.text + name.suffix;
    const result = name.isTemplate && !name.isSpecial ? this.type() : null;
    const parameters = this.parameterList();
    const text = `${name.text}(${parameters})${name.suffix}`;
    if (result === null || isOuter) return text;
    return `${result.left}${result.right === '' ? ' ' : ''}${text}${result.right}`;
  }

  /**
   * Reads the name of something that the compiler generates, such as a table of virtual functions; null if the name is
   * not of this kind.
   */
  private specialName(): string | null {
    const kinds = { TV: 'vtable for ', TI: 'typeinfo for ', TS: 'typeinfo name for ', GV: 'guard variable for ' };
    for (const [code, words] of Object.entries(kinds)) {
      if (!this.take(code)) continue;
      return words + (code === 'GV' ? this.name().text : typeText(this.type()));
    }
    return null;
  }

  private parameterList(): string {
    const types: WrittenType[] = [];
    while (!this.isAtEnd() && !this.failed) types.push(this.type());
    const list = types.map(typeText).filter((text) => text !== '');
    return list.length === 1 && list[0] === 'void' ? '' : list.join(', ');
  }

  // --- names ---------------------------------------------------------------------------------------------------------

  private name(): Name {
    if (!this.enter()) return noName;
    const found = this.take('N') ? this.nestedName() : this.take('Z') ? this.localName() : this.unscopedName();
    this.depth--;
    return found;
  }

  private unscopedName(): Name {
    let text: string;
    let isSpecial = false;
    if (this.text[this.at] === 'S' && this.text[this.at + 1] !== 't') {
      text = typeText(this.substitution());
    } else {
      const prefix = this.take('St') ? 'std::' : '';
      const part = this.unqualifiedName('');
      text = prefix + part.text;
      ({ isSpecial } = part);
      if (this.text[this.at] === 'I') this.substitutions.push(plainType(text));
    }
    if (this.text[this.at] !== 'I') return { text, isTemplate: false, isSpecial, suffix: '' };
    return { text: text + this.templateArguments(), isTemplate: true, isSpecial, suffix: '' };
  }

  private nestedName(): Name {
    let suffix = this.qualifierWords();
    if (this.take('R')) suffix += ' &';
    else if (this.take('O')) suffix += ' &&';
    let found: Name = { ...noName, suffix };
    while (!this.take('E') && !this.failed) {
      found = { ...this.nestedPart(found), suffix };
      const isLast = this.text[this.at] === 'E';
      if (!isLast && this.isNewPrefix) this.substitutions.push(plainType(found.text));
    }
    return found;
  }

  /**
   * Whether a later substitution in the name can refer to the last part read. This is the case for all parts except
   * those that are substitutions themselves.
   */
  private isNewPrefix = true;

  private nestedPart({ text }: Name): Name {
    this.isNewPrefix = true;
    const join = text === '' ? '' : `${text}::`;
    switch (this.text[this.at]) {
      case 'I':
        return { ...noName, text: text + this.templateArguments(), isTemplate: true, isSpecial: this.wasSpecial };
      case 'S':
        if (text !== '') break;
        this.isNewPrefix = false;
        return { ...noName, text: typeText(this.substitution()) };
      case 'T':
        return { ...noName, text: typeText(this.templateParameter()) };
      default:
    }
    const part = this.unqualifiedName(text);
    this.wasSpecial = part.isSpecial;
    return { ...noName, text: join + part.text, isSpecial: part.isSpecial };
  }

  private wasSpecial = false;

  private localName(): Name {
    const outer = this.encoding(true);
    this.expect('E');
    if (this.take('s')) {
      this.discriminator();
      return { ...noName, text: `${outer}::string literal` };
    }
    if (this.take('d')) {
      this.number();
      this.expect('_');
    }
    const inner = this.name();
    this.discriminator();
    return { ...inner, text: `${outer}::${inner.text}` };
  }

  private discriminator(): void {
    const found = /^_(?:\d|_\d+_)/.exec(this.text.slice(this.at, this.at + 12));
    if (found !== null) this.at += found[0].length;
  }

  /**
   * Reads one part of a name. Constructors and destructors take their names from `scope`, the class that contains them.
   */
  private unqualifiedName(scope: string): { readonly text: string; readonly isSpecial: boolean } {
    this.take('L');
    const next = this.text[this.at] ?? '';
    const found = isDigit(next) ? { text: this.sourceName(), isSpecial: false } : this.codedName(scope);
    let text = found.text;
    while (this.take('B')) text += `[abi:${this.sourceName()}]`;
    return { text, isSpecial: found.isSpecial };
  }

  private codedName(scope: string): { readonly text: string; readonly isSpecial: boolean } {
    if (this.take('Ul')) return { text: `{lambda(${this.lambdaParameters()})${this.ordinal()}}`, isSpecial: false };
    if (this.take('Ut')) return { text: `{unnamed type${this.ordinal()}}`, isSpecial: false };
    const structor = /^([CD])[0-5]/.exec(this.text.slice(this.at, this.at + 2));
    if (structor !== null) {
      this.at += 2;
      const own = withoutArguments(scope).split('::').at(-1) ?? '';
      return { text: structor[1] === 'D' ? `~${own}` : own, isSpecial: true };
    }
    if (this.take('cv')) return { text: `operator ${typeText(this.type())}`, isSpecial: true };
    if (this.take('li')) return { text: `operator"" ${this.sourceName()}`, isSpecial: false };
    const operator = operators[this.text.slice(this.at, this.at + 2)];
    if (operator === undefined) return { text: this.fail(), isSpecial: false };
    this.at += 2;
    return { text: `operator${operator}`, isSpecial: false };
  }

  private lambdaParameters(): string {
    const list = this.parameterList();
    this.expect('E');
    return list;
  }

  /** Reads a sequence number: `_` stands for 1, `0_` for 2, `1_` for 3 and so on. */
  private ordinal(): string {
    const digits = this.number();
    this.expect('_');
    return `#${digits === '' ? 1 : Number(digits) + 2}`;
  }

  private sourceName(): string {
    const length = Number(this.number());
    if (length === 0 || this.at + length > this.text.length) return this.fail();
    const name = this.text.slice(this.at, this.at + length);
    this.at += length;
    return /^_GLOBAL_[_.$]N/.test(name) ? '(anonymous namespace)' : name;
  }

  // --- types ---------------------------------------------------------------------------------------------------------

  private type(): WrittenType {
    if (!this.enter()) return plainType('');
    this.inType++;
    const found = this.builtinType() ?? this.compoundType();
    this.inType--;
    this.depth--;
    return found;
  }

  private builtinType(): WrittenType | null {
    for (const length of [1, 2, 5]) {
      const code = this.text.slice(this.at, this.at + length);
      const name = code.length === length ? builtinTypes[code] : undefined;
      if (name === undefined) continue;
      this.at += length;
      return plainType(name);
    }
    return null;
  }

  private compoundType(): WrittenType {
    const isReference = this.text[this.at] === 'S' && this.text[this.at + 1] !== 't';
    const found = isReference ? this.substitution() : this.newType();
    const isNew = !isReference;
    if (isNew) this.substitutions.push(found);
    if (!isReference || this.text[this.at] !== 'I') return found;
    const whole = plainType(typeText(found) + this.templateArguments());
    this.substitutions.push(whole);
    return whole;
  }

  private newType(): WrittenType {
    const words = this.qualifierWords();
    if (words !== '') return qualified(this.type(), words);
    if (this.take('P')) return pointerTo(this.type(), '*');
    if (this.take('R')) return pointerTo(this.type(), '&');
    if (this.take('O')) return pointerTo(this.type(), '&&');
    if (this.take('F')) return this.functionType();
    if (this.take('A')) return this.arrayType();
    if (this.take('M')) return this.memberPointer();
    if (this.take('Dp')) return this.type();
    if (this.take('u')) return plainType(this.sourceName());
    if (this.text[this.at] !== 'T') return plainType(this.name().text);
    const parameter = this.templateParameter();
    if (this.text[this.at] !== 'I') return parameter;
    this.substitutions.push(parameter);
    return plainType(typeText(parameter) + this.templateArguments());
  }

  private functionType(): WrittenType {
    this.take('Y');
    const result = this.type();
    const parameters = this.parameterList();
    this.expect('E');
    return functionType(result, parameters);
  }

  private arrayType(): WrittenType {
    const extent = this.number();
    this.expect('_');
    return arrayType(this.type(), extent);
  }

  private memberPointer(): WrittenType {
    const owner = typeText(this.type());
    const member = this.type();
    return pointerTo(member.opening === '' ? qualified(member, ' ') : member, `${owner}::*`);
  }

  private qualifierWords(): string {
    let words = '';
    for (let next = this.text[this.at] ?? ''; next in qualifiers; next = this.text[this.at] ?? '') {
      words = (qualifiers[next] ?? '') + words;
      this.at++;
    }
    return words;
  }

  // --- templates -----------------------------------------------------------------------------------------------------

  private templateArguments(): string {
    this.expect('I');
    const found: WrittenType[] = [];
    while (!this.take('E') && !this.failed) found.push(this.templateArgument());
    if (this.inType === 0) this.parameters = found;
    const list = found.map(typeText).filter((text) => text !== '');
    return this.style === 'brief' && list.length > 0 ? '<…>' : `<${list.join(', ')}>`;
  }

  private templateArgument(): WrittenType {
    if (this.take('L')) return plainType(this.literal());
    if (this.take('XadL_Z')) return plainType(`&(${this.addressee()})`);
    if (!this.take('J')) return this.type();
    const pack: WrittenType[] = [];
    while (!this.take('E') && !this.failed) pack.push(this.templateArgument());
    return packOf(pack);
  }

  private addressee(): string {
    const name = this.encoding();
    this.expect('EE');
    return name;
  }

  private literal(): string {
    const type = typeText(this.type());
    const sign = this.take('n') ? '-' : '';
    const end = this.text.indexOf('E', this.at);
    if (end < 0) return this.fail();
    const value = this.text.slice(this.at, end);
    this.at = end + 1;
    if (type === 'bool') return value === '0' ? 'false' : 'true';
    if (type === 'decltype(nullptr)') return 'nullptr';
    const suffix = literalSuffixes[type];
    if (suffix !== undefined) return sign + value + suffix;
    const isFloat = type === 'float' || type === 'double';
    return isFloat ? `(${type})[${value}]` : `(${type})${sign}${value}`;
  }

  private templateParameter(): WrittenType {
    this.expect('T');
    const digits = this.number();
    this.expect('_');
    const found = this.parameters[digits === '' ? 0 : Number(digits) + 1];
    return found ?? plainType(this.fail());
  }

  private substitution(): WrittenType {
    this.expect('S');
    const letter = standardNames[this.text[this.at] ?? ''];
    if (letter !== undefined) {
      this.at++;
      return plainType(letter);
    }
    const digits = /^[0-9A-Z]*/.exec(this.text.slice(this.at))?.[0] ?? '';
    this.at += digits.length;
    this.expect('_');
    const found = this.substitutions[digits === '' ? 0 : Number.parseInt(digits, 36) + 1];
    return found ?? plainType(this.fail());
  }
}

const noName: Name = { text: '', isTemplate: false, isSpecial: false, suffix: '' };

/** Removes the template arguments at the end of a name: `a<b::c>::d<e>` becomes `a<b::c>::d`. */
function withoutArguments(name: string): string {
  if (!name.endsWith('>')) return afterArguments(name);
  let depth = 0;
  for (let i = name.length - 1; i >= 0; i--) {
    if (name[i] === '>') depth++;
    else if (name[i] === '<' && --depth === 0) return afterArguments(name.slice(0, i));
  }
  return name;
}

/** The last part of a name; colons inside arguments do not separate parts. */
function afterArguments(name: string): string {
  return name.slice(name.lastIndexOf('>') + 1);
}
