/** The steps of forms that ptxlab checks but cannot execute: a launch that may reach one is refused. */
import type { InstructionForm } from '../form.ts';

export const unsupported: InstructionForm['steps'] = ({ mnemonic }) => [{ kind: 'unsupported', what: mnemonic }];
