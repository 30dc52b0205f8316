/** Multiplies matrices in tensor memory, copies matrices to it, and loads and stores words in it. */
import { elementAt } from '../base/element-at.ts';
import type { StepOf } from '../isa/steps/step.ts';
import { misuse, ranksOf, type TensorAccess } from '../machine/tensor-memory/access.ts';
import { copyToTensor } from '../machine/tensor-memory/copy.ts';
import { multiplyInTensor } from '../machine/tensor-memory/product.ts';
import { type AccessContext, openMemory, placeIn, storeUndefined, undefinedElements } from './memory-access.ts';
import { clockIn, historyOf, noteAccess, plainAccess } from './race-watch.ts';
import { setUndefined } from './shadow.ts';
import type { Block } from './thread.ts';
import { type Action, bigintIn, type Frame, type PlaceOf, valueIn } from './value-steps.ts';

export function prepareTensorProduct(step: StepOf<'tensor-product'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { product } = step;
  const [d, a, b] = [placeOf(step.d), placeOf(step.a), placeOf(step.b)];
  const [instruction, adds] = [placeOf(step.instruction), placeOf(step.adds)];
  const [scale = null, metadata = null, zeroColumns = null] = [step.scale, step.metadata, step.zeroColumns].map(
    (ref) => (ref === null ? null : placeOf(ref)),
  );
  const scales = (step.scales ?? []).map(placeOf);
  const unchanged = (step.unchanged ?? []).map(placeOf);
  return (frame: Frame) => {
    const call = {
      product,
      d: bigintIn(frame, d),
      a: bigintIn(frame, a),
      b: bigintIn(frame, b),
      instruction: Number(frame[instruction]),
      adds: frame[adds] === 1,
      scale: scale === null ? 0 : Number(frame[scale]),
      scales: scales.map((place) => bigintIn(frame, place)),
      metadata: metadata === null ? 0n : bigintIn(frame, metadata),
      zeroColumns: zeroColumns === null ? 0n : bigintIn(frame, zeroColumns),
      unchanged: unchanged.map((place) => Number(frame[place])),
    };
    multiplyInTensor(call, memoriesOf(product.blocks, context));
  };
}

export function prepareTensorCopy(step: StepOf<'tensor-copy'>, placeOf: PlaceOf, context: AccessContext): Action {
  const [to, source] = [placeOf(step.to), placeOf(step.source)];
  return (frame: Frame) => {
    copyToTensor(step.copy, bigintIn(frame, to), bigintIn(frame, source), memoriesOf(step.copy.blocks, context));
  };
}

/** Size of a word in bytes. */
const wordBytes = 4;

export function prepareTensorLoad(step: StepOf<'tensor-load'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, offsets } = step;
  const { cpu, line } = context;
  const to = step.to.map(placeOf);
  const address = placeOf(step.address);
  const kind = plainAccess('load', null, context);
  return (frame: Frame) => {
    const start = bigintIn(frame, address);
    const first = placeIn(space, start);
    const memory = openMemory(first, start, 'load', wordBytes, context);
    const { definedness = null } = memory;
    to.forEach((slot, i) => {
      const offset = first.offset + elementAt(offsets, i);
      memory.check('load', offset, wordBytes);
      if (cpu.races !== null) noteAccess(cpu, kind, { ...first, offset }, wordBytes);
      frame[slot] = memory.load(offset, 8 * wordBytes);
      const isDefined = definedness === null || definedness.isDefined(offset, wordBytes);
      if (isDefined && cpu.thread.shadow === null) return;
      const [found = null] = isDefined ? [] : undefinedElements(definedness, offset, wordBytes, 1, line);
      setUndefined(cpu.thread, slot, found);
    });
  };
}

export function prepareTensorStore(step: StepOf<'tensor-store'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, offsets } = step;
  const { cpu } = context;
  const from = step.from.map(placeOf);
  const address = placeOf(step.address);
  const loud = plainAccess('store', null, context);
  const silent = { ...loud, isSilent: true };
  return (frame: Frame) => {
    const start = bigintIn(frame, address);
    const first = placeIn(space, start);
    const memory = openMemory(first, start, 'store', wordBytes, context);
    const { shadow } = cpu.thread;
    from.forEach((slot, i) => {
      const offset = first.offset + elementAt(offsets, i);
      const value = valueIn(frame, slot);
      memory.check('store', offset, wordBytes);
      if (cpu.races !== null) {
        const isSilent = memory.load(offset, 8 * wordBytes) === value;
        noteAccess(cpu, isSilent ? silent : loud, { ...first, offset }, wordBytes);
      }
      memory.store(offset, 8 * wordBytes, value);
      if (shadow !== null) storeUndefined(memory, offset, wordBytes, [shadow.get(slot) ?? null]);
    });
  };
}

/** Returns access to the memory of the one or two blocks that execute an instruction. */
function memoriesOf(blocks: 1 | 2, context: AccessContext): readonly TensorAccess[] {
  const { block, blocksPerCluster } = context.cpu;
  if (blocks === 1) return [accessOf(block, context)];
  const ranks = ranksOf(blocks, block.number % blocksPerCluster, blocksPerCluster);
  return ranks.map((rank) => accessOf(context.cpu.neighbor(rank), context));
}

/**
 * Bytes that were never written count as defined, because a tile at the edge of a matrix may have rows whose results
 * are not used.
 */
function accessOf(block: Block, context: AccessContext): TensorAccess {
  const { shared, tensor } = block;
  if (tensor === null) throw misuse('the kernel has no tensor memory');
  const note = noteIn(block, context);
  return {
    chunk: (address) => {
      shared.check('load', address, 16);
      note('shared', 'load', address, 16);
      return shared.bytesAt(address, 16);
    },
    read: (offset, size) => {
      note('tensor', 'load', offset, size);
      return tensor.bytesAt(offset, size);
    },
    write: (offset, size) => {
      note('tensor', 'store', offset, size);
      tensor.mark(offset, size);
      return tensor.bytesAt(offset, size);
    },
  };
}

type Note = (space: 'shared' | 'tensor', way: 'load' | 'store', offset: number, size: number) => void;

/** Returns a function that reports accesses to a block's memory to the race detector. */
function noteIn({ number }: Block, context: AccessContext): Note {
  const { races } = context.cpu;
  if (races === null) return () => undefined;
  const clock = clockIn(races, context.cpu);
  const fromShared = plainAccess('load', null, context);
  // Only accesses to shared memory go through the async proxy.
  const inTensor = {
    load: { ...fromShared, isAsyncProxy: false },
    store: plainAccess('store', null, context),
  };
  return (space, way, offset, size) => {
    const history = historyOf(races, space, number, offset);
    const kind = space === 'shared' ? fromShared : inTensor[way];
    if (history !== null) races.access(clock, kind, history, offset, size);
  };
}
