/** What the command line understands. Each command is loaded when it is asked for, so that help and version cost nothing. */
import { Command, Option } from 'commander';
import type { CheckFlags } from './check.ts';
import type { DiffFlags } from './diff.ts';
import type { EvalFlags } from './eval.ts';
import type { ExitCode } from './exit.ts';
import type { ExplainFlags } from './explain.ts';
import type { FormsFlags } from './forms.ts';
import type { ConvertFlags } from './convert/choice.ts';
import type { InspectFlags } from './inspect.ts';
import type { RunFlags } from './run.ts';
import type { SweepFlags } from './sweep.ts';

type Finish = (exit: ExitCode) => void;

/** The program with all its commands; `finish` is told how a command ended. Wrong usage throws a CommanderError. */
export function makeProgram(version: string, finish: Finish): Command {
  const program = new Command('ptxlab')
    .description('NVIDIA PTX without the GPU: check, explain, evaluate and run it, bit for bit.')
    .version(version, '-V, --version', 'print the version')
    .addOption(new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'))
    .option('-q, --quiet', 'nothing on stderr but errors')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => command.name(),
      optionTerm: termOf,
      optionDescription: describe,
    })
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride();
  const language = [defineCheck, defineEval, defineRun, defineExplain, defineForms, defineSweep];
  const files = [defineConvert, defineInspect, defineDiff];
  for (const define of [...language, ...files]) define(program, finish);
  return examples(
    program,
    'ptxlab check kernel.ptx',
    'ptxlab eval --explain cvt.rn.satfinite.e4m3x2.f32 1.5 -0.1',
    'ptxlab explain cvt.rs.satfinite.e4m3x4.f32',
    'ptxlab forms --matrix',
  );
}

/** `-W` has one meaning, so it is shown whole. */
function termOf(option: Option): string {
  return option.short === '-W' ? '-Werror' : option.flags;
}

/** Choices as a plain list, the one taken by default in front. */
function describe({ description, short, argChoices, defaultValue }: Option): string {
  if (argChoices === undefined || short === '-W') return description;
  const others = argChoices.filter((choice) => choice !== defaultValue);
  const list = defaultValue === undefined ? others : [`${defaultValue} unless given`, ...others];
  return `${description}: ${list.join(', ')}`;
}

