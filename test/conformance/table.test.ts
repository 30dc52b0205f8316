/** Checks the table for consistency, and against the measured list of conversions. */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAvailableSomewhere, rowsOf } from '../../src/check/availability.ts';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { expand } from '../../src/isa/expand.ts';
import type { OperandPattern } from '../../src/isa/operand-patterns.ts';
import { isAvailable, parseVersion, targets, versions } from '../../src/isa/targets.ts';
import { allForms, families, opcodeOf, ptxForms } from '../../src/isa/table.ts';
import { formName } from './case-name.ts';

const golden = (name: string): string => {
  const bytes = readFileSync(new URL(`../golden/${name}`, import.meta.url));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};

const conversions = [
  ...expand(allForms().filter((form) => form.section === '9.7.9.21' || form.section === '9.7.9.22')),
];

/**
 * Returns a key for comparing mnemonics. It contains the modifiers in sorted order, and the types in their original
 * order. If two mnemonics have the same key, they have the same meaning.
 */
function key(mnemonic: string): string {
  const parts = mnemonic.split('.');
  const types = parts.filter((part) => /^(u|s|f|b|bf|e|ue|tf)\d/.test(part));
  return `${parts
    .filter((part) => !types.includes(part))
    .sort()
    .join('.')} ${types.join(' ')}`;
}

describe('the table', () => {
  test('ids are unique', () => {
    const ids = allForms().map((form) => form.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(families.map(({ opcodes, forms }) => [opcodes.join(' '), forms] as const))(
    'the family of %s has forms of these opcodes and no others',
    (opcodes, forms) => {
      expect([...new Set(forms().map(opcodeOf))].join(' ')).toBe(opcodes);
    },
  );

  test.each(allForms().map((form) => [formName(form), form] as const))(
    '%s names the operands of its syntax line',
    (_, form) => {
      const written = form.syntax.split(/\s+/).slice(1).join(' ');
      const nameOf = (pattern: OperandPattern): string => pattern.name;
      for (const pattern of form.operands)
        expect(written).toContain(
          nameOf(pattern)
            .split(/[{},.]/)
            .find((word) => word !== ''),
        );
    },
  );

  test('has exactly the conversions of the list', () => {
    const listed = Object.keys(JSON.parse(golden('numerics/legal.json')) as object);
    const made = conversions
      .filter((variant) => isAvailableSomewhere(variant, parseVersion('9.1')))
      .map((variant) => variant.mnemonic);
    expect(made.map(key).sort()).toEqual(listed.map(key).sort());
    expect(made).toHaveLength(939);
  });

  test('has steps for every conversion', () => {
    const newer = namedEnvironment('sm_90', '9.1');
    const without = conversions.filter((variant) => {
      const steps = variant.form.steps(variant, newer);
      return steps.length === 0 || steps.some((step) => step.kind === 'unsupported');
    });
    expect(without.map(({ mnemonic }) => mnemonic)).toEqual([]);
  });
});

describe('mnemonics', () => {
  test('every variant of every form resolves to its own form', () => {
    const others = [...expand(allForms())].filter(({ mnemonic, form }) => {
      const resolution = resolveMnemonic(mnemonic);
      return resolution.kind !== 'variants' || !resolution.variants.some((found) => found.form.id === form.id);
    });
    expect(others.map(({ mnemonic, form }) => `${form.id}: ${mnemonic}`)).toEqual([]);
  });

  test('modifiers of cvt may come in any order, before or after the types', () => {
    const variants = conversions.filter(({ form }) => form.section === '9.7.9.21');
    const shuffled = fc.constantFrom(...variants).chain((variant) => {
      const parts = variant.mnemonic.split('.').slice(1);
      return fc.shuffledSubarray(parts, { minLength: parts.length }).map((order) => ({ variant, order }));
    });
    fc.assert(
      fc.property(shuffled, ({ variant, order }) => {
        const types = variant.types.map((type) => type.name.slice(1));
        let next = 0;
        const placed = order.map((part) => (types.includes(part) ? types[next++] : part));
        const resolution = resolveMnemonic(`cvt.${placed.join('.')}`);
        expect(resolution.kind).toBe('variants');
      }),
    );
  });
});

describe('versions and targets', () => {
  interface Forms {
    readonly domains: readonly {
      readonly id: number;
      readonly minVersionPerTarget: Readonly<Record<string, string>>;
    }[];
    readonly forms: readonly (readonly [string, number, string, string, string, string, number])[];
  }

  test('the 901 forms that ptxas 13.0 accepts are available exactly where it accepts them', () => {
    const { domains, forms } = JSON.parse(golden('legality/forms.json')) as Forms;
    const wrong: string[] = [];
    for (const [rounding, ftz, saturation, dtype, atype, , id] of forms) {
      const words = [rounding, ftz ? 'ftz' : '', saturation, dtype, atype].map((word) => word.replace(/^\./, ''));
      const mnemonic = ['cvt', ...words.filter((word) => word !== '')].join('.');
      const resolution = resolveMnemonic(mnemonic);
      const rows = resolution.kind === 'variants' ? resolution.variants.map(rowsOf) : [];
      const first = domains[id]?.minVersionPerTarget ?? {};
      for (const target of targets) {
        const since = first[target.name];
        for (const version of versions.filter((known) => known <= parseVersion('9.0'))) {
          const legal = since !== undefined && version >= parseVersion(since);
          const has = rows.some((list) => list.every((row) => isAvailable(row.ways, version, target)));
          if (legal !== (has && version >= target.since)) wrong.push(`${mnemonic} ${target.name} ${version}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('every variant is available in at least one version, on at least one target', () => {
    const newestFirst = versions.toReversed();
    const unusable = [...expand(allForms())].filter(
      (variant) => !newestFirst.some((version) => isAvailableSomewhere(variant, version)),
    );
    expect(unusable.map(({ mnemonic }) => mnemonic)).toEqual([]);
  });

  test('the table knows the opcodes of every form', () => {
    expect(ptxForms.opcodes()).toContain('cvt.pack');
    expect(ptxForms.opcodes()).toContain('cvta.to');
  });
});
