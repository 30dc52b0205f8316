/**
 * Verdicts on instructions, cached by mnemonic and operand shapes. Ten megabytes of PTX contain only about a hundred
 * different mnemonics, each used with a few combinations of operand shapes, so the verdict on nearly every instruction
 * is found in a small tree.
 */
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { Variant } from '../../isa/form.ts';
import { joinWords } from '../../base/join-words.ts';
import { ownText } from '../../base/own-text.ts';
import { checkRows, type ModuleEnvironment, rowsOf, type Texmode } from '../availability.ts';
import { bankUse } from '../constant-banks.ts';
import { accessesName } from './extents.ts';
import { isLimited } from './limits.ts';
import { longerForms } from './longer-forms.ts';
import { operandList } from './match.ts';
import { needsOfHandle, needsOfTexture } from './match-texture.ts';
import { listed } from './modifier-words.ts';
import { operandProblems } from './operand-order.ts';
import { operand, type Problem } from './problem.ts';
import { type Resolution, resolveIn } from './resolve.ts';
import { formsHere, typesInstead } from './forms-here.ts';
import { type OpcodeTable, ptxForms } from '../../isa/table.ts';
import { resolveAt } from './later-additions.ts';
import { withSelectors } from './selectors.ts';
import { warningsOn } from './warnings.ts';
import { ctaGroupOf } from '../declarations/function-uses.ts';
import { availabilityOf, reachesShared, type Shape } from './shape.ts';
import { inWordsOfToday } from './superseded.ts';

export interface Verdict {
  readonly opcode: string;
  /** The intended variant; null if none fits or the opcode is not in the table. */
  readonly variant: Variant | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly rows: readonly AvailabilityRow[];
  /** True for a PTX instruction that is not in the table. */
  readonly unchecked: boolean;
  /** True if at least one operand accepts only constants in a fixed range. */
  readonly ranged: boolean;
  /** True for a call, whose arguments are compared with the actual function. */
  readonly calls: boolean;
  /**
   * True if the instruction accesses a variable by its name, so that the accessed bytes are compared with the
   * variable's size.
   */
  readonly named: boolean;
  /**
   * True if an operand contains an undeclared name. Also true if no form accepts the mnemonic, because the operands are
   * then not examined.
   */
  readonly undeclared: boolean;
  /**
   * True if the checker records what the instruction uses: an operand is a `.shared` variable or a function, or the
   * instruction has a CTA group. Also true if no form accepts the mnemonic.
   */
  readonly reaches: boolean;
  /** True if nothing is reported for any instruction with this verdict, regardless of its names and values. */
  readonly clean: boolean;
}

/**
 * A node in the tree of verdicts for a mnemonic. Each level of the tree corresponds to an operand: the shape of the
 * first operand selects a child of the root, the shape of the second operand selects a child of that node, and so on.
 */
export interface Node {
  /** Indexed by shape id. */
  readonly next: (Node | undefined)[];
  verdict: Verdict | null;
}

/** The cached facts about a mnemonic. */
export interface Remembered {
  readonly mnemonic: string;
  readonly resolution: Resolution;
  readonly root: Node;
  /** The verdict if no form accepts the mnemonic; it does not depend on the operands. */
  readonly refused: Verdict | null;
}

/** The cache is cleared when it contains this many mnemonics, which happens only with generated or hostile input. */
const capacity = 20_000;
const longestRemembered = 200;

/** Determines and caches verdicts on instructions for one version, target and address size. */
export class VerdictCache {
  readonly environment: ModuleEnvironment;
  private readonly forms: OpcodeTable;
  private readonly mnemonics = new Map<string, Remembered>();

  constructor(environment: ModuleEnvironment) {
    this.environment = environment;
    this.forms = formsHere(ptxForms, environment);
  }

  /**
   * Returns the verdict on an instruction. It is looked up with `recall` and `step` or, if it is not in the cache,
   * determined by `decide`.
   */
  verdictOn(mnemonic: string, shapes: readonly Shape[]): Verdict {
    const remembered = this.recall(mnemonic);
    if (remembered.refused !== null) return remembered.refused;
    let node = remembered.root;
    for (const shape of shapes) node = step(node, shape);
    return node.verdict ?? this.decide(remembered, node, shapes);
  }

  /** The cached facts about a mnemonic, and the root node of its tree. */
  recall(mnemonic: string): Remembered {
    const known = this.mnemonics.get(mnemonic);
    if (known !== undefined) return known;
    const resolution = this.inWordsHere(resolveAt(mnemonic, this.environment.version), mnemonic);
    const refused = resolution.kind === 'refused' ? refusal(resolution) : null;
    const made: Remembered = { mnemonic, resolution, root: { next: [], verdict: null }, refused };
    if (mnemonic.length > longestRemembered) return made;
    if (this.mnemonics.size >= capacity) this.mnemonics.clear();
    this.mnemonics.set(mnemonic, made);
    return made;
  }

