import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Document } from './document.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../../test/kernels/cuda/${name}`, import.meta.url), 'latin1');
const text = read('integers.sm_90_debug.ptx');

describe('source positions', () => {
  const document = new Document(text);

  it('are those of the last .loc before an instruction', () => {
    const location = /\.loc\t(\d+) (\d+) (\d+)\n\t(?=[a-z])/.exec(text);
    const offset = (location?.index ?? 0) + (location?.[0].length ?? 0);
    const place = document.sourceAt(offset);
    expect(place).toMatchObject({ line: Number(location?.[2]), column: Number(location?.[3]), inlined: null });
    expect(text).toContain(`.file\t${location?.[1] ?? ''} "${place?.file ?? ''}"`);
  });

  it('are unknown before the first .loc of a function', () => {
    for (const { start } of document.functions()) expect(document.sourceAt(start)).toBeNull();
  });

  it('count every instruction after a .loc once', () => {
    const lines = document.sourceLines();
    const total = lines.reduce((sum, { instructions }) => sum + instructions, 0);
    const after = document.functions().reduce((sum, { start, end }) => {
      const body = text.slice(start, end);
      const located = body.slice(body.search(/^\t\.loc/m));
      return sum + (located.match(/^\t[@a-z].*;|^\t\d*[a-z].*$/gm) ?? []).filter((line) => line.includes(';')).length;
    }, 0);
    expect(total).toBeGreaterThan(after * 0.9);
    for (const { ranges, file, line } of lines)
      for (const { start } of ranges) expect(document.sourceAt(start)).toMatchObject({ file, line });
  });

  it('name inlined functions, as faults do', () => {
    const inlined = read('reductions.sm_100a.ptx');
    const other = new Document(inlined);
    const offset = inlined.indexOf('\n', inlined.indexOf('inlined_at')) + 2;
    const place = other.sourceAt(offset);
    expect(place?.inlined).not.toBeNull();
    expect(place?.inlined?.at.line).toBeGreaterThan(0);
  });

  it('stay right after an edit', () => {
    const edited = new Document(text);
    const offset = text.indexOf('\n', Math.floor(text.length / 2)) + 1;
    edited.sourceLines();
    edited.edit(offset, offset, '\tmov.u32 %r1, %r1;\n');
    expect(edited.sourceLines()).toEqual(new Document(edited.text()).sourceLines());
  });
});
