/** Lowers copies between state spaces (cp.async, cp.async.bulk), and st.bulk. */
import type { Ref } from '../../isa/steps/ref.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { MemoryOpcode } from '../../wasm/opcodes.ts';
import { locate, locateAt } from './access.ts';
import type { Lowering } from '../lowering.ts';

export function lowerTransfer(step: StepOf<'transfer'>, lowering: Lowering): void {
  const { code, values } = lowering;
  const size = Number(values.constantOf(step.size) ?? 0);
  if (size !== 4 && size !== 8 && size !== 16)
    throw new Error(`the size of a copy must be 4, 8 or 16 bytes, not ${size}`);
  const to = locate(lowering, { space: step.space, access: 'store', size }, step.address);
  const count = values.temporary('i32');
  values.get(step.count, 'i32');
  code.set(count);
  code
    .get(count)
    .i32(size)
    .op('i32.ge_u')
    .if(
      () => {
        const from = locate(lowering, { space: step.sourceSpace, access: 'load', size }, step.source);
        copyWords(lowering, size, from, to);
      },
      () => copyPart(step, lowering, size, to, count),
    );
}

function inWords(size: number, each: (load: MemoryOpcode, store: MemoryOpcode, offset: number) => void): void {
  if (size === 4) each('i32.load', 'i32.store', 0);
  for (let offset = 0; offset + 8 <= size; offset += 8) each('i64.load', 'i64.store', offset);
}

/** Copies `size` bytes within global memory. The locals `from` and `to` hold the addresses. */
function copyWords({ code, layout }: Lowering, size: number, from: number, to: number): void {
  inWords(size, (load, store, offset) => {
    code
      .get(to)
      .get(from)
      .memory(load, layout.origin + offset)
      .memory(store, layout.origin + offset);
  });
}

/** Fills the target with zeros, and then copies `count` bytes into it, one at a time. */
function copyPart(step: StepOf<'transfer'>, lowering: Lowering, size: number, to: number, count: number): void {
  const { code, values, layout, helpers, locals, recordCall } = lowering;
  const source = values.temporary('i64');
  const behind = values.temporary('i64');
  inWords(size, (_, store, offset) => {
    code.get(to);
    if (size === 4) code.i32(0);
    else code.i64(0n);
    code.memory(store, layout.origin + offset);
  });
  values.get(step.source, 'i64');
  code.tee(source).i64(BigInt(size - 1));
  code.op('i64.and', 'i64.eqz', 'i32.eqz').if(() => {
    const { localBytes } = lowering.program;
    code.i32(recordCall({ kind: 'access', space: step.sourceSpace, access: 'load', size, localBytes }));
    code.get(source).get(locals.thread).get(locals.fuel).call(helpers.import('resolve')).set(to);
  });
  code.get(source).get(count).op('i64.extend_i32_u', 'i64.add').set(behind);
  code.block((done) => {
    code.loop((again) => {
      code.get(source).get(behind).op('i64.eq').brIf(done);
      const from = locateAt(lowering, { space: step.sourceSpace, access: 'load', size: 1 }, source);
      code.get(to).get(from).memory('i32.load8_u', layout.origin).memory('i32.store8', layout.origin);
      code.get(to).i32(1).op('i32.add').set(to);
      code.get(source).i64(1n).op('i64.add').set(source);
      code.br(again);
    });
  });
}

/** Number of bytes that bulk copies and reductions handle at a time. */
const piece = 16;

export function lowerBulk(step: StepOf<'bulk'>, lowering: Lowering): void {
  const { left, right } = step;
  if (left !== null && right !== null) {
    lowerTrimmed(step, left, right, lowering);
    return;
  }
  inPieces(step, lowering, (source, target) => {
    const from = locateAt(lowering, { space: step.sourceSpace, access: 'load', size: piece }, source);
    const to = locateAt(lowering, { space: step.space, access: 'store', size: piece }, target);
    if (step.mask === null) copyWords(lowering, piece, from, to);
    else copyBytes(lowering, step.mask, from, to);
  });
}

/**
 * Copies all bytes except the first `left` and the last `right` bytes. The sources of the excluded bytes may be out of
 * bounds.
 */
function lowerTrimmed(step: StepOf<'bulk'>, left: Ref, right: Ref, lowering: Lowering): void {
  const { code, values } = lowering;
  const [begin, end] = [values.temporary('i64'), values.temporary('i64')];
  values.get(step.source, 'i64');
  values.get(left, 'i32');
  code.op('i64.extend_i32_u', 'i64.add').set(begin);
  values.get(step.source, 'i64');
  values.get(step.size, 'i32');
  code.i32(-piece).op('i32.and', 'i64.extend_i32_u', 'i64.add');
  values.get(right, 'i32');
  code.op('i64.extend_i32_u', 'i64.sub').set(end);
  inPieces(step, lowering, (source, target) => {
    const to = locateAt(lowering, { space: step.space, access: 'store', size: piece }, target);
    code.get(source).get(begin).op('i64.lt_s').get(source).i64(BigInt(piece)).op('i64.add').get(end);
    code.op('i64.gt_s', 'i32.or').if(
      () => copyInside(step, lowering, { source, to, begin, end }),
      () => {
        const from = locateAt(lowering, { space: step.sourceSpace, access: 'load', size: piece }, source);
        copyWords(lowering, piece, from, to);
      },
    );
  });
}

