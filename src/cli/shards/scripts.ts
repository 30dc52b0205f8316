/** Scripts that submit the shards of a plan to a scheduler. */
import { programFile } from '../version.ts';
import type { Manifest } from './manifest.ts';

export type Scheduler = 'slurm' | 'parallel';

export interface Script {
  /** Its name in the plan's folder. */
  readonly name: string;
  readonly text: string;
  /** The command that submits the script; its argument is the script's path. */
  readonly start: string;
}

/** @param folder the absolute path of the plan's folder */
export function scriptFor(scheduler: Scheduler, folder: string, manifest: Manifest): Script {
  return scripts[scheduler](folder, manifest);
}

const scripts: Readonly<Record<Scheduler, (folder: string, manifest: Manifest) => Script>> = { slurm, parallel };

/** Every machine must run the same ptxlab; `PTXLAB` names another path to it. */
function chooseProgram(): string {
  return `if [ -n "\${PTXLAB:-}" ]; then set -- $PTXLAB; else set -- ${quoted(process.execPath)} ${quoted(programFile)}; fi`;
}

function slurm(folder: string, { shards, task }: Manifest): Script {
  const megabytes = Math.ceil(task.memoryBytes / 2 ** 20);
  const text = `#!/bin/sh
#SBATCH --job-name=ptxlab
#SBATCH --array=0-${shards.length - 1}
#SBATCH --cpus-per-task=${task.cpus}
#SBATCH --mem=${megabytes}M
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="${folder}/logs/%a.txt"
# Each task computes the shard in SLURM_ARRAY_TASK_ID. A task that is restarted repeats only the missing work.
${chooseProgram()}
exec "$@" work ${quoted(folder)}
`;
  return { name: 'slurm.sh', text, start: 'sbatch' };
}

function parallel(folder: string, { shards, task }: Manifest): Script {
  const jobs = task.cpus === 1 ? '100%' : `$(( ($(nproc) + ${task.cpus - 1}) / ${task.cpus} ))`;
  const text = `#!/bin/sh
# Other options are passed on to GNU parallel, such as --sshloginfile FILE. Shards that are done are not computed again.
options="$*"
${chooseProgram()}
seq 0 ${shards.length - 1} | parallel -q --jobs "${jobs}" --retries 3 $options "$@" work ${quoted(folder)} --shard {}
`;
  return { name: 'parallel.sh', text, start: 'sh' };
}

/** Quotes a word for the shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
