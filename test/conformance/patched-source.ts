/** Compiles the sources with patches applied, to see which files the compiler complains about. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A piece of text in a file of `src`, and its replacement. */
export interface Patch {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

/**
 * Returns the files in `src` that do not compile once the patches have been applied, each with the compiler's messages.
 * Throws if the text of a patch is not found.
 */
export function filesThatFail(patches: readonly Patch[]): ReadonlyMap<string, readonly string[]> {
  const patched = new Map<string, string>();
  for (const { file, find, put } of patches) {
    const path = `${root}src/${file}`;
    const text = patched.get(path) ?? readFileSync(path, 'utf8');
    if (!text.includes(find)) throw new Error(`${file} has no '${find}' any more`);
    patched.set(
      path,
      text.replace(find, () => put),
    );
  }
  const { fileNames, options } = configuration();
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  const program = ts.createProgram({
    rootNames: fileNames.filter((name) => !name.endsWith('.test.ts')),
    options: { ...options, noEmit: true, composite: false, incremental: false, skipLibCheck: true },
    host: Object.assign(host, {
      readFile: (path: string) => patched.get(path) ?? read(path),
      getSourceFile: (path: string, target: ts.ScriptTarget) => {
        const text = patched.get(path) ?? read(path);
        return text === undefined ? undefined : ts.createSourceFile(path, text, target);
      },
    }),
  });
  const found = new Map<string, string[]>();
  for (const { file, messageText } of program.getSemanticDiagnostics()) {
    const name = file?.fileName.replace(`${root}src/`, '') ?? '';
    const message = ts.flattenDiagnosticMessageText(messageText, ' ');
    found.set(name, [...(found.get(name) ?? []), message]);
  }
  return found;
}

function configuration(): ts.ParsedCommandLine {
  const path = `${root}tsconfig.core.json`;
  const { config } = ts.readConfigFile(path, (name) => readFileSync(name, 'utf8')) as { readonly config: unknown };
  return ts.parseJsonConfigFileContent(config, ts.sys, root);
}
