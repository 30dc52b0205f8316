/**
 * Modules that are loaded on a device. Their variables are in device memory; their kernels are built only on request.
 */
import { requireArgument } from '../base/require.ts';
import { text } from '../base/rules.ts';
import { SourceText } from '../base/source-text.ts';
import { PtxlabError } from '../base/error.ts';
import { nearestWord } from '../base/nearest-word.ts';
import type { CheckedModule, CheckReport } from '../check/check.ts';
import type { Allocation } from '../machine/memory/allocations.ts';
import { windowBase } from '../machine/memory/address-space.ts';
import { type FunctionTable, functionTableOf } from '../program/function-table.ts';
import { linkKernel } from '../program/link.ts';
import { declaredBytes, describedKind } from '../program/described-variable.ts';
import { buildImage, isDescribed, type ModuleImage } from '../program/module-image.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import { isOfAnotherDevice } from './device-range.ts';
import { Kernel, type ModuleContext } from './kernel.ts';
import { ModuleSymbol, type SymbolHome } from './module-symbol.ts';
import { DeviceTexture, unboundDescription } from './texture.ts';

/** A module loaded into device memory. */
export class LoadedModule {
  /** The diagnostics from checking the module. None of them is an error. */
  readonly report: CheckReport;
  private readonly module: CheckedModule;
  private readonly image: ModuleImage;
  private readonly context: ModuleContext;
  private readonly functions: FunctionTable;
  private readonly kernels = new Map<string, Kernel>();
  /** The module's variables in global memory. */
  private readonly owned: Allocation[] = [];
  private isUnloaded = false;
  private readonly symbols: ReadonlyMap<string, ModuleSymbol>;

  /** Created by `Device.load`. */
  constructor(module: CheckedModule, report: CheckReport, context: ModuleContext) {
    const { memory } = context;
    this.module = module;
    this.report = report;
    this.context = {
      ...context,
      checkOpen: () => {
        context.checkOpen();
        if (this.isUnloaded) throw new PtxlabError('module-unloaded', 'the module was unloaded');
      },
    };
    this.functions = functionTableOf(module);
    this.image = buildImage(
      module,
      {
        allocate: (size, owner) => {
          const made = memory.allocate(size, owner);
          this.owned.push(made);
          return made;
        },
        write: (address, bytes) => {
          memory.bytesAt(address, bytes.byteLength).set(bytes);
        },
      },
      {
        constBase: (width) => windowBase('const', width),
        functionAddress: (name) => this.functions.find(name)?.address ?? null,
      },
    );
    for (const variable of module.variables.filter(isDescribed))
      this.describe(variable, unboundDescription(describedKind(variable)));
    const home: SymbolHome = { memory, image: this.image, addressSize: module.environment.addressSize };
    this.symbols = new Map(
      module.variables.flatMap((variable) => {
        const { name, space } = variable;
        const offset = this.image.addressOf(variable);
        if (offset === null || (space !== '.global' && space !== '.const') || isDescribed(variable)) return [];
        return [[name, new ModuleSymbol(variable, space, offset, home)] as const];
      }),
    );
  }

  /**
   * Frees the module's variables. After this call, the module's kernels cannot be launched, and its variables must not
   * be read or written.
   */
  unload(): void {
    if (this.isUnloaded) return;
    this.isUnloaded = true;
    for (const allocation of this.owned) this.context.memory.free(allocation);
  }

  /** Names of the module's kernels. */
  get kernelNames(): readonly string[] {
    return this.module.functions.filter((fn) => fn.item.entry).map((fn) => fn.item.name);
  }

  /** Names of the module's variables in `.global` and `.const`. */
  get symbolNames(): readonly string[] {
    return [...this.symbols.keys()];
  }

  /**
   * Returns a module-scope variable in `.global` or `.const`.
   *
   * @throws PtxlabError `argument-type`, `unknown-symbol`, `module-unloaded`
   */
  symbol(name: string): ModuleSymbol {
    requireArgument('the name of a variable', name, text);
    if (this.isUnloaded) throw new PtxlabError('module-unloaded', 'the module was unloaded');
    const symbol = this.symbols.get(name);
    if (symbol !== undefined) return symbol;
    const variable = this.module.variables.find((one) => one.name === name);
    if (variable !== undefined && isDescribed(variable))
      throw new PtxlabError('unknown-symbol', `'${name}' is a ${describedKind(variable)}; use LoadedModule.bind`);
    const space = variable?.space;
    if (space !== undefined)
      throw new PtxlabError('unknown-symbol', `'${name}' is in ${space}; symbols must be in .global or .const`);
    const near = nearestWord(name, this.symbolNames);
    throw new PtxlabError(
      'unknown-symbol',
      `the module has no variable '${name}'${near === null ? '' : `; did you mean ${near}?`}`,
    );
  }

