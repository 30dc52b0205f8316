/** PTX6xxx: faults at run time. */
import type { CatalogEntry } from './entry.ts';

export const faults = {
  PTX6001: {
    severity: 'error',
    title: 'out of bounds',
    message: '{access} of {size} bytes at {address} in {space} memory is outside every allocation{near}',
    ptxas: '{access} of {size} bytes at {address} in {space} memory is outside every allocation{near}',
    section: '5.1',
    explain:
      'An access must lie entirely within one allocation, variable or parameter. The message names the nearest allocation. LLVM compiles atomics of 8 and 16 bits to operations on the 32-bit word that contains them, so make buffers for them a multiple of 4 bytes long.',
  },
  PTX6002: {
    severity: 'error',
    title: 'misaligned address',
    message: '{access} of {size} bytes at {address} in {space} memory is not aligned to {size}',
    ptxas: '{access} of {size} bytes at {address} in {space} memory is not aligned to {size}',
    section: '6.4.1.1',
    explain:
      'An address must be a multiple of the access size; a vector access counts as a single access to all its lanes.',
  },
  PTX6003: {
    severity: 'error',
    title: 'use after free',
    message: '{access} of {size} bytes at {address} after {owner}, was freed',
    ptxas: '{access} of {size} bytes at {address} after {owner}, was freed',
    section: '5.1',
    explain: 'The memory was freed before this access.',
  },
  PTX6004: {
    severity: 'error',
    title: 'write to read-only memory',
    message: 'store of {size} bytes at {address}: {space} memory cannot be written{near}',
    ptxas: 'store of {size} bytes at {address}: {space} memory cannot be written{near}',
    section: '5.1.3',
    explain: 'A kernel cannot write to constant memory or to its parameters.',
  },
  PTX6005: {
    severity: 'error',
    title: 'null pointer',
    message:
      '{access} of {size} bytes through a null pointer, at {address}: the first 64 KiB of global memory are never allocated',
    ptxas:
      '{access} of {size} bytes through a null pointer, at {address}: the first 64 KiB of global memory are never allocated',
    section: '5.1',
    explain: 'The address is null, or a small offset from null.',
  },
  PTX6006: {
    severity: 'error',
    title: 'uninitialized memory',
    message:
      '{use} depends on {space} memory that was never written: {size} bytes at {address}, loaded on line {line}{near}',
    ptxas:
      '{use} depends on {space} memory that was never written: {size} bytes at {address}, loaded on line {line}{near}',
    section: '5.1',
    explain:
      'The contents of shared and local memory are undefined at the start of a block. Loading them is harmless, but no branch, address, store to global memory or host call may depend on them. Kernels whose threads exchange values within a warp without synchronizing need the option lockstep.',
  },
  PTX6007: {
    severity: 'error',
    title: 'foreign address',
    message: '{address} is not in the {space} window',
    ptxas: '{address} is not in the {space} window',
    section: '9.7.9.20',
    explain:
      'cvta.to is undefined for a generic address outside the window of the space, other than a null pointer; isspacep tests whether an address is inside.',
  },
  PTX6010: {
    severity: 'error',
    title: 'deadlock',
    message: 'all remaining threads are waiting: {waiting}',
    ptxas: 'all remaining threads are waiting: {waiting}',
    section: '9.7.13.1',
    explain:
      'A barrier releases its threads when the expected number of threads has arrived. It does not wait for threads that have exited, but it does wait for threads that took another path. A loop that only reads shared memory never ends if nobody writes there, as when it waits for the wrong phase of an mbarrier. A data race can cause this as well, if a thread reads what another one has not written yet; `run --races` finds races.',
  },
  PTX6011: {
    severity: 'error',
    title: 'bad barrier',
    message: '{what}',
    ptxas: '{what}',
    section: '9.7.13.1',
    explain:
      'Barriers are numbered 0 to 15. A thread count must be a multiple of 32 and at most the block size, and all threads at a barrier must give the same count.',
  },
  PTX6012: {
    severity: 'error',
    title: 'thread not in its own mask',
    message: 'lane {lane} executes a warp instruction whose member mask {mask} does not include it',
    ptxas: 'lane {lane} executes a warp instruction whose member mask {mask} does not include it',
    section: '9.7.9.6',
    explain:
      'The member mask of shfl, vote, match, redux or elect with .sync must include the thread that executes it; otherwise the behavior is undefined.',
  },
  PTX6013: {
    severity: 'error',
    title: 'stack overflow',
    message:
      "calling '{name}' would need {bytes} bytes of local memory in the thread, which has {limit}; {depth} calls are active",
    ptxas:
      "calling '{name}' would need {bytes} bytes of local memory in the thread, which has {limit}; {depth} calls are active",
    section: '7.1',
    explain:
      "The parameters and local variables of all active calls are in the thread's local memory. Deep recursion uses it up.",
  },
  PTX6014: {
    severity: 'error',
    title: 'bad indirect call',
    message: '{address} is not the address of {expected}',
    ptxas: '{address} is not the address of {expected}',
    section: '9.7.12.5',
    explain:
      'The address in the register must be that of a function in this module. The function must be in the list of targets or, if the call gives a prototype, must have the parameters and return values of the prototype.',
  },
  PTX6015: {
    severity: 'error',
    title: 'branch index out of range',
    message: 'index {index} is out of range: brx.idx has {count} targets',
    ptxas: 'index {index} is out of range: brx.idx has {count} targets',
    section: '9.7.12.4',
    explain:
      'The index of brx.idx must be less than the number of labels in its list; otherwise the behavior is undefined.',
  },
  PTX6020: {
    severity: 'error',
    title: 'instruction budget used up',
    message: 'the kernel did not finish within {budget} instructions, summed over all threads',
    ptxas: 'the kernel did not finish within {budget} instructions, summed over all threads',
    section: '9.3',
    explain: 'The budget stops kernels that never finish. Raise it if the kernel simply needs more instructions.',
  },
  PTX6021: {
    severity: 'error',
    title: 'time used up',
    message: 'the kernel did not finish within {seconds} s',
    ptxas: 'the kernel did not finish within {seconds} s',
    section: '9.3',
    explain:
      'The timeout stops kernels that never finish, and also counts the time to compile them. Raise it if the kernel simply needs more time. Kernels whose threads exchange values within a warp without synchronizing may never finish without the option lockstep.',
  },
  PTX6022: {
    severity: 'error',
    title: 'canceled',
    message: 'the launch was canceled',
    ptxas: 'the launch was canceled',
    section: '9.3',
    explain: 'The caller asked for the launch to stop.',
  },
  PTX6030: {
    severity: 'error',
    title: 'instruction not supported',
    message: "ptxlab cannot run '{what}' yet",
    ptxas: "ptxlab cannot run '{what}' yet",
    section: '9.7',
    explain: 'ptxlab can check this instruction but not run it yet.',
  },
  PTX6031: {
    severity: 'error',
    title: 'trap',
    message: 'the kernel executed trap',
    ptxas: 'the kernel executed trap',
    section: '9.7.19.3',
    explain: 'The kernel executed a trap instruction, which aborts the launch.',
  },
  PTX6032: {
    severity: 'error',
    title: 'assertion failed',
    message: '{file}:{line}: {function}: assertion `{assertion}` failed',
    ptxas: '{file}:{line}: {function}: assertion `{assertion}` failed',
    section: null,
    explain: 'The kernel called __assertfail, as assert in CUDA C++ does when its condition is false.',
  },
  PTX6033: {
    severity: 'error',
    title: 'bad free',
    message: 'free of {address}: {why}',
    ptxas: 'free of {address}: {why}',
    section: null,
    explain:
      'The built-in function free accepts null, or an address that malloc returned and that has not been freed since.',
  },
  PTX6034: {
    severity: 'error',
    title: 'wild access',
    message: 'an unchecked access {what}',
    ptxas: 'an unchecked access {what}',
    section: null,
    explain:
      'Without memory checks, an access is caught only if it is outside all memory, and its location is not known. With workers, misaligned atomic operations are caught as well. Run the kernel with checks to find the location.',
  },
  PTX6035: {
    severity: 'error',
    title: 'bad tensor map',
    message: 'the tensor map {what}',
    ptxas: 'the tensor map {what}',
    section: '9.7.9.25.5',
    explain:
      'Instructions that copy boxes of tensors need a tensor map. The ISA does not say what its 128 bytes contain, so it must be made by the function tensorMap of ptxlab, which takes the place of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, or by tensormap.replace. The map must fit the instruction: its mode, its number of dimensions, and the coordinates.',
  },
  PTX6036: {
    severity: 'error',
    title: 'bad use of tensor memory',
    message: 'tensor memory: {what}',
    ptxas: 'tensor memory: {what}',
    section: '9.7.16',
    explain:
      'Tensor memory must be allocated with tcgen05.alloc before it is used, in units of 32 columns, and a warp can only load and store the 32 lanes that belong to it. The descriptors of tcgen05.mma and tcgen05.cp must describe what the instruction supports: the types, the shape and the layout of the tiles. On a GPU, other uses are undefined or wait forever.',
  },
  PTX6037: {
    severity: 'error',
    title: 'bad texture',
    message: 'the texture or surface {what}',
    ptxas: 'the texture or surface {what}',
    section: '9.7.10',
    explain:
      'A handle must come from Device.texture or Device.surface of ptxlab, and the instruction must name the geometry that it was made with. A surface instruction with .trap ends the launch if it accesses a texel outside of the surface.',
  },
  PTX6038: {
    severity: 'error',
    title: 'data race',
    message: '{what} at {address} is accessed without {missing}: {accesses}',
    ptxas: '{what} at {address} is accessed without {missing}: {accesses}',
    section: '8',
    explain:
      'Accesses of different threads must be ordered if one of them is a store, for example by a barrier between them. Fences together with volatile, relaxed or atomic accesses order them, too, and accesses that are atomic, or strong in a scope that includes both threads, need no order. Bulk copies, st.async, wgmma and tcgen05.mma run asynchronously: other accesses must wait until they are complete, and there must be a fence.proxy.async between a store and an asynchronous operation that reads it. The option lockstep is for code that relies on threads of a warp running together.',
  },
  PTX6040: {
    severity: 'error',
    title: 'device memory used up',
    message: '{what}',
    ptxas: '{what}',
    section: '5.1.4',
    explain: 'The device has a fixed amount of memory, 1 GiB by default.',
  },
} as const;

faults satisfies Readonly<Record<string, CatalogEntry>>;
