import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { type Sample, samples } from './samples.ts';

function errorsOf(sample: Sample): readonly string[] {
  const declaration = sample.line.startsWith('.');
  const global = declaration && sample.line.startsWith('.global');
  const source = [
    '.version 9.1',
    `.target ${sample.target}`,
    '.address_size 64',
    sample.module ?? '',
    global ? sample.line : '',
    `.visible .entry k(${sample.parameters ?? ''}) {`,
    sample.names,
    global ? '' : sample.line,
    'ret; }',
  ].join('\n');
  return check(source)
    .diagnostics.filter((diagnostic) => diagnostic.severity === 'error')
    .map((diagnostic) => diagnostic.code);
}

describe.each(['accepted', 'rejected', 'erratum'] as const)('sample lines of the ISA text, %s', (verdict) => {
  for (const sample of samples.filter((candidate) => candidate.verdict === verdict)) {
    test(`${sample.section}: ${sample.line}`, () => {
      const errors = errorsOf(sample);
      if (sample.verdict === 'accepted') expect(errors).toEqual([]);
      else expect(errors).toContain(sample.code);
    });
  }
});
