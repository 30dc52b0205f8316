/** The matrix page and its address. */
import './matrix/ptx-matrix.ts';
import './shell/page.ts';
import { followLink } from './shell/follow-link.ts';

followLink('ptx-matrix');
