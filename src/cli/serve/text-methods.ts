/** Methods that need no device: version, check, explain and evaluate. */
import { PtxlabError } from '../../base/error.ts';
import { objectOf, type Rule } from '../../base/rules.ts';
import { SourceText } from '../../base/source-text.ts';
import { check } from '../../check/check.ts';
import { judgeOptionsOf } from '../../check/judge-options.ts';
import { explain, explanationText } from '../../explain.ts';
import { jsonRecord } from '../check/report.ts';
import { evaluateRequest, PreparedInstructions } from '../eval/batch.ts';
import { type Method, method, required, text } from './method.ts';

interface SourceParams {
  readonly source?: string;
  readonly name?: string;
  readonly target?: string;
  readonly isa?: string;
}

const version = method<object>(objectOf<object>({}), (_, state) => ({
  name: 'ptxlab',
  version: state.version,
  protocol: 1,
  folder: state.folder.path,
  limits: state.limits,
}));

const checkMethod = method<SourceParams>(
  objectOf<SourceParams>({ source: text, name: text, target: text, isa: text }),
  (given) => {
    const source = new SourceText(required(given.source, 'source'), given.name ?? '<source>');
    const report = check(source.text, judgeOptionsOf(given.target, given.isa));
    return jsonRecord({ source, report }, null);
  },
);

interface ExplainParams {
  readonly text?: string;
  readonly target?: string;
  readonly isa?: string;
}

const explainMethod = method<ExplainParams>(objectOf<ExplainParams>({ text, target: text, isa: text }), (given) => {
  const explanation = explain(required(given.text, 'text'), judgeOptionsOf(given.target, given.isa));
  return { explanation, text: explanationText(explanation) };
});

interface EvaluateParams {
  readonly inst?: string;
  readonly rows?: readonly unknown[];
  readonly sreg?: number;
  readonly dreg?: number;
  readonly target?: string;
  readonly isa?: string;
}

const rows: Rule<readonly unknown[]> = { takes: 'a list of lists of hex numbers', accepts: Array.isArray };
const width: Rule<number> = { takes: 'a number of bits', accepts: (value) => typeof value === 'number' };

const prepared = new PreparedInstructions();

const evaluate = method<EvaluateParams>(
  objectOf<EvaluateParams>({ inst: text, rows, sreg: width, dreg: width, target: text, isa: text }),
  (given) => {
    const out = evaluateRequest({ ...given }, { target: null, version: null }, prepared);
    if (!out.ok) throw new PtxlabError(out.error.code, out.error.message);
    return { inst: given.inst, out: out.value };
  },
);

export const textMethods: Readonly<Record<string, Method>> = {
  version,
  check: checkMethod,
  explain: explainMethod,
  evaluate,
};
