/**
 * The tree of a PTX module. The tree is purely syntactic: opcodes are stored as text, and operands by their syntactic
 * form, regardless of the instruction. All offsets are UTF-16 offsets into the module's text. Nodes are plain data and
 * never change. The only exception is `LineSource`, an object with methods that parse skipped lines later.
 */
import type { Span } from '../base/span.ts';
import type { DeclaredSpace, Linkage, SectionPart } from '../isa/directives.ts';
import type { LineShape, LineShapes } from './line-shapes.ts';

// --- operands -------------------------------------------------------------------------------------------------------

/**
 * A register, variable, label, function or special register, given by its name as written (`%r1`, `%tid`, `$L__BB0_2`).
 */
export interface NameOperand extends Span {
  readonly kind: 'name';
  readonly name: string;
}

/**
 * `%v.x`, `%tid.x`: `base` is the name as written, and `member` includes the dot. The parser does not know whether this
 * is a vector element or part of a special register's name.
 */
export interface MemberOperand extends Span {
  readonly kind: 'member';
  readonly base: string;
  readonly member: string;
}

/**
 * An integer constant expression, which has already been evaluated with 64-bit arithmetic. `unsigned` is true if the
 * constant has the suffix `U` or is too large for `.s64`.
 */
export interface IntegerOperand extends Span {
  readonly kind: 'integer';
  readonly value: bigint;
  readonly unsigned: boolean;
}

/** A float constant. `form` is the notation in the source text. A decimal constant is rounded to the nearest f64. */
export interface FloatOperand extends Span {
  readonly kind: 'float';
  readonly form: '0f' | '0d' | 'decimal';
  /** The bits of the constant, which is an f32 if the form is `0f`, otherwise an f64. */
  readonly bits: bigint;
}

/**
 * `name+imm`, or if `subscript` is true, the array notation `name[imm]`, `name[reg]` or `name[reg+imm]`. In a
 * subscript, `offset` counts array elements, so ptxas multiplies it by the size of an element. The register `index`,
 * however, contains a number of bytes, which ptxas does not multiply.
 */
export interface OffsetOperand extends Span {
  readonly kind: 'offset';
  readonly base: NameOperand;
  readonly offset: bigint;
  readonly subscript: boolean;
  readonly index: NameOperand | null;
}

/** `{a, b, _, 1}`: a brace list. */
export interface VectorOperand extends Span {
  readonly kind: 'vector';
  readonly elements: readonly Operand[];
}

/**
 * `[base+offset]`; `base` is null for an immediate address. If there are more parts, separated by commas
 * (`[map, {x, y}]`), they are in `rest`.
 */
export interface AddressOperand extends Span {
  readonly kind: 'address';
  readonly base: NameOperand | MemberOperand | null;
  readonly offset: bigint;
  readonly rest: readonly Operand[];
}

/** `!%p`, `-%r`, `~%r`. */
export interface UnaryOperand extends Span {
  readonly kind: 'unary';
  readonly operator: '!' | '-' | '~';
  readonly operand: Operand;
}

/** `_`, a discarded result. */
export interface SinkOperand extends Span {
  readonly kind: 'sink';
}

/** `p|q`, two results. */
export interface PairOperand extends Span {
  readonly kind: 'pair';
  readonly first: Operand;
  readonly second: Operand;
}

/** `(a, b)`, the argument or result list of a call. */
export interface ListOperand extends Span {
  readonly kind: 'list';
  readonly elements: readonly Operand[];
}

export type Operand =
  | NameOperand
  | MemberOperand
  | IntegerOperand
  | FloatOperand
  | OffsetOperand
  | VectorOperand
  | AddressOperand
  | UnaryOperand
  | SinkOperand
  | PairOperand
  | ListOperand;

// --- statements -----------------------------------------------------------------------------------------------------

/** The guard of an instruction: `@%p` or `@!%p`. */
export interface Guard extends Span {
  readonly negated: boolean;
  readonly predicate: NameOperand | MemberOperand;
}

/**
 * `cvt.rn.f16.f32 %h, %f;`. The span starts at the guard, if there is one, and includes the semicolon. `mnemonicEnd` is
 * the offset at which the mnemonic ends in the text.
 */
export interface Instruction extends Span {
  readonly kind: 'instruction';
  readonly guard: Guard | null;
  /** Opcode and dot-separated parts joined without white space: `cvt.rn.f16.f32`, `ld.const[2].f32`. */
  readonly mnemonic: string;
  readonly mnemonicStart: number;
  readonly mnemonicEnd: number;
  readonly operands: readonly Operand[];
}

export interface Label extends Span {
  readonly kind: 'label';
  readonly name: string;
}

