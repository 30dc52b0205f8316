/** Declares the commands for PTX; the implementation of a command is loaded when the command is run. */
import { type Command, Option } from 'commander';
import { collect, examples, type Start } from './command-parts.ts';
import type { CheckFlags } from './check.ts';
import type { EvalFlags } from './eval.ts';
import type { ExplainFlags } from './explain.ts';
import type { FormsFlags } from './forms.ts';
import type { RunFlags } from './run.ts';
import type { ServeFlags } from './serve.ts';
import type { SweepFlags } from './sweep.ts';
import type { TestFlags } from './test.ts';

export function defineCheck(program: Command, start: Start): void {
  const command = program
    .command('check')
    .description('Check PTX modules as strictly as ptxas.')
    .argument(
      '[files...]',
      'PTX files, or folders with such files; CUDA C++ and Python files with inline PTX; - for stdin',
    );
  checkChoiceOptions(command)
    .option('--stdin-name <name>', 'the name to show for stdin in findings')
    .option('--baseline <file>', 'leave out findings that this file accepts')
    .option('--update-baseline', 'write all findings to the baseline file instead of reporting them')
    .option('--batch', 'answer NDJSON requests from stdin, one module per line')
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<CheckFlags>();
      await start(async (session) => (await import('./check.ts')).checkCommand(files, flags, session));
    });
  examples(
    command,
    'ptxlab check kernel.ptx',
    'ptxlab check --target sm_80,sm_100a kernel.ptx',
    'ptxlab check kernel.cu triton_kernels.py',
    'ptxlab check build/',
    'nvcc -ptx -o - kernel.cu | ptxlab check -Werror --format github -',
  );
}

/** Declares the options of `check` that determine which findings are written, and in which format. */
export function checkChoiceOptions(command: Command): Command {
  return command
    .option('-t, --target <names>', "check for these targets (sm_80,sm_90a) instead of the module's own")
    .option('--isa <version>', "check for this PTX version instead of the module's own")
    .addOption(
      new Option('-f, --format <format>', 'output format')
        .choices(['pretty', 'ptxas', 'json', 'sarif', 'github', 'junit'])
        .default('pretty'),
    )
    .addOption(new Option('-W <kind>', 'treat warnings as errors').choices(['error']))
    .option('--all', 'pretty: show every finding, even those with the same code')
    .option('--source', "show the source line of each finding, from the module's .loc");
}

export function defineLsp(program: Command, start: Start): void {
  const command = program
    .command('lsp')
    .description('Run a language server for editors on stdin and stdout.')
    .option('--stdio', 'use stdin and stdout; this is the default, and no other transport is supported')
    .addOption(new Option('--clientProcessId <id>', 'the process ID of the editor, which VS Code passes').hideHelp())
    .action(async () => {
      await start(async (session) => (await import('./lsp.ts')).lspCommand(session));
    });
  examples(command, 'ptxlab lsp');
}

export function defineEval(program: Command, start: Start): void {
  const command = program
    .command('eval')
    .description('Evaluate one instruction on given operands, bit for bit.')
    .argument('[instruction]', 'a mnemonic such as cvt.rn.satfinite.e4m3x2.f32')
    .argument('[operands...]', 'inputs in instruction order: 1.5, -3, nan, 0x3f800000, 0f3F800000')
    .option('-t, --target <name>', 'the target; any target by default')
    .option('--isa <version>', 'the PTX version; the newest by default')
    .option('--a <list>', 'for mma and wmma.mma: a row of A, separated by commas')
    .option('--b <list>', 'a column of B')
    .option('--c <value>', 'the element of C; 0 by default')
    .option('--scale-a <list>', 'scales, one for each block in the row of A; 1 by default')
    .option('--scale-b <list>', 'scales, one for each block in the column of B; 1 by default')
    .option('--gpu <name>', 'the GPU whose arithmetic to use, such as sm_90 or H100; the newest by default')
    .option('--explain', 'show the exact value, its neighbors and why one was chosen')
    .option('--json', 'write JSON')
    .option('--batch', 'answer NDJSON requests from stdin')
    .allowUnknownOption()
    .action(async (instruction: string | undefined, operands: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<EvalFlags>();
      await start(async (session) => (await import('./eval.ts')).evalCommand(instruction, operands, flags, session));
    });
  examples(
    command,
    'ptxlab eval cvt.rn.satfinite.e4m3x2.f32 1.5 -0.1',
    'ptxlab eval --explain cvt.rn.f16.f32 0.1',
    'ptxlab eval cvt.rs.f16x2.f32 0x3dcccccd 0x3e4ccccd 0x00010002',
    'ptxlab eval mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 --gpu V100 --a 1,2,3,4 --b 0.5,0.25,1,0x3c00 --c 1',
  );
}

