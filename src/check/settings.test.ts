import { expect, test } from 'vitest';
import { noSettings, readSettings } from './settings.ts';

const valid = { target: 'sm_90a', isa: '8.6', severities: { PTX1022: 'off' }, pages: 'https://example.org/why/' };

test('a valid text gives its settings, and no problem', () => {
  const { settings, problem } = readSettings(JSON.stringify({ $schema: './schema.json', ...valid }));
  expect(problem).toBe(null);
  expect(settings).toEqual({
    options: { target: 'sm_90a', isa: '8.6' },
    severities: new Map([['PTX1022', 'off']]),
    pages: 'https://example.org/why',
  });
});

test.each([
  ['a field', { ...valid, target: 'sm_1' }, { options: { isa: '8.6' } }],
  ['a field of another type', { ...valid, isa: 8.6 }, { options: { target: 'sm_90a' } }],
  ['an unknown field', { ...valid, taget: 'sm_80' }, {}],
  ['the address of the pages', { ...valid, pages: 'docs' }, { pages: null }],
  ['all severities', { ...valid, severities: [] }, { severities: new Map() }],
  ['one severity', { ...valid, severities: { PTX2021: 'fatal', PTX1022: 'off' } }, {}],
  ['one code', { ...valid, severities: { PTX9999: 'off', PTX1022: 'off' } }, {}],
])('a mistake in %s is reported, and the rest is used', (_where, file, changed) => {
  const { settings, problem } = readSettings(JSON.stringify(file));
  expect(problem).not.toBe(null);
  expect(settings).toEqual({ ...readSettings(JSON.stringify(valid)).settings, ...changed });
});

test.each(['{bad', '[]', 'null', '"sm_90a"'])('%s gives no settings', (text) => {
  const { settings, problem } = readSettings(text);
  expect(problem).not.toBe(null);
  expect(settings).toEqual(noSettings);
});
