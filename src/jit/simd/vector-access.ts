/**
 * Writes loads and stores for four threads. If the addresses are expected to be consecutive, the code accesses whole
 * vectors; otherwise, it accesses four separate elements (vector-elements.ts). If the addresses are not as expected, or
 * if a quick check cannot tell that they are valid, this code calls a function that performs the access for one thread
 * after the other (scattered-access.ts).
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { SpanKind } from '../memory/checked-spans.ts';
import { isAlwaysValid, isQuick } from '../memory/checks.ts';
import { holder } from '../regions/values.ts';
import { gatherFunction, type ScatteredAccess, scatterFunction } from './scattered-access.ts';
import { type AccessStep, checkRow, checkScattered, locateEach, locateRow } from './vector-checks.ts';
import { loadLanes, loadVectors, storeLanes, storeVectors } from './vector-elements.ts';
import type { VectorLowering, Writer } from './vector-lowering.ts';
import { laneCount } from './vectors.ts';

export function vectorAccess(step: AccessStep, lowering: VectorLowering): Writer | null {
  const { width, space } = step;
  const count = (step.kind === 'load' ? step.to : step.from).length;
  const isWhole = count === 1 || (width === 32 && (count === 2 || count === 4));
  const facts = { space, access: step.kind, size: (step.width / 8) * count } as const;
  if (!isWhole || width > 64 || step.order !== null || !isQuick(facts)) return null;
  const access = { ...facts, width, count };
  return step.kind === 'load' ? () => load(step, access, lowering) : () => store(step, access, lowering);
}

function load(step: StepOf<'load'>, access: ScatteredAccess, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const type = holder(access.width);
  const results = step.to.map(() => vectors.fresh(type));
  const locals = results.flatMap((result) => [...result.locals]);
  writeAccess(step, access, lowering, {
    inRow: (at, offset) => {
      const loaded = loadVectors(access, at, offset, lowering).flatMap((vector) => [...vector.locals]);
      loaded.forEach((local, i) => code.get(local).set(elementAt(locals, i)));
    },
    apart: (at, offset) => loadLanes(access, at, offset, locals, lowering),
    byCall: () => {
      callScattered(step, lowering);
      code.call(gatherFunction(lowering.scalar, access));
      for (const local of locals.toReversed()) code.set(local);
    },
  });
  step.to.forEach((ref, i) => vectors.set(ref, elementAt(results, i)));
}

function store(step: StepOf<'store'>, access: ScatteredAccess, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const values = step.from.map((ref) => vectors.get(ref, holder(access.width)));
  const locals = values.flatMap((value) => [...value.locals]);
  writeAccess(step, access, lowering, {
    inRow: (at, offset) => storeVectors(access, at, offset, values, lowering),
    apart: (at, offset) => storeLanes(access, at, offset, locals, lowering),
    byCall: () => {
      callScattered(step, lowering);
      for (const local of locals) code.get(local);
      code.call(scatterFunction(lowering.scalar, access));
    },
  });
}

// --- where ----------------------------------------------------------------------------------------------------------

/** Functions that write the code for an access. Each function writes a different form of the code. */
interface Forms {
  /**
   * Writes code for valid, consecutive addresses. The local `at` holds the first thread's address in global memory;
   * `offset` is added to this address.
   */
  readonly inRow: (at: number, offset: number) => void;
  /**
   * Writes code for valid addresses that need not be consecutive. `at` contains four locals, each of which holds the
   * address for one thread; `offset` is added to each address.
   */
  readonly apart: (at: readonly number[], offset: number) => void;
  /** Writes code for arbitrary addresses. */
  readonly byCall: () => void;
}

/**
 * Writes code for addresses that have the expected pattern. Also writes code for arbitrary addresses, which is executed
 * if the addresses do not have the expected pattern.
 */
function writeAccess(step: AccessStep, access: ScatteredAccess, lowering: VectorLowering, forms: Forms): void {
  const kind = access.space === 'local' ? 'same' : kindOf(step, access.size, lowering);
  // There is no fast form for threads that all use the same address, or for threads that access their own local memory.
  if (kind === 'same') forms.byCall();
  else if (isAlwaysValid(access.space, lowering.scalar.layout)) writeUnchecked(step, access, kind, lowering, forms);
  else writeChecked(step, access, kind, lowering, forms);
}

function writeUnchecked(
  step: AccessStep,
  { size }: ScatteredAccess,
  kind: SpanKind,
  lowering: VectorLowering,
  forms: Forms,
): void {
  const { code, scalar } = lowering;
  const at = Array.from({ length: laneCount }, () => scalar.values.temporary('i32'));
  code.block((done) => {
    if (kind === 'row')
      code.block((scattered) => {
        const first = elementAt(at, 0);
        locateRow(step, size, first, lowering, scattered);
        forms.inRow(first, 0);
        code.br(done);
      });
    locateEach(step, at, lowering);
    forms.apart(at, 0);
  });
}

function writeChecked(
  step: AccessStep,
  { space, size }: ScatteredAccess,
  kind: SpanKind,
  lowering: VectorLowering,
  forms: Forms,
): void {
  const { code, scalar } = lowering;
  const { spans, instruction, layout, values } = scalar;
  const addresses = kind === 'row' ? 1 : laneCount;
  const shared = layout.checked ? (spans?.of(instruction, addresses) ?? null) : null;
  const checked = shared?.checked ?? {
    span: { space, size, bytes: size },
    valid: values.temporary('i32'),
    at: Array.from({ length: addresses }, () => values.temporary('i32')),
  };
  const offset = shared?.offset ?? 0;
  const isFirst = shared?.isFirst ?? true;
  code.block((done) => {
    code.block((slow) => {
      if (!isFirst) code.get(checked.valid).op('i32.eqz').unlikely().brIf(slow);
      else if (kind === 'row') checkRow(step, checked, offset, lowering, slow);
      else checkScattered(step, checked, offset, lowering, slow);
      if (kind === 'row') forms.inRow(elementAt(checked.at, 0), offset);
      else forms.apart(checked.at.slice(0, laneCount), offset);
      code.br(done);
    });
    forms.byCall();
  });
}

function kindOf(step: AccessStep, size: number, { vectors, scalar, kindOf: ofRegister }: VectorLowering): SpanKind {
  const place = vectors.placeOf(step.address);
  const base = scalar.instruction.addresses.find((source) => source.place === place)?.base;
  if (base === undefined) return ofRegister(place, size);
  return base.kind === 'register' ? ofRegister(base.register, size) : 'same';
}

/** Pushes the common arguments of a function for scattered accesses. */
function callScattered(step: AccessStep, { code, vectors, scalar }: VectorLowering): void {
  const { locals, program, recordCall } = scalar;
  const refs = step.kind === 'load' ? step.to : step.from;
  const size = (step.width / 8) * refs.length;
  const { space, kind: access } = step;
  code.get(locals.context).i32(recordCall({ kind: 'access', space, access, size, localBytes: program.localBytes }));
  code.get(locals.thread).get(locals.fuel);
  for (const local of vectors.get(step.address, 'i64').locals) code.get(local);
}
