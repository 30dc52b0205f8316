/** Links a kernel with every function that it may call. */
import { has } from '../isa/variant.ts';
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import type { BoundCall } from '../check/binding/bind-call.ts';
import { type CheckedModule, sharedMemory } from '../check/check.ts';
import { readBody } from '../check/body.ts';
import { signatureKey } from '../check/declarations/signature.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import { type Environment, environmentOf } from '../isa/environment.ts';
import { type Draft, draftFunction, finishFunction, kernelLayout } from './build.ts';
import { calleesIn, longestChain } from './call-chain.ts';
import { type Callee, formalLayout } from './call-site.ts';
import type { FrameBuilder } from './frame.ts';
import { type DirectFunctions, directFunctions } from './direct-functions.ts';
import type { FunctionProgram } from './function-program.ts';
import type { FunctionTable, KnownFunction } from './function-table.ts';
import type { LinkedFunction } from './linked-function.ts';

export interface KernelProgram {
  readonly entry: FunctionProgram;
  /**
   * The kernel and all functions that it may call; the kernel comes first. Calls refer to functions by their index in
   * this list.
   */
  readonly functions: readonly LinkedFunction[];
  readonly direct: DirectFunctions;
  /** Maps the address of each function to the function's index. */
  readonly byAddress: ReadonlyMap<number, number>;
  /**
   * Size of a thread's local memory in bytes: the size that the deepest chain of calls needs or, if functions are
   * recursive, a fixed limit.
   */
  readonly stackBytes: number;
  readonly recursive: boolean;
}

/** Returns the indices of the built-in functions among the functions of a kernel. */
export function builtinsOf({ functions }: KernelProgram): ReadonlySet<number> {
  return new Set(functions.flatMap(({ kind }, i) => (kind === 'builtin' ? [i] : [])));
}

/** Size of a thread's local memory in bytes if functions are recursive. The depth of calls is unknown in this case. */
const recursionBytes = 64 * 1024;

/**
 * Builds the kernel with the given name and all functions that it may call. `shared` holds the module's `.shared`
 * variables.
 *
 * @throws PtxlabError `unresolved-function` if a function that is called, or whose address is taken, is not defined
 */
export function linkKernel(
  module: CheckedModule,
  table: FunctionTable,
  name: string,
  shared: readonly VariableSymbol[],
  environment: Environment = environmentOf(module.environment.version, module.environment.target),
): KernelProgram {
  return new Linker(module, table, environment).link(resolve(table, name), shared);
}

function resolve(table: FunctionTable, name: string): KnownFunction {
  const found = table.find(name);
  if (found !== null) return found;
  throw new PtxlabError('unresolved-function', `function '${name}' is declared, but the module has no body for it`);
}

/** The functions that a call through a register may reach. `candidates` is filled in once all functions are known. */
interface Group {
  readonly key: string;
  readonly targets: readonly string[] | null;
  readonly candidates: number[];
}

/**
 * Line numbers from another source text would be misleading in messages, so they are replaced with 0, which means that
 * there is no line.
 */
function withoutLines(draft: Draft): Draft {
  return { ...draft, instructions: draft.instructions.map((one) => ({ ...one, line: 0 })) };
}

class Linker {
  private readonly module: CheckedModule;
  private readonly table: FunctionTable;
  private readonly environment: Environment;
  private readonly usesClusterBarrier: boolean;
  private readonly pairsBlocks: boolean;
  private readonly known: KnownFunction[] = [];
  private readonly indices = new Map<KnownFunction, number>();
  private readonly drafts: (Draft | null)[] = [];
  private readonly groups = new Map<string, Group>();

  constructor(module: CheckedModule, table: FunctionTable, environment: Environment) {
    this.module = module;
    this.environment = environment;
    this.table = table;
    this.usesClusterBarrier = module.variants.some(({ form }) => form.repeatsWhile !== undefined);
    this.pairsBlocks = module.variants.some((variant) => has(variant, '.cta_group::2'));
  }