/** A block `{ … }` inside a body. Names that are declared in the block are visible only there. */
export interface Block extends Span {
  readonly kind: 'block';
  readonly statements: readonly Statement[];
}

/** A `.loc` directive such as `.loc 1 10 5`. `function_name` and `inlined_at` may follow the numbers. */
export interface LocationDirective extends Span {
  readonly kind: 'loc';
  readonly file: number;
  readonly line: number;
  readonly column: number;
  readonly inlined: InlinedAt | null;
}

/** A `.loc_intermediate` directive: a position in intermediate-language code. */
export interface IntermediateLocation extends Span {
  readonly kind: 'intermediate-loc';
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

/**
 * The second part of a `.loc`, such as `function_name L+4, inlined_at 1 20 7`: the name of the inlined function, given
 * as a label in a debug section, and the position of the call.
 */
export interface InlinedAt {
  readonly functionName: string;
  readonly functionOffset: number;
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

export interface PragmaDirective extends Span {
  readonly kind: 'pragma';
  readonly strings: readonly string[];
}

/** `L: .branchtargets a, b;` and `L: .calltargets f, g;` */
export interface TargetsDirective extends Span {
  readonly kind: 'targets';
  readonly directive: '.branchtargets' | '.calltargets';
  readonly label: string;
  readonly names: readonly NameOperand[];
}

/** `L: .callprototype (…) _ (…) .noreturn;` */
export interface PrototypeDirective extends Span {
  readonly kind: 'prototype';
  readonly label: string;
  readonly results: readonly Parameter[];
  readonly parameters: readonly Parameter[];
  readonly noreturn: boolean;
  readonly tuning: readonly TuningDirective[];
}

export type Statement =
  | Instruction
  | Label
  | Block
  | Declaration
  | LocationDirective
  | IntermediateLocation
  | PragmaDirective
  | TargetsDirective
  | PrototypeDirective
  | InnerFunction
  | KnownLines;

/**
 * Consecutive instructions and `.loc` directives that were skipped instead of being parsed, because the shapes of their
 * lines are known. Their entries in `source` lie between `from` and `to`.
 */
export interface KnownLines extends Span {
  readonly kind: 'known';
  /** The start and the end of the entries of the skipped lines in `source.shapes.words`. */
  readonly from: number;
  readonly to: number;
  readonly source: LineSource;
}

/**
 * The lines of the current item that were skipped because their shapes are known. They are no longer available once the
 * next item is read.
 */
export interface LineSource {
  readonly shapes: LineShapes;
  /** Parses a known line. */
  statementAt(start: number): Instruction | LocationDirective;
  /**
   * Stores the shape of a parsed statement for later lines, and returns it; returns null if no shape can be stored for
   * the statement.
   */
  learn(node: Instruction | LocationDirective): LineShape | null;
}

// --- declarations ---------------------------------------------------------------------------------------------------

/**
 * The initializer after `=`. It is a constant such as `0x1234`, an address such as `name`, `name+4` or
 * `generic(name)+4`, a brace list, or a field of a texture or sampler such as `addr_mode_0 = wrap`. A mask can select
 * one byte of a constant or an address, as in `0xff00(0x1234)` or `0xff00(name)`. If a mask was applied to a constant,
 * `masked` is true, and `value` is the byte. For an address, `mask` is stored.
 */
export type Initializer =
  | { readonly kind: 'integer'; readonly value: bigint; readonly masked: boolean; readonly span: Span }
  | { readonly kind: 'float'; readonly form: '0f' | '0d' | 'decimal'; readonly bits: bigint; readonly span: Span }
  | {
      readonly kind: 'address';
      readonly name: string;
      readonly offset: bigint;
      readonly generic: boolean;
      readonly mask: bigint | null;
      readonly span: Span;
    }
  | { readonly kind: 'list'; readonly elements: readonly Initializer[]; readonly span: Span }
  | { readonly kind: 'field'; readonly name: string; readonly value: Initializer; readonly span: Span };

/**
 * A declared name. In `dimensions`, null stands for `[]`. `count` is the number N in a declaration such as `%r<N>`;
 * null if there is no such number.
 */
export interface Variable extends Span {
  readonly name: string;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly count: number | null;
  readonly dimensions: readonly (number | null)[];
  readonly initializer: Initializer | null;
  /**
   * The type as written, including its dot. Like the vector size, the alignment and the pointer attributes, the type
   * applies to all names in a list.
   */
  readonly type: string;
  readonly typeStart: number;
  readonly typeEnd: number;
  readonly vector: '.v2' | '.v4' | null;
  readonly align: number | null;
  readonly pointer: PointerAttributes | null;
}

/** The attributes of a kernel parameter that is a pointer, such as `.ptr .global .align 16`. */
export interface PointerAttributes {
  readonly space: '.const' | '.global' | '.local' | '.shared' | null;
  readonly align: number | null;
}

/** The properties that all names in one declaration share. */
export interface TypePart {
  readonly type: string;
  readonly typeStart: number;
  readonly typeEnd: number;
  readonly vector: '.v2' | '.v4' | null;
}

/** `.reg .b32 %a, %r<10>;`, `.shared .align 16 .b8 tile[128];`, at module or function scope. */
export interface Declaration extends Span {
  readonly kind: 'declaration';
  readonly linkage: Linkage | null;
  readonly space: DeclaredSpace;
  readonly spaceStart: number;
  readonly spaceEnd: number;
  /** The number of the bank in `.const[2]`, a notation used before PTX 2.2. */
  readonly bank: number | null;
  /**
   * Attributes such as `.attribute(.managed)` and `.attribute(.unified(…))`, as they are written but without spaces.
   */
  readonly attributes: readonly string[];
  /** The type of a declaration without names, such as `.global .b32;`; null if there are names. */
  readonly nameless: TypePart | null;
  readonly variables: readonly Variable[];
}

/**
 * A performance or launch directive of a function, such as `.maxntid 128, 1, 1`. `strings` contains the strings of a
 * `.pragma`.
 */
export interface TuningDirective extends Span {
  readonly name: string;
  readonly values: readonly number[];
  readonly strings: readonly string[];
}

/** A `.entry` or `.func` without its statements. The span is still that of the whole function. */
export interface BodilessFunction extends Span {
  readonly kind: 'function';
  readonly entry: boolean;
  readonly linkage: Linkage | null;
  readonly name: string;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly attributes: readonly string[];
  readonly results: readonly Parameter[];
  readonly parameters: readonly Parameter[];
  readonly tuning: readonly TuningDirective[];
  readonly noreturn: boolean;
}

/** `.entry` or `.func`. `body` is null for a prototype. */
export interface FunctionItem extends BodilessFunction {
  readonly body: readonly Statement[] | null;
  /** The lines of the body that were skipped because their shapes are known; null if every instruction was parsed. */
  readonly lines: LineSource | null;
}

/** The declaration of a function inside the body of another function. */
export type InnerFunction = FunctionItem & { readonly entry: false; readonly body: null };

/** A parameter. Its state space is `.param`; the parameters of functions, but not of kernels, can also be in `.reg`. */
export interface Parameter extends Variable {
  readonly space: '.param' | '.reg';
  /** As in a declaration. The parser accepts attributes here because ptxas does, although parameters have none. */
  readonly attributes: readonly string[];
}

// --- module ---------------------------------------------------------------------------------------------------------

export interface VersionDirective extends Span {
  readonly kind: 'version';
  readonly major: number;
  readonly minor: number;
}

/** `.target sm_90a, debug`: the architecture and platform options as written. */
export interface TargetDirective extends Span {
  readonly kind: 'target';
  readonly names: readonly NameOperand[];
}

export interface AddressSizeDirective extends Span {
  readonly kind: 'address_size';
  readonly size: number;
}

/**
 * `.file`, `.section`, `.nv_intermediate_source_section` and `@@DWARF` lines, kept but not interpreted. For `.file`,
 * the number and the name are also stored separately, because the messages about faults quote lines of the source file.
 */
export interface DebugItem extends Span {
  readonly kind: 'debug';
  readonly directive: '.file' | '.section' | '.nv_intermediate_source_section' | '@@DWARF';
  /** The text of the whole item, exactly as written. */
  readonly text: string;
  readonly file: {
    readonly index: number;
    readonly name: string;
    /** True if a time and a size follow the name. */
    readonly stamped: boolean;
  } | null;
  /** Values in a `.section` that do not fit the type written before them. */
  readonly misfits: readonly DebugMisfit[];
  /** For each part of a `.section` that not all versions allow, the place where it first occurs. */
  readonly parts: readonly (Span & { readonly part: SectionPart })[];
  /** The labels that a `.section` defines. */
  readonly labels: readonly SectionLabel[];
}

export interface SectionLabel extends Span {
  readonly name: string;
}

/**
 * A mistake in the data of a `.section`: `value` is outside the range of `type` or, if `value` is null, the type itself
 * cannot be used for the data that follows it.
 */
export interface DebugMisfit extends Span {
  readonly type: string;
  readonly value: string | null;
}

/** `.alias name, aliasee;` */
export interface AliasItem extends Span {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: string;
}

export type Item =
  | VersionDirective
  | TargetDirective
  | AddressSizeDirective
  | Declaration
  | FunctionItem
  | DebugItem
  | AliasItem
  | PragmaDirective;
