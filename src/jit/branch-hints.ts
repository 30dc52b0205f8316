/**
 * The exports of `#branch-hints`, which package.json maps to hosts/node-branch-hints.ts in Node, and to
 * hosts/browser-branch-hints.ts elsewhere.
 */

/**
 * Makes the WebAssembly engine use the branch hints of modules that are compiled after this call, if it supports them.
 */
export declare function readBranchHints(): void;
