/** Errors of the protocol, and the JSON-RPC codes for errors of the library. */
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { PtxlabError } from '../../base/error.ts';
import { SourceText } from '../../base/source-text.ts';
import { RefusedModuleError, UnsupportedInstructionsError } from '../../device.ts';
import { diagnosticRecord } from '../../diagnostics/renderers/json.ts';
import { UsageError } from '../exit.ts';

/** The error for a request that the protocol does not allow. Programs can rely on `code`, which never changes. */
export class RequestError extends PtxlabError {
  readonly number: number;

  constructor(code: keyof typeof numbers, message: string) {
    super(code, message);
    this.name = 'RequestError';
    this.number = numbers[code];
  }
}

/** Errors, in the order in which `docs/serve.md` lists them. */
const numbers = {
  'bad-params': -32_602,
  'unknown-handle': -32_003,
  'limit-exceeded': -32_004,
  'bad-file': -32_005,
  cancelled: -32_800,
} as const;

const ofLibrary = -32_000;
const refusedModule = -32_001;
const unsupported = -32_002;

/** The error response to a request that failed. `data.code` is the stable code of the error. */
export function responseError(error: unknown, source: string): ResponseError<object> {
  if (error instanceof RefusedModuleError) {
    const text = new SourceText(source, '<source>');
    const diagnostics = error.report.diagnostics.map((found) => diagnosticRecord(text, found));
    return new ResponseError(refusedModule, error.message, { code: error.code, diagnostics });
  }
  if (error instanceof UnsupportedInstructionsError) {
    const { code, instructions } = error;
    return new ResponseError(unsupported, error.message, { code, instructions });
  }
  if (error instanceof PtxlabError) {
    const number = error instanceof RequestError ? error.number : ofLibrary;
    return new ResponseError(number, error.message, { code: error.code });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return new ResponseError(ErrorCodes.InvalidParams, message, { code: 'bad-params' });
  return new ResponseError(ErrorCodes.InternalError, `internal error: ${message}`, { code: 'internal' });
}