  /**
   * Binds a texture, surface or sampler to the module-scope variable of type `.texref`, `.surfref` or `.samplerref`
   * with the given name, as cuTexRefSetAddress does. Fields of the variable's initial value, such as `filter_mode`,
   * take precedence over the options of the texture. The variable keeps the description even if `handle` is freed.
   *
   * @throws PtxlabError `argument-type`, `unknown-symbol`, `bad-binding`, `buffer-freed`, `module-unloaded`
   */
  bind(name: string, handle: DeviceTexture): void {
    requireArgument('the name of a variable', name, text);
    if (this.isUnloaded) throw new PtxlabError('module-unloaded', 'the module was unloaded');
    const variables = this.module.variables.filter(isDescribed);
    const variable = variables.find((one) => one.name === name);
    if (variable === undefined) {
      const near = nearestWord(
        name,
        variables.map((one) => one.name),
      );
      const help = near === null ? '' : `; did you mean ${near}?`;
      throw new PtxlabError('unknown-symbol', `the module has no texture, surface or sampler '${name}'${help}`);
    }
    if (!(handle instanceof DeviceTexture) || isOfAnotherDevice(handle, this.context.memory))
      throw new PtxlabError(
        'bad-binding',
        `'${name}' can only be bound to a texture, surface or sampler of this device`,
      );
    const kind = describedKind(variable);
    if (handle.kind !== kind)
      throw new PtxlabError('bad-binding', `'${name}' is a ${kind}; it cannot be bound to a ${handle.kind}`);
    this.describe(variable, handle.bytes());
  }

  /** Writes a description into a variable. Fields of the variable's initial value take precedence. */
  private describe(variable: VariableSymbol, description: Uint8Array): void {
    const address = this.image.addressOf(variable);
    if (address === null) return;
    const bytes = this.context.memory.bytesAt(address, description.byteLength);
    bytes.set(description);
    for (const [at, byte] of declaredBytes(variable)) bytes[at] = byte;
  }

  /**
   * @throws PtxlabError `argument-type`, `unknown-kernel`, or `unresolved-function` if the kernel calls a function that
   *   the module does not define
   */
  kernel(name: string): Kernel {
    requireArgument('the name of a kernel', name, text);
    const known = this.kernels.get(name);
    if (known !== undefined) return known;
    const fn = this.module.functions.find((candidate) => candidate.item.entry && candidate.item.name === name);
    if (fn === undefined) {
      const names = this.kernelNames.join(', ');
      throw new PtxlabError(
        'unknown-kernel',
        `the module has no kernel '${name}'; it has ${names === '' ? 'none' : names}`,
      );
    }
    const kernel = new Kernel(
      linkKernel(this.module, this.functions, name, this.image.shared, this.context.origin.environment),
      this.image,
      this.context,
      this.module.environment.addressSize === 32 ? 4 : 8,
    );
    this.kernels.set(name, kernel);
    return kernel;
  }
}

/** Thrown by `Device.load` for a module with errors; the report contains all of them. */
export class RefusedModuleError extends PtxlabError {
  readonly #report: CheckReport;

  constructor(report: CheckReport, source: string) {
    super('refused-module', refusal(report, new SourceText(source)));
    this.name = 'RefusedModuleError';
    this.#report = report;
  }

  /** The report is not an ordinary property, because Node.js would print all of it below an uncaught error. */
  get report(): CheckReport {
    return this.#report;
  }
}

function refusal({ diagnostics }: CheckReport, source: SourceText): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) throw new Error('a module without errors was refused');
  const { line } = source.position(first.span.start);
  return errors.length === 1
    ? `the module has an error on line ${line}: ${first.message}`
    : `the module has ${errors.length} errors, the first on line ${line}: ${first.message}`;
}