  link(entry: KnownFunction, shared: readonly VariableSymbol[]): KernelProgram {
    this.indexOf(entry);
    for (let built = 0; built < this.known.length; ) {
      for (; built < this.known.length; built++) this.drafts[built] = this.draft(elementAt(this.known, built));
      for (const group of this.groups.values()) this.fill(group);
    }
    const drafts = this.drafts.filter((draft) => draft !== null);
    const recursive = isRecursive(this.drafts);
    const layout = kernelLayout(drafts, shared, recursive);
    const functions = this.known.map(({ address, body, signature }, i): LinkedFunction => {
      const draft = this.drafts[i] ?? null;
      if (draft !== null) return { kind: 'program', address, program: finishFunction(draft, layout) };
      if (body.kind !== 'builtin') throw new Error('a function has no draft');
      return { kind: 'builtin', address, builtin: body.builtin, localBytes: formalLayout(signature).end };
    });
    const [first] = functions;
    if (first?.kind !== 'program') throw new Error('the first function is not a kernel');
    return {
      entry: first.program,
      functions,
      direct: directFunctions(functions),
      byAddress: new Map(functions.map(({ address }, i) => [address, i] as const)),
      stackBytes: stackNeed(functions) ?? recursionBytes,
      recursive,
    };
  }

  private draft({ body }: KnownFunction): Draft | null {
    if (body.kind === 'builtin') return null;
    const { text, environment } = body.module;
    const draft = draftFunction(body.fn, readBody(body.fn, text, environment, sharedMemory), {
      debug: body.module,
      environment: this.environment,
      usesClusterBarrier: this.usesClusterBarrier,
      pairsBlocks: this.pairsBlocks,
      splitsMeetings: true,
      functionAddress: (name) => resolve(this.table, name).address,
      callee: (call, frame) => this.callee(call, frame),
    });
    return body.module === this.module ? draft : withoutLines(draft);
  }

  private indexOf(known: KnownFunction): number {
    const index = this.indices.get(known) ?? this.known.push(known) - 1;
    this.indices.set(known, index);
    return index;
  }

  private callee({ callee, signature, targets }: BoundCall, frame: FrameBuilder): Callee {
    const key = signatureKey(signature);
    if ('signature' in callee) {
      const known = resolve(this.table, callee.name);
      if (signatureKey(known.signature) === key) return { kind: 'direct', function: this.indexOf(known) };
      throw new PtxlabError(
        'unresolved-function',
        `the declaration of '${callee.name}' has different parameters or return values than its definition`,
      );
    }
    const id = `${key} | ${targets?.join(' ') ?? ''}`;
    const group = this.groups.get(id) ?? { key, targets, candidates: [] };
    this.groups.set(id, group);
    const { width } = callee.symbol.type;
    return { kind: 'indirect', register: frame.register(callee), width, candidates: group.candidates };
  }

  /**
   * Functions with a different signature are not candidates, because calling one of them through the register is a
   * fault.
   */
  private fill({ key, targets, candidates }: Group): void {
    const present = new Set(candidates);
    const possible = targets === null ? this.table.all : targets.map((name) => resolve(this.table, name));
    for (const known of possible) {
      const isKernel = known.body.kind === 'checked' && known.body.fn.item.entry;
      if (isKernel || signatureKey(known.signature) !== key) continue;
      const index = this.indexOf(known);
      if (present.has(index)) continue;
      present.add(index);
      candidates.push(index);
    }
  }
}

function isRecursive(drafts: readonly (Draft | null)[]): boolean {
  const linkOf = (index: number) => {
    const draft = drafts[index] ?? null;
    return { last: 0, caller: 0, callees: draft === null ? [] : calleesIn(draft) };
  };
  return longestChain(linkOf) === null;
}

/** Returns the bytes of local memory that the longest chain of calls needs; null if functions are recursive. */
function stackNeed(functions: readonly LinkedFunction[]): number | null {
  return longestChain((index) => {
    const fn = elementAt(functions, index);
    if (fn.kind === 'builtin') return { last: fn.localBytes, caller: 0, callees: [] };
    return { last: fn.program.localBytes, caller: fn.program.calleeBase, callees: calleesIn(fn.program) };
  });
}
