/** The limits of a server. Sizes are in bytes. */
export interface Limits {
  /** Number of seconds that a launch may run. */
  readonly timeout: number;
  /** Memory of one device. */
  readonly memory: number;
  /** The maximum size of a message. The same limit applies to the text that one launch prints. */
  readonly message: number;
  /** The maximum size of a shared file, or of the part of it that a request refers to. */
  readonly file: number;
  readonly devices: number;
  /** Modules of one device. */
  readonly modules: number;
  /** Number of requests that may wait for a response. */
  readonly requests: number;
}

export const defaultLimits: Limits = {
  timeout: 60,
  memory: 2 ** 30,
  message: 2 ** 26,
  file: 2 ** 30,
  devices: 16,
  modules: 1024,
  requests: 65_536,
};
