/** The matrix page, which keeps the link in its address in sync with what it shows. */
import './matrix/ptx-matrix.ts';
import './shell/page.ts';
import { followLink } from './shell/follow-link.ts';

followLink('ptx-matrix');
