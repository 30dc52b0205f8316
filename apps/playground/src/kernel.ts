/** The Kernel page. */
import './kernel/ptx-kernel.ts';
import './shell/page.ts';