/**
 * Copies the bytes of a piece one at a time. Bytes with source addresses that are not between `begin` and `end` are
 * left out.
 */
function copyInside(
  { sourceSpace }: StepOf<'bulk'>,
  lowering: Lowering,
  { source, to, begin, end }: Readonly<Record<'source' | 'to' | 'begin' | 'end', number>>,
): void {
  const { code, values, layout } = lowering;
  const [at, offset] = [values.temporary('i64'), values.temporary('i32')];
  code.i32(0).set(offset);
  code.loop((again) => {
    code.get(source).get(offset).op('i64.extend_i32_u', 'i64.add').set(at);
    code.get(at).get(begin).op('i64.ge_s').get(at).get(end).op('i64.lt_s', 'i32.and');
    code.if(() => {
      const from = locateAt(lowering, { space: sourceSpace, access: 'load', size: 1 }, at);
      code.get(to).get(offset).op('i32.add').get(from);
      code.memory('i32.load8_u', layout.origin).memory('i32.store8', layout.origin);
    });
    code.get(offset).i32(1).op('i32.add').tee(offset).i32(piece).op('i32.lt_u').brIf(again);
  });
}

/** Copies the bytes of a piece that the mask selects. */
function copyBytes({ code, values, layout }: Lowering, mask: Ref, from: number, to: number): void {
  for (let i = 0; i < piece; i++) {
    values.get(mask, 'i32');
    code
      .i32(1 << i)
      .op('i32.and')
      .if(() => {
        code
          .get(to)
          .get(from)
          .memory('i32.load8_u', layout.origin + i)
          .memory('i32.store8', layout.origin + i);
      });
  }
}

/** Number of bytes that are cleared at a time. */
const word = 8;

export function lowerClear(step: StepOf<'clear'>, lowering: Lowering): void {
  const { code, values, layout } = lowering;
  const [target, end] = [values.temporary('i64'), values.temporary('i64')];
  values.get(step.address, 'i64');
  code.set(target);
  values.get(step.size, 'i32');
  code.i32(-word).op('i32.and', 'i64.extend_i32_u').get(target).op('i64.add').set(end);
  code.block((done) => {
    code.loop((again) => {
      code.get(target).get(end).op('i64.eq').brIf(done);
      const to = locateAt(lowering, { space: step.space, access: 'store', size: word }, target);
      code.get(to).i64(0n).memory('i64.store', layout.origin);
      code.get(target).i64(BigInt(word)).op('i64.add').set(target);
      code.br(again);
    });
  });
}

/**
 * Lowers updates of consecutive elements. `lowerElement` lowers the two steps for each element: one loads the source,
 * the other updates the target.
 */
export function lowerBulkAtomic(
  step: StepOf<'bulk-atomic'>,
  lowering: Lowering,
  lowerElement: (step: StepOf<'load'> | StepOf<'atomic'>) => void,
): void {
  const { code, values } = lowering;
  const { space, sourceSpace, width, from, to, value, old, next, steps, order } = step;
  const unseen = { proxy: 'generic', order: null, unused: false } as const;
  inPieces(step, lowering, (source, target) => {
    // The addresses must have the alignment that a copy requires.
    locateAt(lowering, { space: sourceSpace, access: 'load', size: piece }, source);
    locateAt(lowering, { space, access: 'store', size: piece }, target);
    for (let offset = 0; offset < piece; offset += width / 8) {
      code.get(source).i64(BigInt(offset)).op('i64.add');
      values.set(from, 'i64');
      code.get(target).i64(BigInt(offset)).op('i64.add');
      values.set(to, 'i64');
      lowerElement({ kind: 'load', space: sourceSpace, width, to: [value], address: from, ...unseen });
      lowerElement({ kind: 'atomic', space, width, address: to, old: [old], next: [next], steps, order });
    }
  });
}

/** Writes a loop over pieces. `write` receives the locals that hold the addresses of a piece. */
function inPieces(
  step: StepOf<'bulk'> | StepOf<'bulk-atomic'>,
  { code, values }: Lowering,
  write: (source: number, target: number) => void,
): void {
  const [source, target, behind] = [values.temporary('i64'), values.temporary('i64'), values.temporary('i64')];
  values.get(step.source, 'i64');
  code.set(source);
  values.get(step.address, 'i64');
  code.set(target);
  values.get(step.size, 'i32');
  code.i32(-piece).op('i32.and', 'i64.extend_i32_u').get(source).op('i64.add').set(behind);
  code.block((done) => {
    code.loop((again) => {
      code.get(source).get(behind).op('i64.eq').brIf(done);
      write(source, target);
      for (const address of [source, target]) code.get(address).i64(BigInt(piece)).op('i64.add').set(address);
      code.br(again);
    });
  });
}