export function defineRun(program: Command, start: Start): void {
  const command = program
    .command('run')
    .description('Run a kernel on the CPU.')
    .argument('[file]', 'a PTX file, or - for stdin')
    .option('--entry <name>', 'the kernel; optional if the module has only one')
    .option('--grid <x,y,z>', 'number of blocks')
    .option('--block <x,y,z>', 'threads per block')
    .option('--cluster <x,y,z>', 'blocks per cluster; by default, the number that the kernel requires')
    .option('--shared <bytes>', 'size of the dynamic shared memory')
    .option('--cooperative', 'cooperative launch: the whole grid can synchronize')
    .option('--lockstep', 'let the threads of a warp perform all accesses in lockstep')
    .option(
      '--arg <value>',
      'an argument; repeat it for each parameter, in order: 5, 1.5, u32:5, f32:1.5, f32[]:1,2, in.npy, zeros:4096, zeros:f32[8,8], hex:..., file:...',
      collect,
      [],
    )
    .option('--out <index:file>', 'write a buffer argument to a file after the launch; can be repeated', collect, [])
    .option('--force', 'replace existing files')
    .option('-t, --target <name>', "the target, instead of the module's own")
    .option('--gpu <name>', 'the GPU whose arithmetic to use, such as sm_90 or H100; by default, the GPU of the target')
    .addOption(new Option('--engine <engine>', 'the engine to run on').choices(['jit', 'interp']))
    .option('--races', 'find data races, and end with exit code 1 if there are any')
    .option('--strict-races', 'like --races, and also report races of two stores of the same value')
    .option('--workers <count>', 'worker threads for the fast engine; 0, the default, runs all blocks on one thread')
    .option('--unchecked', 'skip memory checks')
    .option('--memory <bytes>', 'size of the device memory; 1 GiB by default')
    .option('--trace', 'print every instruction that thread 0 of block 0 executes, with the values of its registers')
    .option('--trace-thread <x,y,z>', 'trace this thread of the block')
    .option('--trace-block <x,y,z>', 'trace this block of the grid')
    .option('--trace-lines <a..b>', 'trace these lines of the PTX text')
    .option('--job <file>', 'a JSON file that describes the launch, or - for stdin')
    .addOption(
      new Option('--unsupported <what>', 'how to treat instructions that ptxlab cannot run').choices([
        'refuse',
        'fault',
      ]),
    )
    .option('--timeout <seconds>', 'stop a kernel that runs longer than this')
    .option(
      '--budget <instructions>',
      'stop a kernel that executes more than this number of instructions in all threads together',
    )
    .option('--print-limit <bytes>', 'maximum output of printf; 64 MiB by default')
    .action(async (file: string | undefined, _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<RunFlags>();
      await start(async (session) => (await import('./run.ts')).runCommand(file, flags, session));
    });
  examples(
    command,
    'ptxlab run saxpy.ptx --grid 16 --block 256 --arg u32:4096 --arg f32:2 --arg x.npy --arg y.npy --out 3:z.npy',
    'ptxlab run --job job.json',
  );
}

export function defineTest(program: Command, start: Start): void {
  const command = program
    .command('test')
    .description('Run kernels on the CPU and compare their results with expected ones.');
  testChoiceOptions(command)
    .option('--update', 'overwrite the expected files that differ with the actual results')
    .option('--watch', 'run again after each change')
    .action(async (paths: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<TestFlags>();
      await start(async (session) => (await import('./test.ts')).testCommand(paths, flags, session));
    });
  examples(
    command,
    'ptxlab test',
    "ptxlab test --filter 'softmax*' kernels.ptxtest.json",
    'ptxlab test --format junit tests > results.xml',
  );
}

/**
 * Declares the argument that specifies the suites, and the options that determine which tests run and what is written.
 */
export function testChoiceOptions(command: Command): Command {
  return command
    .argument('[paths...]', 'suites (*.ptxtest.json, *.ptxtest.mjs) or folders; the working directory by default')
    .addOption(
      new Option('-f, --format <format>', 'output format').choices(['table', 'junit', 'tap', 'json']).default('table'),
    )
    .option('--filter <glob>', 'only tests whose names match');
}

export function defineExplain(program: Command, start: Start): void {
  const command = program
    .command('explain')
    .description('Explain an instruction, a type, a target, a GPU, a literal or a diagnostic code.')
    .argument('<text...>', 'an instruction or mnemonic, 0f3F800000, PTX2030')
    .option('-t, --target <name>', 'explain for this target (old targets, for example, flush subnormals)')
    .option('--isa <version>', 'explain for this PTX version')
    .option('--json', 'write JSON')
    .option('--ascii', 'draw without box characters')
    .action(async (text: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<ExplainFlags>();
      await start(async (session) => (await import('./explain.ts')).explainCommand(text.join(' '), flags, session));
    });
  examples(
    command,
    'ptxlab explain cvt.rs.satfinite.e4m3x4.f32',
    "ptxlab explain 'cvt.rn.bf16x2.f32 %r1, %f1, %f2;'",
    'ptxlab explain mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32',
    'ptxlab explain 0f3F800000',
    'ptxlab explain sm_120f',
    'ptxlab explain PTX2030',
  );
}

