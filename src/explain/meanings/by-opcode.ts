/** The meanings of modifiers in opcodes where these meanings differ from the general ones. */

export interface OpcodeMeanings {
  /** Opcodes, or their first words: `redux` stands for all opcodes that begin with it. */
  readonly opcodes: readonly string[];
  readonly meanings: Readonly<Record<string, string>>;
}

/** If two rows match an opcode, the first one applies. */
export const meaningsByOpcode: readonly OpcodeMeanings[] = [
  {
    opcodes: ['setp', 'set'],
    meanings: {
      '.lo': 'less than, as unsigned integers',
      '.hi': 'greater than, as unsigned integers',
      '.and': 'both the comparison and the predicate hold',
      '.or': 'the comparison or the predicate holds',
      '.xor': 'either the comparison or the predicate holds, but not both',
    },
  },
  {
    opcodes: ['lop3'],
    meanings: {
      '.and': 'the result is not 0, and the predicate holds',
      '.or': 'the result is not 0, or the predicate holds',
      '.xor': 'either the result is not 0 or the predicate holds, but not both',
    },
  },
  {
    opcodes: ['cvt'],
    meanings: { '.ftz': 'subnormal f32 inputs and results become zeros with the same sign' },
  },
  {
    opcodes: ['wgmma', 'setmaxnreg'],
    meanings: { '.aligned': 'all threads of the warpgroup execute the same instruction' },
  },
  {
    opcodes: ['mul24', 'mad24'],
    meanings: {
      '.lo': 'the low 32 bits of the 48-bit product',
      '.hi': 'the high 32 bits of the 48-bit product',
    },
  },
  {
    opcodes: ['dp2a'],
    meanings: {
      '.lo': 'takes the two lower bytes of b',
      '.hi': 'takes the two upper bytes of b',
    },
  },
  {
    opcodes: ['madc'],
    meanings: {
      '.lo': 'adds the low half of the product',
      '.hi': 'adds the high half of the product',
    },
  },
  {
    opcodes: ['szext', 'bmsk'],
    meanings: {
      '.clamp': 'positions and widths greater than 32 are treated as 32',
      '.wrap': 'positions and widths are taken modulo 32',
    },
  },
  {
    opcodes: ['suld', 'sust', 'sured'],
    meanings: { '.clamp': 'coordinates outside are moved to the nearest element' },
  },
  {
    opcodes: ['shf'],
    meanings: {
      '.l': 'shifts left and keeps the upper word',
      '.r': 'shifts right and keeps the lower word',
    },
  },
  {
    opcodes: ['vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax', 'vshl', 'vshr', 'vset'],
    meanings: {
      '.add': 'c is added to the result',
      '.min': 'the smaller of the result and c',
      '.max': 'the greater of the result and c',
    },
  },
  {
    opcodes: ['vadd2', 'vsub2', 'vabsdiff2', 'vavrg2', 'vmin2', 'vmax2', 'vset2'].concat([
      'vadd4',
      'vsub4',
      'vabsdiff4',
      'vavrg4',
      'vmin4',
      'vmax4',
      'vset4',
    ]),
    meanings: { '.add': 'the results of all lanes are added to c' },
  },
  {
    opcodes: ['redux'],
    meanings: {
      '.add': 'the sum of the values of all threads of the mask',
      '.min': 'the smallest of the values of all threads of the mask',
      '.max': 'the greatest of the values of all threads of the mask',
      '.and': 'the bitwise and of the values of all threads of the mask',
      '.or': 'the bitwise or of the values of all threads of the mask',
      '.xor': 'the bitwise exclusive or of the values of all threads of the mask',
    },
  },
  {
    opcodes: ['tcgen05.ld.red'],
    meanings: {
      '.min': 'also gives the smallest of the loaded values',
      '.max': 'also gives the greatest of the loaded values',
    },
  },
  {
    opcodes: ['multimem.ld_reduce'],
    meanings: {
      '.add': 'the sum of the values on all devices',
      '.min': 'the smallest of the values on all devices',
      '.max': 'the greatest of the values on all devices',
      '.and': 'the bitwise and of the values on all devices',
      '.or': 'the bitwise or of the values on all devices',
      '.xor': 'the bitwise exclusive or of the values on all devices',
    },
  },
  {
    opcodes: ['mma', 'wmma.mma', 'wgmma.mma_async'],
    meanings: {
      '.and': 'bits are multiplied by and',
      '.xor': 'bits are multiplied by exclusive or',
      '.popc': 'sums count the ones among the products',
    },
  },
  {
    opcodes: ['bar', 'barrier'],
    meanings: {
      '.and': 'whether the predicate holds for all threads',
      '.or': 'whether the predicate holds for at least one of the threads',
      '.popc': 'the number of threads for which the predicate holds',
    },
  },
  {
    opcodes: ['match'],
    meanings: {
      '.all': 'the mask if all threads of it have the same value, otherwise 0',
      '.any': 'the threads of the mask that have the same value',
    },
  },
  {
    opcodes: ['vote'],
    meanings: { '.uni': 'whether the predicate is the same for all threads of the mask' },
  },
  {
    opcodes: ['cp.async.bulk.tensor'],
    meanings: {
      '.cta_group::1': 'the mbarrier object is in the block to which the data goes',
      '.cta_group::2': 'the mbarrier object is in the block to which the data goes, or in the other block of its pair',
    },
  },
  {
    opcodes: ['tcgen05.commit'],
    meanings: { '.multicast::cluster': 'arrives at mbarrier objects in several blocks of the cluster' },
  },
  {
    opcodes: ['tensormap.replace'],
    meanings: { '.tile': 'the tensor map describes boxes of a tensor' },
  },
  {
    opcodes: ['tcgen05.shift'],
    meanings: { '.down': 'rows move down by one' },
  },
  {
    opcodes: ['fence.proxy'],
    meanings: { '.async': 'orders accesses by threads and by asynchronous copies' },
  },
  {
    opcodes: ['prefetch', 'cp.async.bulk.prefetch'],
    meanings: { '.L2': 'to the L2 cache' },
  },
  {
    opcodes: ['isspacep'],
    meanings: {
      '.global': 'whether the address is in global memory',
      '.shared': 'whether the address is in the shared memory of the block',
      '.shared::cta': "whether the address is in the shared memory of the thread's own block",
      '.shared::cluster': 'whether the address is in the shared memory of any block of the cluster',
      '.local': 'whether the address is in memory that belongs to the thread alone',
      '.const': 'whether the address is in constant memory',
      '.param': 'whether the address is that of a parameter',
      '.param::entry': 'whether the address is that of a parameter of the kernel',
    },
  },
];
