/** The VS Code extension: starts the ptxlab language server and registers the extension's commands. */
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { instructionOn, kernelAt, suggestedLaunch, targetOf } from './places.ts';

/** A kernel is stopped after this many seconds, unless the user enters another `--timeout` option. */
const longestRun = 60;

/** The languages that the server supports: PTX, and the languages whose inline assembly it reads. */
const documentSelector = ['ptx', 'cuda-cpp', 'cuda', 'cpp', 'c', 'python'].map((language) => ({ language }));

let client: LanguageClient | null = null;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('PTX');
  const run = (args: readonly string[]): void => show(output, context, args);
  const commands: Readonly<Record<string, (editor: vscode.TextEditor) => unknown>> = {
    'ptxlab.explain': (editor) => explain(editor, run),
    'ptxlab.evaluate': async (editor) => await evaluate(editor, run),
    'ptxlab.run': async (editor) => await runKernel(editor, run),
  };
  for (const [name, action] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerTextEditorCommand(name, action));
  }
  context.subscriptions.push(output, ...targetItem(), vscode.workspace.onDidOpenTextDocument(leaveXml));
  vscode.workspace.textDocuments.forEach(leaveXml);
  client = startedBy(context);
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** PreTeXt documents have the same file extension, but are XML. */
function leaveXml(document: vscode.TextDocument): void {
  if (document.languageId === 'ptx' && /^\ufeff?\s*</.test(document.getText())) {
    void vscode.languages.setTextDocumentLanguage(document, 'xml');
  }
}

function ownProgram(context: vscode.ExtensionContext): string {
  return context.asAbsolutePath('dist/bin/ptxlab.js');
}

function chosenProgram(): string {
  return vscode.workspace.getConfiguration('ptxlab').get('path', '');
}

function startedBy(context: vscode.ExtensionContext): LanguageClient {
  const path = chosenProgram();
  const server =
    path === ''
      ? { module: ownProgram(context), args: ['lsp'], transport: TransportKind.stdio }
      : { command: path, args: ['lsp'] };
  return new LanguageClient('ptxlab', 'PTX', server, { documentSelector });
}

/** Runs ptxlab and shows what it prints. */
function show(output: vscode.OutputChannel, context: vscode.ExtensionContext, args: readonly string[]): void {
  const path = chosenProgram();
  const [program, first] = path === '' ? [process.execPath, [ownProgram(context)]] : [path, []];
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', NO_COLOR: '1' };
  output.clear();
  output.show(true);
  output.appendLine(`ptxlab ${args.join(' ')}\n`);
  execFile(program, [...first, ...args], { env, maxBuffer: 64e6 }, (_, stdout, stderr) =>
    output.append(stdout + stderr),
  );
}

type Run = (args: readonly string[]) => void;

function instructionAt(editor: vscode.TextEditor): string | null {
  const instruction = instructionOn(editor.document.lineAt(editor.selection.active.line).text);
  if (instruction === null) void vscode.window.showInformationMessage('The cursor is not on an instruction.');
  return instruction;
}

function explain(editor: vscode.TextEditor, run: Run): void {
  const instruction = instructionAt(editor);
  if (instruction !== null) run(['explain', instruction]);
}

async function evaluate(editor: vscode.TextEditor, run: Run): Promise<void> {
  const [mnemonic] = instructionAt(editor)?.split(/[\s;]/) ?? [];
  if (mnemonic === undefined) return;
  const prompt = `Inputs of ${mnemonic}, in operand order`;
  const inputs = await vscode.window.showInputBox({ prompt, placeHolder: '1.5 -3 nan 0x3f800000' });
  if (inputs !== undefined) run(['eval', '--explain', mnemonic, ...words(inputs)]);
}

async function runKernel(editor: vscode.TextEditor, run: Run): Promise<void> {
  const { document, selection } = editor;
  const kernel = kernelAt(document.getText(), document.offsetAt(selection.active));
  if (kernel === null) {
    void vscode.window.showInformationMessage('This module has no kernel.');
    return;
  }
  const prompt = `ptxlab run options for launching ${kernel.name}`;
  const options = await vscode.window.showInputBox({ prompt, value: suggestedLaunch(kernel) });
  if (options === undefined || !(await document.save())) return;
  run(['run', document.fileName, '--entry', kernel.name, '--timeout', String(longestRun), ...words(options)]);
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Shows the target of the module in the status bar. */
function targetItem(): readonly vscode.Disposable[] {
  const item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right);
  item.tooltip = 'The target of the PTX module';
  const update = (): void => {
    const document = vscode.window.activeTextEditor?.document;
    const target = document?.languageId === 'ptx' ? targetOf(document.getText()) : null;
    item.text = target ?? '';
    if (target === null) item.hide();
    else item.show();
  };
  update();
  return [item, vscode.window.onDidChangeActiveTextEditor(update), vscode.workspace.onDidSaveTextDocument(update)];
}
