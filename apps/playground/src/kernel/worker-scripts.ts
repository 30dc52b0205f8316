/** The URLs of the built worker scripts. */
export { default as documentScript } from './document-worker.ts?worker&url';
export { default as labScript } from './lab-worker.ts?worker&url';
