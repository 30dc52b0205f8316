/**
 * The public API of ptxlab's core: all of it runs in any JavaScript runtime and has no dependencies.
 *
 * @module
 */
import './base/platform-types.ts';
export type { Bits } from './base/bits.ts';
export { PtxlabError } from './base/error.ts';
export { SourceText } from './base/source-text.ts';
export type { Position, Span } from './base/span.ts';
export type { Acceptance } from './check/availability.ts';
export { type CheckOptions, type CheckReport, check, Checker, type Requirements } from './check/check.ts';
export { catalog, type Code } from './diagnostics/catalog.ts';
export type { Diagnostic } from './diagnostics/diagnostic.ts';
export type { Applicability, Edit, Fix, HeaderChange } from './diagnostics/fix.ts';
export type { Severity } from './diagnostics/severity.ts';
export type { FileReport } from './diagnostics/renderers/file-report.ts';
export { renderGithub } from './diagnostics/renderers/github.ts';
export { type DiagnosticRecord, diagnosticRecord } from './diagnostics/renderers/json.ts';
export { type PrettyOptions, renderPretty } from './diagnostics/renderers/pretty.ts';
export { renderPtxas } from './diagnostics/renderers/ptxas.ts';
export { renderSarif } from './diagnostics/renderers/sarif.ts';
export type { Style } from './diagnostics/renderers/style.ts';
export {
  type DotExplanation,
  type DotInputs,
  type DotOnGpus,
  type DotOptions,
  evaluateDot,
  evaluateDotValues,
  type ExplainedChunk,
  type ExplainedTerm,
  explainDot,
  explainMatrices,
  type FragmentExplanation,
  type MatricesExplanation,
  type ProductExplanation,
  type ProductEntry,
  products,
} from './dot-products.ts';
export { type EvaluateOptions, evaluate, evaluateValues } from './evaluate.ts';
export { type Explanation, type ExplanationTextOptions, explain, explanationText } from './explain.ts';
export { type FormEntry, type FormsOptions, forms } from './forms.ts';
export { isTargetName, isVersionName, type TargetName, targetNames, type VersionName } from './isa/targets.ts';
export type { JudgeOptions } from './check/judge-options.ts';
export type { Value } from './typed-values.ts';
export { parse, print } from './parse.ts';
