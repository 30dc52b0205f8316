/**
 * The language service: a document that can be edited and that answers questions about its text. It does not depend on
 * any particular protocol or platform.
 *
 * @module
 */
import './base/platform-types.ts';

export { demangle } from './base/demangle/demangle.ts';
export type { BlockOutline } from './analysis/block-outline.ts';
export type { Completion, CompletionKind, Completions } from './analysis/completion.ts';
export { Document } from './analysis/document.ts';
export type { RelatedPlace } from './analysis/related-places.ts';
export type { Applicability, Edit, Fix } from './diagnostics/fix.ts';
export type { Navigation, NameUse } from './analysis/navigation.ts';
export type { Fold, OutlineSymbol } from './analysis/outline.ts';
export type { NamePlace } from './analysis/references.ts';
export type { Renaming } from './analysis/rename.ts';
export type { SemanticToken, TokenKind } from './analysis/semantic-tokens.ts';
export type { Signature, Signatures } from './analysis/signature.ts';
export type { SourceLine } from './analysis/source-map.ts';
export type { SourcePlace } from './base/source-place.ts';
export type { Hover, HoverSubject } from './analysis/hover.ts';
export type { KernelHeader } from './analysis/kernel-header.ts';
export { type FlowArrow, type FlowBox, type FlowGraph, flowGraphSvg } from './analysis/flow-graph.ts';
export type { FunctionPlace } from './analysis/functions.ts';
export type { BlockDiff, LineDiff } from './analysis/module-diff/function-diff.ts';
export type { MnemonicCount } from './analysis/module-diff/mnemonic-counts.ts';
export {
  type DeclarationDiff,
  diffModules,
  type FunctionDiff,
  type ModuleDiff,
  type ModuleDiffOptions,
} from './analysis/module-diff/module-diff.ts';
export type {
  FunctionView,
  LiveRegisters,
  RegisterFacts,
  RegisterOccurrence,
} from './analysis/function-view.ts';