function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('before', `Examples:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

function defineCheck(program: Command, finish: Finish): void {
  const command = program
    .command('check')
    .description('Check PTX modules as strictly as ptxas.')
    .argument('[files...]', 'PTX files, - for stdin')
    .option('-t, --target <names>', "judge for these targets (sm_80,sm_90a), not the module's own")
    .option('--isa <version>', "judge by this PTX version, not the module's own")
    .addOption(
      new Option('-f, --format <format>', 'findings as')
        .choices(['pretty', 'ptxas', 'json', 'sarif', 'github'])
        .default('pretty'),
    )
    .addOption(new Option('-W <kind>', 'warnings are errors').choices(['error']))
    .option('--all', 'pretty: show every repeat of a finding')
    .option('--batch', 'answer NDJSON requests from stdin, one module a line')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<CheckFlags>();
      finish(await (await import('./check.ts')).checkCommand(files, flags));
    });
  examples(
    command,
    'ptxlab check kernel.ptx',
    'ptxlab check --target sm_80,sm_100a kernel.ptx',
    'nvcc -ptx -o - kernel.cu | ptxlab check -Werror --format github -',
  );
}

function defineEval(program: Command, finish: Finish): void {
  const command = program
    .command('eval')
    .description('Evaluate one instruction on given operands, bit for bit.')
    .argument('[instruction]', 'a mnemonic such as cvt.rn.satfinite.e4m3x2.f32')
    .argument('[operands...]', 'inputs in instruction order: 1.5, -3, nan, 0x3f800000, 0f3F800000')
    .option('-t, --target <name>', 'judge for this target; any unless given')
    .option('--isa <version>', 'judge by this PTX version; the newest unless given')
    .option('--explain', 'show the exact value, its neighbours and why one was chosen')
    .option('--json', 'write JSON')
    .option('--batch', 'answer NDJSON requests from stdin')
    .allowUnknownOption()
    .action(async (instruction: string | undefined, operands: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<EvalFlags>();
      finish(await (await import('./eval.ts')).evalCommand(instruction, operands, flags));
    });
  examples(
    command,
    'ptxlab eval cvt.rn.satfinite.e4m3x2.f32 1.5 -0.1',
    'ptxlab eval --explain cvt.rn.f16.f32 0.1',
    'ptxlab eval cvt.rs.f16x2.f32 0x3dcccccd 0x3e4ccccd 0x00010002',
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function defineRun(program: Command, finish: Finish): void {
  const command = program
    .command('run')
    .description('Run a kernel on the CPU.')
    .argument('[file]', 'a PTX file, - for stdin')
    .option('--entry <name>', 'the kernel; may be left out where there is one')
    .option('--grid <x,y,z>', 'blocks')
    .option('--block <x,y,z>', 'threads of a block')
    .option('--shared <bytes>', 'dynamic shared memory')
    .option(
      '--arg <value>',
      'an argument, repeated in order: 5, 1.5, u32:5, f32:1.5, f32[]:1,2, in.npy, zeros:4096, zeros:f32[8,8], hex:..., file:...',
      collect,
      [],
    )
    .option('--out <index:file>', 'write a buffer argument after the launch; repeated', collect, [])
    .option('-t, --target <name>', 'the device; the target of the module unless given')
    .addOption(new Option('--engine <engine>', 'engine').choices(['jit', 'interp']))
    .option(
      '--workers <count>',
      'threads that the fast engine spreads blocks over; 0, the default, is none beside its own',
    )
    .option('--unchecked', 'no memory checks')
    .option('--memory <bytes>', 'memory of the device; 1 GiB unless given')
    .option('--trace', 'print each instruction that thread 0 of block 0 executes, with its registers')
    .option('--trace-thread <x,y,z>', 'trace this thread of the block')
    .option('--trace-block <x,y,z>', 'trace this block of the grid')
    .option('--trace-lines <a..b>', 'trace these lines of the PTX text')
    .option('--job <file>', 'a job as JSON, - for stdin')
    .option('--timeout <seconds>', 'end a kernel that runs longer')
    .option('--budget <instructions>', 'end a kernel that executes more')
    .action(async (file: string | undefined, _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<RunFlags>();
      finish(await (await import('./run.ts')).runCommand(file, flags));
    });
  examples(
    command,
    'ptxlab run saxpy.ptx --grid 16 --block 256 --arg u32:4096 --arg f32:2 --arg x.npy --arg y.npy --out 3:y.npy',
    'ptxlab run --job job.json',
  );
}

function defineExplain(program: Command, finish: Finish): void {
  const command = program
    .command('explain')
    .description('Explain an instruction, a literal or a diagnostic code.')
    .argument('<text...>', 'an instruction or mnemonic, 0f3F800000, PTX2030')
    .option('-t, --target <name>', 'meaning on this target; old ones flush subnormals')
    .option('--isa <version>', 'meaning in this PTX version')
    .option('--json', 'write JSON')
    .option('--ascii', 'draw without box characters')
    .action(async (text: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<ExplainFlags>();
      finish(await (await import('./explain.ts')).explainCommand(text.join(' '), flags));
    });
  examples(
    command,
    'ptxlab explain cvt.rs.satfinite.e4m3x4.f32',
    "ptxlab explain 'cvt.rn.bf16x2.f32 %r1, %f1, %f2;'",
    'ptxlab explain 0f3F800000',
    'ptxlab explain PTX2030',
  );
}

function defineForms(program: Command, finish: Finish): void {
  const command = program
    .command('forms')
    .description('List the instruction forms, or the matrix of conversions.')
    .option('--opcode <name>', 'only this opcode')
    .option('-t, --target <name>', 'only what this target has')
    .option('--isa <version>', 'only what this PTX version has')
    .option('--matrix', 'which types convert to which, and whether a rounding is written')
    .option('--json', 'write JSON')
    .action(async (_: unknown, self: Command) => {
      const flags = self.optsWithGlobals<FormsFlags>();
      finish(await (await import('./forms.ts')).formsCommand(flags));
    });
  examples(
    command,
    'ptxlab forms',
    'ptxlab forms --opcode cvt --target sm_90',
    'ptxlab forms --matrix --target sm_100a',
  );
}

function defineSweep(program: Command, finish: Finish): void {
  const command = program
    .command('sweep')
    .description('Convert a whole range of inputs, and print digests of the results.')
    .argument('[instructions...]', 'mnemonics of conversions; those of the file of --expect unless given')
    .option('--chunks <a..b>', 'only these chunks of 2^24 inputs')
    .option('--expect <file>', 'compare with the digests of a file')
    .option('--published', 'compare with the digests that come with ptxlab')
    .option('--out <file>', 'keep digests in a file, and go on where it ends')
    .option('--threads <count>', 'threads; one a core unless given')
    .option('--rbits <hex>', 'random bits of .rs; 0 unless given')
    .option('--scale <hex>', 'scale factors of .scaled; 7f7f, two factors of one, unless given')
    .option('-t, --target <name>', 'judge for this target; any unless given')
    .option('--isa <version>', 'judge by this PTX version; the newest unless given')
    .option('--json', 'write JSON, one line an instruction')
    .action(async (instructions: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<SweepFlags>();
      finish(await (await import('./sweep.ts')).sweepCommand(instructions, flags));
    });
  examples(
    command,
    'ptxlab sweep cvt.rn.satfinite.e4m3x2.f32',
    'ptxlab sweep cvt.rn.f16.f32 --chunks 60..67',
    'ptxlab sweep --published cvt.rn.bf16.f32',
    'ptxlab sweep cvt.rn.bf16x2.f32 --out digests.json',
  );
}

function defineConvert(program: Command, finish: Finish): void {
  const command = program
    .command('convert')
    .description('Convert the floating-point tensors of a file; the new one may be of another container.')
    .argument('[files...]', 'the file, and the one to be made; its ending says what it is to be')
    .option('--to <format>', 'e4m3, e5m2, f16, bf16, …; mxfp8, mxfp6, mxfp4, nvfp4; for GGUF also q8_0')
    .option('--only <glob>', 'only tensors of such names; repeated', collect)
    .option('--keep <glob>', 'tensors that stay as they are; repeated', collect)
    .option('--scale <of>', 'f32 scales beside e4m3, e5m2, s8, s4, s2: tensor, row, or block of 128 x 128')
    .option('--scale-rule <rule>', 'how mx scales are made: floor, as OCP has it, or up')
    .option('--rounding <mode>', 'rn unless given; rs with --seed')
    .option('--seed <number>', 'for --rounding rs')
    .option('--semantics <stack>', 'whose conversion it is: ptx unless given, ocp, ml_dtypes, torch')
    .option('--no-saturate', 'values beyond the format become infinity or NaN where the stack allows it')
    .option('--force', 'replace a file of that name')
    .option('--resume', 'go on with what an interrupted run left')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--dtype <type>', 'what the elements of a raw file are')
    .option('--shape <extents>', 'the extents of a raw file: 1024,1024')
    .option('--json', 'write JSON')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<ConvertFlags>();
      finish(await (await import('./convert.ts')).convertCommand(files, flags));
    });
  examples(
    command,
    'ptxlab convert model.safetensors model-e4m3.safetensors --to e4m3 --scale row',
    "ptxlab convert model.safetensors model-nvfp4.safetensors --to nvfp4 --keep '*norm*' --keep '*embed*'",
    'ptxlab convert model.safetensors model.gguf --to q8_0',
    'ptxlab convert weights.npy weights.bin --to e2m1 --rounding rs --seed 7',
  );
}

function defineInspect(program: Command, finish: Finish): void {
  const command = program
    .command('inspect')
    .description('Show what is in tensor files: safetensors, .npy, .npz, GGUF, raw.')
    .argument('[files...]', 'tensor files, or the index of a model in shards')
    .option('--only <glob>', 'only tensors of such names; repeated', collect)
    .option('--no-stats', 'read headers only, no data')
    .option('--histogram', 'all numbers of each tensor, and a line for each power of two')
    .option('--dtype <type>', 'what the elements of a raw file are')
    .option('--shape <extents>', 'the extents of a raw file: 1024,1024')
    .option('--json', 'write JSON')
    .option('--ascii', 'draw without block characters')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<InspectFlags>();
      finish(await (await import('./inspect.ts')).inspectCommand(files, flags));
    });
  examples(
    command,
    'ptxlab inspect model.safetensors',
    "ptxlab inspect --histogram --only '*.q_proj.weight' model.safetensors",
    'ptxlab inspect --no-stats model.safetensors.index.json',
    'ptxlab inspect --dtype bf16 --shape 4096,4096 weights.bin',
  );
}

function defineDiff(program: Command, finish: Finish): void {
  const command = program
    .command('diff')
    .description('Compare the tensors of two files by value; scales are applied, types may differ.')
    .argument('[files...]', 'two tensor files; errors are those of the second')
    .option('--only <glob>', 'only tensors of such names; repeated', collect)
    .option('--max-abs <error>', 'exit 1 where |a - b| is larger')
    .option('--max-rel <error>', 'exit 1 where |a - b| / |a| is larger')
    .option('--min-sqnr <decibels>', 'exit 1 where the signal to noise ratio of a tensor is lower')
    .option('--details <count>', 'tensors shown in detail, the worst first; 3 unless given')
    .option('--worst <count>', 'elements shown of each of them; 5 unless given')
    .option('--html <file>', 'write a report with charts')
    .option('--dtype <type>', 'what the elements of raw files are')
    .option('--shape <extents>', 'the extents of raw files: 1024,1024')
    .option('--json', 'write JSON')
    .option('--ascii', 'draw without block characters')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<DiffFlags>();
      finish(await (await import('./diff.ts')).diffCommand(files, flags));
    });
  examples(
    command,
    'ptxlab diff model.safetensors model-e4m3.safetensors',
    'ptxlab diff --min-sqnr 30 --html report.html model.safetensors model-mxfp4.gguf',
    "ptxlab diff --only '*.q_proj.*' --details 10 before.safetensors after.safetensors",
  );
}
