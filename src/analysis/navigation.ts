import { requireArgument } from '../base/require.ts';
import { text } from '../base/rules.ts';
import type { Span } from '../base/span.ts';
import { resolveMnemonic } from '../check/instructions/resolve.ts';
import type { Edit } from '../diagnostics/fix.ts';
import type { OperandPattern, Role } from '../isa/operand-patterns.ts';
import { parseInstruction } from '../syntax/parser.ts';
import type { Instruction } from '../syntax/tree.ts';
import type { Chunk } from './chunk.ts';
import { type ChunkList, requireOffset } from './chunk-list.ts';
import { formatEdits } from './format.ts';
import { Names } from './names.ts';
import { visitNames } from './occurrences.ts';
import { type Fold, foldsIn, type OutlineSymbol, outlineSymbols, selectionsAt } from './outline.ts';
import { type NamePlace, References } from './references.ts';
import { rename, type Renaming, whyFixed } from './rename.ts';
import { type SemanticToken, semanticTokens } from './semantic-tokens.ts';
import type { Word } from './words.ts';

/**
 * An occurrence of a name, and whether the name is read or written there. `role` is null if it is neither, as in a
 * declaration.
 */
export interface NameUse extends NamePlace {
  readonly role: Role | null;
}

/**
 * The offset at which an instruction ends, and the roles of the names in the instruction, keyed by the offsets of the
 * names.
 */
interface Roles {
  readonly of: ReadonlyMap<number, Role>;
  readonly end: number;
}

const noRoles: Roles = { of: new Map(), end: 0 };

/** Answers questions about the names and the structure of a document. Valid until the next edit. */
export class Navigation {
  /** The names of the document and their scopes. */
  readonly names: Names;
  readonly references: References;
  private readonly list: ChunkList;

  constructor(list: ChunkList, words: WeakMap<Chunk, readonly Word[]>) {
    this.list = list;
    this.names = new Names(list);
    this.references = new References(list, this.names, words);
  }

  /**
   * The words that begin between two offsets, and what they mean. Only the part of the document around these offsets is
   * read.
   */
  tokens(start: number, end: number): Iterable<SemanticToken> {
    requireOffset(start);
    requireOffset(end);
    return semanticTokens(this.list, this.names, this.references, { start, end });
  }

  symbols(): readonly OutlineSymbol[] {
    return outlineSymbols(this.list, this.names);
  }

  folds(): readonly Fold[] {
    return foldsIn(this.list, this.references);
  }

  /** The edits that format the document, in the order of the text. Only white space changes. */
  format(): readonly Edit[] {
    return formatEdits(this.list, this.references);
  }

  /** The ranges that enclose an offset, from the word at the offset to the whole text. */
  selections(offset: number): readonly Span[] {
    return selectionsAt(offset, this.list, this.names, this.references);
  }

  /**
   * Given the offset of a name, returns all places that refer to the same entity, in the order of the text; empty if
   * there is no name at the offset.
   */
  places(offset: number): readonly NamePlace[] {
    const entity = this.references.entityAt(offset);
    return entity === null ? [] : this.references.placesOf(entity);
  }

  /** Like `places`, but also returns for each place whether the name is read or written there. */
  uses(offset: number): readonly NameUse[] {
    let roles = noRoles;
    return this.places(offset).map((place) => {
      if (place.start >= roles.end) roles = this.rolesAround(place.start);
      return { ...place, role: roles.of.get(place.start) ?? null };
    });
  }

  /** The places where the name at an offset is declared. The definition of a function comes first. */
  declarations(offset: number): readonly Span[] {
    const entity = this.references.entityAt(offset);
    if (entity === null) return [];
    const { declared, scope, name } = entity;
    const all = scope === null ? this.names.ofModule(name) : [declared];
    return all.map(({ start, end }) => ({ start, end }));
  }

  /**
   * The range of the name at an offset if the name can be renamed; otherwise the reason why it cannot be renamed. Null
   * if there is no name.
   */
  renameable(offset: number): Span | string | null {
    const entity = this.references.entityAt(offset);
    const word = this.references.wordAt(offset);
    if (entity === null || word === null) return null;
    return whyFixed(entity) ?? { start: word.start, end: word.end };
  }

  /**
   * Renames the entity named at an offset; null if no entity is named there.
   *
   * @throws PtxlabError `argument-type` if the new name is not a string
   */
  rename(offset: number, name: string): Renaming | null {
    requireArgument('the new name', name, text);
    const entity = this.references.entityAt(offset);
    return entity === null ? null : rename(entity, name, this.references, this.names);
  }

  /** Whether an instruction reads or writes the name that begins at an offset; null outside of instructions. */
  roleAt(offset: number): Role | null {
    return this.rolesAround(offset).of.get(offset) ?? null;
  }

  private rolesAround(offset: number): Roles {
    const span = this.references.instructionAround(offset);
    if (span === null) return noRoles;
    const { instruction } = parseInstruction(this.list.slice(span.start, span.end));
    const of = new Map<number, Role>();
    if (instruction !== null) {
      visitNames(instruction, patternsOf(instruction), ({ start }, role) => of.set(span.start + start, role));
    }
    return { of, end: span.end };
  }
}

/**
 * The operand patterns of the form that the instruction most likely has. Empty if the tables do not contain the
 * instruction.
 */
function patternsOf({ mnemonic, operands }: Instruction): readonly OperandPattern[] {
  const found = resolveMnemonic(mnemonic);
  if (found.kind !== 'variants') return [];
  const { variants } = found;
  const fitting = variants.find(({ form }) => form.operands.length === operands.length) ?? variants[0];
  return fitting?.form.operands ?? [];
}
