/**
 * The language service: a document that is edited and answers questions about its text. It knows no protocol and no
 * platform.
 *
 * @module
 */
import './base/platform-types.ts';

export { Document } from './analysis/document.ts';