export function defineForms(program: Command, start: Start): void {
  const command = program
    .command('forms')
    .description('List the instruction forms, or the matrix of conversions.')
    .option('--opcode <name>', 'only this opcode')
    .option('-t, --target <name>', 'list only what this target supports')
    .option('--isa <version>', 'list only what this PTX version supports')
    .option('--matrix', 'show which types convert to which, and which conversions need a rounding modifier')
    .option('--json', 'write JSON')
    .action(async (_: unknown, self: Command) => {
      const flags = self.optsWithGlobals<FormsFlags>();
      await start(async (session) => (await import('./forms.ts')).formsCommand(flags, session));
    });
  examples(
    command,
    'ptxlab forms',
    'ptxlab forms --opcode cvt --target sm_90',
    'ptxlab forms --matrix --target sm_100a',
  );
}

export function defineGraph(program: Command, start: Start): void {
  const command = program
    .command('graph')
    .description('Draw the control flow of a kernel or function as SVG.')
    .argument('<file>', 'a PTX file, or - for stdin')
    .argument('[function]', 'the name of the function, mangled or as in C++; optional if the module has only one')
    .action(async (file: string, name: string | undefined) => {
      await start(async (session) => (await import('./graph.ts')).graphCommand(file, name, session));
    });
  examples(
    command,
    'ptxlab graph kernel.ptx > kernel.svg',
    "ptxlab graph kernels.ptx 'scale(float*, int)' > scale.svg",
  );
}

/** Declares the options that determine what a sweep computes. */
export function sweepChoiceOptions(command: Command): Command {
  return command
    .option('--chunks <a..b>', 'process only these chunks of 2^24 inputs each')
    .option('--rbits <hex>', 'random bits for .rs; 0 by default')
    .option('--scale <hex>', 'scale factors for .scaled; factors of 1 by default: 7f7f or 7f')
    .option('-t, --target <name>', 'the target; any target by default')
    .option('--isa <version>', 'the PTX version; the newest by default');
}

export function defineSweep(program: Command, start: Start): void {
  const command = program
    .command('sweep')
    .description('Convert a whole range of inputs and print digests of the results.')
    .argument('[instructions...]', 'mnemonics of conversions; by default those in the --expect file');
  sweepChoiceOptions(command)
    .option('--expect <file>', 'compare with the digests in a file')
    .option('--published', 'compare with the digests that come with ptxlab')
    .option('--out <file>', 'write digests to a file, continuing after those already in it')
    .option('--threads <count>', 'number of threads; one per core by default')
    .option('--json', 'write JSON, one line per instruction')
    .action(async (instructions: readonly string[], _: unknown, self: Command) => {
      const flags = self.optsWithGlobals<SweepFlags>();
      await start(async (session) => (await import('./sweep.ts')).sweepCommand(instructions, flags, session));
    });
  examples(
    command,
    'ptxlab sweep cvt.rn.satfinite.e4m3x2.f32',
    'ptxlab sweep cvt.rn.f16.f32 --chunks 60..67',
    'ptxlab sweep --published cvt.rn.bf16.f32',
    'ptxlab sweep cvt.rn.bf16x2.f32 --out digests.json',
  );
}

/**
 * Declares the `ptxas` command so that the help lists it. The command itself is run by `command-line.ts`, before
 * commander reads the options.
 */
export function definePtxas(program: Command): void {
  program
    .command('ptxas')
    .description('Accept the command line of ptxas and verify PTX, without generating machine code.');
}

export function defineServe(program: Command, start: Start): void {
  const command = program
    .command('serve')
    .description('Answer JSON-RPC requests on stdin and stdout, for other programs.')
    .option('--timeout <seconds>', 'maximum time of a launch; 60 by default')
    .option('--memory <bytes>', 'maximum memory of a device; 1 GiB by default')
    .option('--message-limit <bytes>', 'maximum size of a message; 64 MiB by default')
    .option('--file-limit <bytes>', 'maximum size of a shared file; 1 GiB by default')
    .action(async (_: unknown, self: Command) => {
      const flags = self.optsWithGlobals<ServeFlags>();
      await start(async (session) => (await import('./serve.ts')).serveCommand(flags, session));
    });
  examples(command, 'ptxlab serve', 'ptxlab serve --timeout 5 --memory 268435456');
}
