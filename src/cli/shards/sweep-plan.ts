/** Prepares a plan for running a sweep on several machines. */
import { elementAt } from '../../base/element-at.ts';
import { prepareSweep, type Sweep } from '../../sweep.ts';
import { UsageError } from '../exit.ts';
import { readTargetChoice } from '../options.ts';
import { writeRefusal } from '../refusal.ts';
import type { Session } from '../session.ts';
import { readChunks, readSweepSettings, type SweepChoiceFlags } from '../sweep/choice.ts';
import { type Draft, hashOf } from './manifest.ts';
import { kernelFile, unitsOf } from './sweep-units.ts';
import type { PlannedSweep, SweepChoice } from './what.ts';

/** Resolves with null if an instruction is rejected, after writing the reason to stderr. */
export async function draftSweep(
  instructions: readonly string[],
  flags: SweepChoiceFlags,
  cpus: number,
  session: Session,
): Promise<Draft | null> {
  if (instructions.length === 0) throw new UsageError('plan sweep needs an instruction');
  const sweeps = new Map<string, PlannedSweep>();
  const files = new Map<string, Uint8Array>();
  for (const instruction of instructions) {
    const prepared = prepareSweep(instruction, readTargetChoice(flags), readSweepSettings(flags));
    if (!prepared.ok) {
      await writeRefusal(prepared.error, flags.color, session);
      return null;
    }
    const planned = plannedSweep(prepared.value, flags);
    sweeps.set(planned.name, planned);
    files.set(kernelFile(planned), prepared.value.kernel.wasm);
  }
  const list = [...sweeps.values()];
  return {
    gpus: [],
    inputs: [],
    weights: list.flatMap(weightsOf),
    // Takes about 1 s.
    leastShard: 2 ** 30,
    files,
    cut: (shards) => {
      const units = Math.max(...shards.map(({ from, to }) => to - from));
      return Promise.resolve({
        what: { command: 'sweep', choice: choiceOf(flags), sweeps: list },
        task: { cpus, memoryBytes: memoryOfSweep, diskBytes: 512 + units * bytesPerUnit },
      });
    },
  };
}

/** A shard needs 70 MB (measured). */
const memoryOfSweep = 256 * 2 ** 20;

/**
 * The number of bytes that each unit of work takes up in a result file. For each unit, the file contains either the
 * digests of four chunks, or the name of an instruction and one digest.
 */
const bytesPerUnit = 160;

/** Starting a kernel takes as long as computing the results for this number of inputs. */
const startingInputs = 2 ** 20;

function plannedSweep({ name, chunks, chunkSize, kernel }: Sweep, flags: SweepChoiceFlags): PlannedSweep {
  const chosen = readChunks(flags.chunks, chunks);
  return {
    name,
    firstChunk: elementAt(chosen, 0),
    chunks: chosen.length,
    chunkSize,
    lanes: kernel.lanes,
    kernel: hashOf(kernel.wasm),
  };
}

function weightsOf(sweep: PlannedSweep): readonly number[] {
  const { chunks, lanes, chunkSize } = sweep;
  return Array.from(
    { length: unitsOf(sweep) },
    (_, unit) => startingInputs + Math.min(lanes, chunks - unit * lanes) * chunkSize,
  );
}

function choiceOf({ chunks, rbits, scale, target, isa }: SweepChoiceFlags): SweepChoice {
  return {
    ...(chunks === undefined ? {} : { chunks }),
    ...(rbits === undefined ? {} : { rbits }),
    ...(scale === undefined ? {} : { scale }),
    ...(target === undefined ? {} : { target }),
    ...(isa === undefined ? {} : { isa }),
  };
}