  /**
   * Resolves a refused mnemonic again with only the forms that the module's version and target support. If the problems
   * are the same, returns the new result, so that messages suggest only what is supported.
   */
  private inWordsHere(resolution: Resolution, mnemonic: string): Resolution {
    if (resolution.kind !== 'refused') return resolution;
    // The table keeps a reference to the opcode, so it receives a copy: a substring would keep the module's whole text
    // in memory.
    const here = resolveIn(this.forms, ownText(mnemonic));
    return here.kind === 'refused' && codesOf(here) === codesOf(resolution) ? here : resolution;
  }

  /** Determines a verdict that is not cached, and stores it in the node. */
  decide({ mnemonic, resolution }: Remembered, node: Node, shapes: readonly Shape[]): Verdict {
    const verdict = withBank(decide(resolution, shapes, this.environment), mnemonic, this.environment);
    node.verdict = verdict;
    return verdict;
  }
}

/** Adds the problems with the bank number in a mnemonic such as `ld.const[2].f32` to the verdict on the instruction. */
function withBank(verdict: Verdict, mnemonic: string, environment: ModuleEnvironment): Verdict {
  const bank = verdict.variant === null ? null : bankUse(mnemonic, environment);
  if (bank === null) return verdict;
  const problems = [...verdict.problems, ...bank.problems];
  return { ...verdict, problems, rows: [...verdict.rows, bank.row], clean: verdict.clean && problems.length === 0 };
}

function codesOf({ problems }: Extract<Resolution, { readonly kind: 'refused' }>): string {
  return problems.map(({ code }) => code).join();
}

/** Returns the node for an operand's shape on the next level of the tree, and creates it if necessary. */
export function step(node: Node, shape: Shape): Node {
  const known = node.next[shape.id];
  if (known !== undefined) return known;
  const made: Node = { next: [], verdict: null };
  node.next[shape.id] = made;
  return made;
}

function decide(resolution: Resolution, shapes: readonly Shape[], environment: ModuleEnvironment): Verdict {
  const { opcode } = resolution;
  switch (resolution.kind) {
    case 'unchecked': {
      const rows = [resolution.row];
      const undeclared = shapes.some((shape) => shape.undeclared);
      const reaches = shapes.some(reachesShared);
      const none = refusal({ opcode, problems: checkRows(rows, environment) });
      return { ...none, rows, unchecked: true, undeclared, reaches };
    }
    case 'refused':
      return refusal(resolution);
    case 'variants':
      return withCountHelp(
        best(resolution.variants.map((variant) => verdictOnVariant(opcode, variant, shapes, environment))),
        shapes,
        environment,
      );
  }
}

/**
 * If the number of operands is the only problem, adds help that lists the modifiers with which this number would be
 * correct.
 */
function withCountHelp(verdict: Verdict, shapes: readonly Shape[], environment: ModuleEnvironment): Verdict {
  const { opcode, variant, problems } = verdict;
  const [found, ...others] = problems;
  if (variant === null || found?.code !== 'PTX3002' || others.length > 0) return verdict;
  const longer = longerForms(opcode, variant, shapes.length).find(
    (form) => verdictOnVariant(opcode, form.variant, shapes, environment).problems.length === 0,
  );
  if (longer === undefined) return verdict;
  const help = `with ${listed(longer.missing)}, it takes ${operandList(longer.variant.form.operands)}`;
  return { ...verdict, problems: [{ ...found, help }] };
}

function refusal({ opcode, problems }: { readonly opcode: string; readonly problems: readonly Problem[] }): Verdict {
  return {
    opcode,
    variant: null,
    problems,
    warnings: [],
    rows: [],
    unchecked: false,
    ranged: false,
    calls: false,
    named: false,
    undeclared: true,
    reaches: true,
    clean: false,
  };
}

/**
 * The version and target requirements that depend on how an operand is written: as a pair of results, as a register
 * that holds the handle of a texture, sampler or surface, or as a name that stands for an address or a handle.
 */
function needsOfOperand({ form }: Variant, shape: Shape, index: number, texmode: Texmode): readonly AvailabilityRow[] {
  const pattern = form.operands[index];
  switch (pattern?.kind) {
    case 'value': {
      const needed = pattern.names?.get(kindOfName(shape));
      return needed === undefined ? [] : [needed];
    }
    case 'pair':
      return shape.kind === 'pair' && pattern.needs !== undefined ? [pattern.needs] : [];
    case 'texture':
      return shape.kind === 'address' ? needsOfTexture(pattern, shape, texmode) : [];
    case 'handle':
      return shape.kind === 'address' ? needsOfHandle(pattern, shape, texmode) : [];
    default:
      return [];
  }
}

