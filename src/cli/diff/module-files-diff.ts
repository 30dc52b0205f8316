/** Two modules, the names of their files, and the differences between the modules. */
import type { Document, ModuleDiff } from '../../analysis.ts';

/** A module, and the name of its file. */
export interface NamedModule {
  readonly path: string;
  readonly document: Document;
}

export interface ModuleFilesDiff extends ModuleDiff {
  readonly files: { readonly a: NamedModule; readonly b: NamedModule };
}
