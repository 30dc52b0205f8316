/** The addresses of the built workers. */
export { default as documentScript } from './document-worker.ts?worker&url';
export { default as labScript } from './lab-worker.ts?worker&url';
