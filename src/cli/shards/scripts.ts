/** Scripts that submit the shards of a plan to a scheduler. */
import { programFile } from '../version.ts';
import type { Manifest } from './manifest.ts';

export type Scheduler = 'slurm' | 'parallel';

export interface Script {
  /** The file name of the script in the plan's folder. */
  readonly name: string;
  readonly text: string;
  /** The command that submits the script; it takes the path of the script as its argument. */
  readonly start: string;
}

/**
 * @param folder the absolute path of the plan's folder
 * @param perTask the number of shards that each task computes, one after the other; the last task may compute fewer
 */
export function scriptFor(scheduler: Scheduler, folder: string, manifest: Manifest, perTask: number): Script {
  return scripts[scheduler](folder, manifest, perTask);
}

type MakeScript = (folder: string, manifest: Manifest, perTask: number) => Script;

const scripts: Readonly<Record<Scheduler, MakeScript>> = { slurm, parallel };

/**
 * Every machine must run the same version of ptxlab. On a machine where ptxlab has a different path, the variable
 * `PTXLAB` must be set to that path.
 */
function chooseProgram(): string {
  return `if [ -n "\${PTXLAB:-}" ]; then set -- $PTXLAB; else set -- ${quoted(process.execPath)} ${quoted(programFile)}; fi`;
}

function slurm(folder: string, { shards, task }: Manifest, perTask: number): Script {
  const megabytes = Math.ceil(task.memoryBytes / 2 ** 20);
  const numbers =
    perTask === 1
      ? '# Each task computes the shard with the number SLURM_ARRAY_TASK_ID. A task that is restarted repeats only the missing work.'
      : `# Each task computes ${perTask} shards. A task that is restarted repeats only the missing work.
first=$((SLURM_ARRAY_TASK_ID * ${perTask}))
${lastOf(shards.length, perTask)}`;
  const text = `#!/bin/sh
#SBATCH --job-name=ptxlab
#SBATCH --array=0-${Math.ceil(shards.length / perTask) - 1}
#SBATCH --cpus-per-task=${task.cpus}
#SBATCH --mem=${megabytes}M
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="${folder}/logs/%a.txt"
${numbers}
${chooseProgram()}
exec "$@" work ${quoted(folder)}${perTask === 1 ? '' : ' --shard $first..$last'}
`;
  return { name: 'slurm.sh', text, start: 'sbatch' };
}

function parallel(folder: string, { shards, task }: Manifest, perTask: number): Script {
  const jobs = task.cpus === 1 ? '100%' : `$(( ($(nproc) + ${task.cpus - 1}) / ${task.cpus} ))`;
  const all = `seq 0 ${perTask === 1 ? '' : `${perTask} `}${shards.length - 1}`;
  const ranges =
    perTask === 1
      ? all
      : `${all} | while read -r first; do
  ${lastOf(shards.length, perTask)}
  echo "$first..$last"
done`;
  const text = `#!/bin/sh
# Other options are passed on to GNU parallel, such as --sshloginfile FILE. Shards that are done are not computed again.
options="$*"
${chooseProgram()}
${ranges} | parallel -q --jobs "${jobs}" --retries 3 $options "$@" work ${quoted(folder)} --shard {}
`;
  return { name: 'parallel.sh', text, start: 'sh' };
}

/**
 * Shell code that sets the variable `last` to the number of a task's last shard; `first` must contain the number of its
 * first shard.
 */
function lastOf(shards: number, perTask: number): string {
  return `last=$((first + ${perTask - 1} < ${shards} ? first + ${perTask - 1} : ${shards - 1}))`;
}

/** Quotes a word of a shell command if necessary. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : quoted(word);
}

/** Quotes a word for the shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
