/** The commands for tensor files. */
import type { Command } from 'commander';
import { containerTitles } from '../tensors/containers.ts';
import { collect, examples, type Start } from './command-parts.ts';
import type { DiffFlags } from './diff/diff-flags.ts';
import type { ConvertFlags } from './convert/choice.ts';
import type { InspectFlags } from './inspect.ts';

export function defineConvert(program: Command, start: Start): void {
  const command = program
    .command('convert')
    .description(
      'Convert the floating-point tensors of a file, and write them to a file of the same or another container.',
    )
    .argument('[files...]', 'the input file, then the output file, whose extension determines its container');
  convertChoiceOptions(command)
    .option('--force', 'replace an existing file')
    .option('--resume', 'continue an interrupted run')
    .option('--dry-run', 'show the plan without doing anything')
    .option('--json', 'write JSON')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<ConvertFlags>();
      await start(async (session) => (await import('./convert.ts')).convertCommand(files, flags, session));
    });
  examples(
    command,
    'ptxlab convert model.safetensors model-e4m3.safetensors --to e4m3 --scale row',
    "ptxlab convert model.safetensors model-nvfp4.safetensors --to nvfp4 --keep '*norm*' --keep '*embed*'",
    'ptxlab convert model.safetensors.index.json out/model.safetensors.index.json --to e4m3 --scale row',
    'ptxlab convert model.safetensors out/model.safetensors --to nvfp4 --layout compressed-tensors',
    'ptxlab convert model.safetensors model.gguf --to q8_0',
    'ptxlab convert weights.npy weights.bin --to e2m1 --rounding rs --seed 7',
  );
}

/** Declares the options that determine what a conversion writes. */
export function convertChoiceOptions(command: Command): Command {
  return command
    .option('--to <format>', 'e4m3, e5m2, f16, bf16, …; mxfp8, mxfp6, mxfp4, nvfp4; for GGUF also q4_0 to q8_0')
    .option('--only <glob>', 'only tensors whose names match; can be repeated', collect)
    .option('--keep <glob>', 'do not convert tensors whose names match; can be repeated', collect)
    .option('--scale <of>', 'f32 scales for e4m3, e5m2, s8, s4, s2: per tensor, row, or block of 128 x 128, or none')
    .option('--layout <reader>', 'names and types that other readers expect: modelopt, compressed-tensors')
    .option('--scale-rule <rule>', 'rounding of mx scales: floor, as in OCP MX, or up')
    .option('--rounding <mode>', 'rounding mode; rn by default; rs also needs --seed')
    .option('--seed <number>', 'seed for --rounding rs')
    .option('--semantics <stack>', 'the stack whose rules to follow: ptx by default, ocp, ml_dtypes, torch')
    .option('--no-saturate', 'values out of range become infinity or NaN if the stack allows it')
    .option('--shard-size <bytes>', 'for NAME.safetensors.index.json: maximum bytes per shard; 5GB by default')
    .option('--dtype <type>', 'element type of a raw file or of a .npy file with raw bytes')
    .option('--shape <extents>', 'shape of a raw file: 1024,1024');
}

export function defineInspect(program: Command, start: Start): void {
  const command = program
    .command('inspect')
    .description(`Show the contents of tensor files: ${containerTitles().join(', ')}.`)
    .argument('[files...]', 'tensor files, or the index of a sharded model')
    .option('--only <glob>', 'only tensors whose names match; can be repeated', collect)
    .option('--no-stats', 'read headers only, no data')
    .option('--histogram', 'all statistics of each tensor, with one line per power of two')
    .option('--dtype <type>', 'element type of a raw file or of a .npy file with raw bytes')
    .option('--shape <extents>', 'shape of a raw file: 1024,1024')
    .option('--json', 'write JSON')
    .option('--ascii', 'draw without block characters')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<InspectFlags>();
      await start(async (session) => (await import('./inspect.ts')).inspectCommand(files, flags, session));
    });
  examples(
    command,
    'ptxlab inspect model.safetensors',
    "ptxlab inspect --histogram --only '*.q_proj.weight' model.safetensors",
    'ptxlab inspect --no-stats model.safetensors.index.json',
    'ptxlab inspect --dtype bf16 --shape 4096,4096 weights.bin',
  );
}

export function defineDiff(program: Command, start: Start): void {
  const command = program
    .command('diff')
    .description('Compare the tensors of two files by value, or two PTX modules regardless of the names of registers.')
    .argument('[files...]', 'two tensor files, the first of which is the reference; or two PTX files')
    .option('--only <glob>', 'only tensors or functions whose names match; can be repeated', collect)
    .option('--max-abs <error>', 'exit 1 if |a - b| is larger than this')
    .option('--max-rel <error>', 'exit 1 if |a - b| / |a| is larger than this')
    .option('--min-sqnr <decibels>', 'exit 1 if the signal-to-noise ratio of a tensor is lower than this')
    .option('--details <count>', 'number of tensors or functions shown in detail, worst first; 3 by default')
    .option('--worst <count>', 'number of elements shown for each of these tensors; 5 by default')
    .option('--html <file>', 'write a report with charts')
    .option('--force', 'replace an existing report')
    .option('--dtype <type>', 'element type of raw files, or of .npy files with raw bytes')
    .option('--shape <extents>', 'shape of raw files: 1024,1024')
    .option('--json', 'write JSON')
    .option('--ascii', 'draw without block characters')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<DiffFlags>();
      await start(async (session) => (await import('./diff.ts')).diffCommand(files, flags, session));
    });
  examples(
    command,
    'ptxlab diff model.safetensors model-e4m3.safetensors',
    'ptxlab diff --min-sqnr 30 --html report.html model.safetensors model-mxfp4.gguf',
    "ptxlab diff --only '*.q_proj.*' --details 10 before.safetensors after.safetensors",
    'ptxlab diff old.ptx new.ptx',
  );
}
