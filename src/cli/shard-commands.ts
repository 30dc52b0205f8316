/** Declares the commands that spread work over several machines. */
import { type Command, Option } from 'commander';
import { examples, type Start } from './command-parts.ts';
import { convertChoiceOptions } from './file-commands.ts';
import { checkChoiceOptions, sweepChoiceOptions, testChoiceOptions } from './language-commands.ts';
import type { CheckFlags } from './check.ts';
import type { MergeFlags } from './merge.ts';
import type { PlanFlags } from './plan.ts';
import type { PlanConvertFlags } from './shards/convert-plan.ts';
import type { TestChoice } from './shards/what.ts';
import type { StatusFlags } from './status.ts';
import type { SweepChoiceFlags } from './sweep/choice.ts';
import type { WorkFlags } from './work.ts';

export function definePlan(program: Command, start: Start): void {
  const plan = program
    .command('plan')
    .description('Divide work into shards for many machines; see also work, status and merge.');
  definePlanSweep(plan, start);
  definePlanConvert(plan, start);
  definePlanCheck(plan, start);
  definePlanTest(plan, start);
  examples(
    plan,
    'ptxlab plan sweep cvt.rn.f16.f32 cvt.rn.bf16.f32 --shards 64 --out plan --for slurm',
    'ptxlab work plan --shard 0',
    'ptxlab merge plan --out digests.json',
  );
}

function definePlanSweep(plan: Command, start: Start): void {
  const command = plan
    .command('sweep')
    .description('Plan a sweep whose digests are written to a file.')
    .argument('[instructions...]', 'mnemonics of conversions');
  sweepChoiceOptions(planOptions(command))
    .option('--cpus <count>', 'threads per task; 1 by default')
    .action(async (instructions: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<PlanFlags & SweepChoiceFlags>();
      await start(async (session) => (await import('./plan.ts')).planSweepCommand(instructions, flags, session));
    });
  examples(command, 'ptxlab plan sweep cvt.rn.f16.f32 --shards 64 --out plan');
}

function definePlanConvert(plan: Command, start: Start): void {
  const command = plan.command('convert').description('Plan a conversion.').argument('[files...]', 'the input file');
  convertChoiceOptions(planOptions(command))
    .option(
      '--as <name>',
      'a name for the merged file; its extension determines the container, which is .safetensors by default',
    )
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<PlanFlags & PlanConvertFlags>();
      await start(async (session) => (await import('./plan.ts')).planConvertCommand(files, flags, session));
    });
  examples(command, 'ptxlab plan convert model.safetensors --to e4m3 --scale row --shards 16 --out plan');
}

function definePlanCheck(plan: Command, start: Start): void {
  const command = plan
    .command('check')
    .description('Plan a check of many files.')
    .argument('[files...]', 'PTX files, and folders with .ptx files');
  checkChoiceOptions(planOptions(command)).action(async (files: readonly string[], _: unknown, self: Command) => {
    const flags = self.optsWithGlobals<PlanFlags & CheckFlags>();
    await start(async (session) => (await import('./plan.ts')).planCheckCommand(files, flags, session));
  });
  examples(command, 'ptxlab plan check kernels --format sarif --shards 8 --out plan');
}

function definePlanTest(plan: Command, start: Start): void {
  const command = plan.command('test').description('Plan a run of kernel tests.');
  testChoiceOptions(planOptions(command)).action(async (paths: readonly string[], _: unknown, self: Command) => {
    const flags = self.optsWithGlobals<PlanFlags & TestChoice>();
    await start(async (session) => (await import('./plan.ts')).planTestCommand(paths, flags, session));
  });
  examples(command, 'ptxlab plan test kernels --format junit --shards 8 --out plan');
}

function planOptions(command: Command): Command {
  return command
    .option('--shards <count>', 'number of shards')
    .option('-o, --out <folder>', 'the folder for the plan and the results of its shards')
    .addOption(
      new Option('--for <scheduler>', 'also write a script that starts all shards').choices(['slurm', 'parallel']),
    )
    .option('--per-task <count>', 'number of shards that each task of the script computes; 1 by default');
}

export function defineWork(program: Command, start: Start): void {
  const command = program
    .command('work')
    .description('Compute one or more shards of a plan.')
    .argument('<folder>', "the plan's folder")
    .option(
      '--shard <number>',
      'the shard, counted from 0, or a range such as 4..7; by default, the value of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or PARALLEL_SEQ',
    )
    .action(async (folder: string, _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<WorkFlags>();
      await start(async (session) => (await import('./work.ts')).workCommand(folder, flags, session));
    });
  examples(command, 'ptxlab work plan --shard 5', 'ptxlab work plan --shard 4..7');
}

export function defineMerge(program: Command, start: Start): void {
  const command = program
    .command('merge')
    .description('Join the results of all shards into the file that a single command would have written.')
    .argument('<folder>', "the plan's folder")
    .option('-o, --out <file>', 'the file to write')
    .option('--force', 'replace an existing file')
    .action(async (folder: string, _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<MergeFlags>();
      await start(async (session) => (await import('./merge.ts')).mergeCommand(folder, flags, session));
    });
  examples(command, 'ptxlab merge plan --out digests.json');
}

export function defineStatus(program: Command, start: Start): void {
  const command = program
    .command('status')
    .description('Show which shards of a plan are done.')
    .argument('<folder>', "the plan's folder")
    .option('--verify', 'read the data of all results and compare it with its checksums')
    .option('--json', 'write JSON')
    .action(async (folder: string, _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<StatusFlags>();
      await start(async (session) => (await import('./status.ts')).statusCommand(folder, flags, session));
    });
  examples(command, 'ptxlab status plan', 'ptxlab status plan --verify');
}
