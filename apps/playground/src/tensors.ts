/** The Tensors page. */
import './tensors/ptx-tensors.ts';
import './shell/page.ts';