/**
 * The key for finding the requirements of a name in the `names` of a pattern. Empty if the operand is not just the name
 * of a function or variable.
 */
function kindOfName(shape: Shape): string {
  if (shape.kind === 'function') return shape.entry ? '.entry' : '.func';
  return shape.kind === 'variable' && !shape.offset ? (shape.opaque ?? shape.space) : '';
}

function verdictOnVariant(
  opcode: string,
  variant: Variant,
  shapes: readonly Shape[],
  environment: ModuleEnvironment,
): Verdict {
  const selected = withSelectors(variant, shapes);
  const what = opcode + variant.types.map((type) => type.name).join('');
  const ownRows = rowsOf(variant);
  const problems = [
    ...operandProblems({ variant, opcode, what, texmode: environment.texmode }, shapes),
    ...inWordsOfToday(checkRows(ownRows, environment), opcode, variant, environment).map((found) =>
      found.help === null && found.spelling === null
        ? { ...found, help: () => typesInstead(opcode, variant, environment) }
        : found,
    ),
  ];
  const rows = [...ownRows];
  shapes.forEach((shape, i) => {
    const needed = [...availabilityOf(shape), ...needsOfOperand(variant, shape, i, environment.texmode)];
    if (needed.length === 0) return;
    problems.push(...checkRows(needed, environment, operand(i)));
    rows.push(...needed);
  });
  const ranged = isLimited(variant, environment);
  const undeclared = shapes.some((shape) => shape.undeclared);
  const calls = variant.form.operands.some((pattern) => pattern.kind === 'callee');
  const refused = new Set(problems.map(({ place }) => (place.kind === 'operand' ? place.path[0] : null)));
  const warnings = warningsOn(variant, shapes, environment).filter(
    ({ place }) => place.kind !== 'operand' || !refused.has(place.path[0] ?? -1),
  );
  const reaches = shapes.some(reachesShared) || ctaGroupOf(variant.mnemonic) !== null;
  const named = accessesName(variant, shapes);
  const clean = problems.length + warnings.length === 0 && ![ranged, calls, named, undeclared, reaches].includes(true);
  const found = { opcode, variant: selected, problems, warnings, rows };
  return { ...found, unchecked: false, ranged, calls, named, undeclared, reaches, clean };
}

/**
 * The weights of problems by code, used to find the form that was most likely intended; all other codes have a weight
 * of 1. A form with a different number or different kinds of operands is unlikely to be the intended one.
 */
const weights: Readonly<Partial<Record<Problem['code'], number>>> = { PTX3002: 10, PTX3009: 5, PTX3003: 2 };

/**
 * Returns the verdict with the least serious problems, or the first one if there is a tie. If its only problem is the
 * number or the kind of operands, the message also lists the numbers or kinds that equally close variants accept.
 */
function best(verdicts: readonly Verdict[]): Verdict {
  const weigh = (verdict: Verdict): number => verdict.problems.reduce((sum, { code }) => sum + (weights[code] ?? 1), 0);
  const kept = verdicts.reduce((least, other) => (weigh(other) < weigh(least) ? other : least));
  const [found, ...rest] = kept.problems;
  if ((found?.code !== 'PTX3003' && found?.code !== 'PTX3002') || rest.length > 0) return kept;
  const place = JSON.stringify(found.place);
  const alike = verdicts
    .filter(({ problems }) => problems.length === 1)
    .flatMap(({ problems }) => problems)
    .filter((other) => other.code === found.code && JSON.stringify(other.place) === place);
  const expected = [...new Set(alike.flatMap(({ parameters }) => parameters['expected'] ?? []))];
  const joined = found.code === 'PTX3003' ? joinKinds(expected) : listed(oneOfEachCount(expected));
  return { ...kept, problems: [{ ...found, parameters: { ...found.parameters, expected: joined } }] };
}

/**
 * Keeps only the first list for each number of operands, and sorts the lists by this number. `1 operand (a)` is an
 * example of such a list.
 */
function oneOfEachCount(lists: readonly string[]): readonly string[] {
  const countIn = (list: string): number => Number.parseInt(list.replace('no', '0'), 10);
  return lists
    .filter((list, i) => lists.findIndex((other) => countIn(other) === countIn(list)) === i)
    .toSorted((one, other) => countIn(one) - countIn(other));
}

/** Joins descriptions of operand kinds: `a vector of 2 or 4 elements`, `a label or a function`. */
function joinKinds(kinds: readonly string[]): string {
  const [common, after] = ['a vector of ', ' elements'];
  const isVectors = kinds.every((kind) => kind.startsWith(common));
  return isVectors
    ? common +
        joinWords(
          kinds.map((kind) => kind.slice(common.length, -after.length)),
          'or',
        ) +
        after
    : joinWords(kinds, 'or');
}
