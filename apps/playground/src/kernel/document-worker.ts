/** The worker behind the editor: it keeps a `Document` of `ptxlab/analysis` in sync with the text on the page. */
import { expose } from 'comlink';
import { type Explanation, explain, isTargetName, type Severity, targetNames } from 'ptxlab';
import {
  type Completions,
  demangle,
  Document,
  type Edit,
  type FlowGraph,
  type Fold,
  type Hover,
  type KernelHeader,
  type NameUse,
  type RegisterFacts,
  type Signatures,
} from 'ptxlab/analysis';

/** A range of the text, as UTF-16 offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Change extends Range {
  readonly text: string;
}

export interface Finding extends Range {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly help: string | null;
  /** Empty until `facts` has been requested. */
  readonly fixes: readonly FindingFix[];
}

export interface FindingFix {
  readonly title: string;
  readonly edits: readonly Change[];
}

/**
 * A kernel and its title: the demangled C++ name of the kernel or, if the name in the text is not mangled, the name in
 * the text.
 */
export interface NamedKernel extends KernelHeader {
  readonly title: string;
}

/**
 * Facts that are computed only when the user pauses, because computing them takes longer than the time between two key
 * presses.
 */
export interface Facts {
  /** The findings with their fixes. */
  readonly findings: readonly Finding[];
  readonly version: string;
  readonly target: string;
  /** All targets. `since` is the first PTX version in which the target accepts the module; null if there is none. */
  readonly targets: readonly { readonly name: string; readonly since: string | null }[];
  /** The kernels that can be run; empty while the module has errors. */
  readonly kernels: readonly NamedKernel[];
  readonly folds: readonly Fold[];
}

export interface Pointed extends Hover {
  /** The facts about the register at the offset; null if there is none. */
  readonly register: RegisterFacts | null;
}

/** Information about the text at the cursor. */
export interface Inspected {
  /**
   * Explains the instruction at the cursor or, if there is none, the instruction at the start of the line. Null if
   * there is no instruction at either place.
   */
  readonly explanation: Explanation | null;
  /** The places where the name at the cursor is used. */
  readonly uses: readonly NameUse[];
  /**
   * The control flow of the function that contains the cursor; null outside of functions, and for functions with only
   * one basic block.
   */
  readonly graph: FlowGraph | null;
}

/** The maximum number of boxes that are drawn. */
const mostBoxes = 400;

export type Renamed = { readonly changes: readonly Change[] } | { readonly refusal: string };

/** The maximum number of findings for which fixes are computed. */
const mostFixed = 100;

let document = new Document('');

const service = {
  /**
   * Discards the old text and opens a new one. The new text is checked for `target` or, if `target` is null, for the
   * target that the module declares.
   */
  open(text: string, target: string | null): readonly Finding[] {
    document = new Document(text, target !== null && isTargetName(target) ? { target } : {});
    return findings();
  },

  /**
   * Applies several changes, which must be in the order of their offsets. All offsets refer to the text before the
   * first change.
   */
  edit(changes: readonly Change[]): readonly Finding[] {
    for (const { start, end, text } of changes.toReversed()) document.edit(start, end, text);
    return findings();
  },

  facts(): Facts {
    const { version, target, targets } = document.requirements();
    const found = findings(mostFixed);
    return {
      findings: found,
      version,
      target,
      targets: targetNames.map((name) => ({
        name,
        since: targets.find(({ target: taker }) => taker === name)?.since ?? null,
      })),
      kernels: found.some(({ severity }) => severity === 'error') ? [] : document.kernels().map(named),
      folds: document.navigation.folds(),
    };
  },

  completions(offset: number): Completions {
    return document.completions(offset);
  },

  signatures(offset: number): Signatures | null {
    return document.signatures(offset);
  },

  hover(offset: number): Pointed | null {
    const view = document.functionAt(offset);
    const found = view?.hover(offset) ?? null;
    return found === null ? null : { ...found, register: view?.register(offset) ?? null };
  },

  /**
   * Describes the instruction at `offset`. If there is none, describes the instruction at the start of the line;
   * `first` is the offset at which the line starts.
   */
  inspect(offset: number, first: number): Inspected {
    const explanation = explanationAt(offset) ?? explanationAt(first);
    return { explanation, uses: document.navigation.uses(offset), graph: graphAt(offset) };
  },

  /**
   * The places to which "go to definition" leads: for a register that is read, the instructions that wrote its value;
   * for other names, the declarations.
   */
  definitions(offset: number): readonly Range[] {
    const { navigation } = document;
    const word = navigation.references.wordAt(offset);
    const isRead = word !== null && navigation.roleAt(word.start) === 'read';
    const written = isRead ? (document.functionAt(offset)?.register(offset)?.definitions ?? []) : [];
    return written.length > 0 ? written : navigation.declarations(offset);
  },

  format(): readonly Change[] {
    return document.navigation.format().map(changeOf);
  },

  /**
   * Returns the range of the name at an offset if the name can be renamed, and otherwise a sentence that says why it
   * cannot. Returns null if there is no name.
   */
  renameable(offset: number): Range | string | null {
    return document.navigation.renameable(offset);
  },

  rename(offset: number, name: string): Renamed {
    const renamed = document.navigation.rename(offset, name);
    if (renamed === null) return { refusal: 'There is no name here.' };
    return renamed.ok ? { changes: renamed.value.map(changeOf) } : { refusal: renamed.error };
  },
};

export type DocumentService = typeof service;

/** The findings; the first `fixed` of them include their fixes. */
function findings(fixed = 0): readonly Finding[] {
  return document.diagnostics().map((finding, i) => {
    const { code, severity, message, help, span } = finding;
    const fixes = i < fixed ? document.fixes(finding) : [];
    return {
      ...span,
      code,
      severity,
      message,
      help,
      fixes: fixes.map(({ title, edits }) => ({ title, edits: edits.map(changeOf) })),
    };
  });
}

function graphAt(offset: number): FlowGraph | null {
  const graph = document.functionAt(offset)?.flowGraph() ?? null;
  return graph === null || graph.boxes.length < 2 || graph.boxes.length > mostBoxes ? null : graph;
}

function changeOf({ span, text }: Edit): Change {
  return { start: span.start, end: span.end, text };
}

/**
 * Explains the instruction at an offset. If the variant of the instruction is unknown because the instruction has
 * errors, the explanation is based only on its text.
 */
function explanationAt(offset: number): Explanation | null {
  const span = document.navigation.references.instructionAround(offset);
  if (span === null) return null;
  const text = document.slice(span.start, span.end);
  const mnemonic = span.start + text.search(/(?<![@!%\w$.])[a-z]/);
  const subject = document.functionAt(offset)?.hover(mnemonic)?.subject;
  return subject?.kind === 'instruction' ? subject.explanation : explain(text);
}

function named(kernel: KernelHeader): NamedKernel {
  return { ...kernel, title: demangle(kernel.name) ?? kernel.name };
}

expose(service);
