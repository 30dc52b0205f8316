/** A caller's mistake, as opposed to an error in a PTX program. `code` is stable; the message is for humans. */
export class PtxlabError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PtxlabError';
    this.code = code;
  }
}
