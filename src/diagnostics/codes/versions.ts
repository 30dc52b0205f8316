/** PTX4xxx: versions and targets. */
import type { CatalogEntry } from './entry.ts';

export const versions = {
  PTX4001: {
    severity: 'error',
    title: 'needs a newer PTX version',
    message: '{subject} needs .version {needed} or later; this module is {found}',
    ptxas: "Feature '{subject}' requires PTX ISA .version {needed} or later",
    section: '12',
    explain: 'Raise the .version of the module, provided that your driver and ptxas support that version.',
  },
  PTX4002: {
    severity: 'error',
    title: 'not on this target',
    message: '{subject} needs {needed}; this module is for {found}',
    ptxas: "Feature '{subject}' requires .target {needed}",
    section: '11.1.2',
    explain:
      'Other architectures have this feature. A target with suffix a includes the features of one chip, a target with suffix f includes the features of its family, and a target without a suffix includes neither.',
  },
  PTX4003: {
    severity: 'error',
    title: 'feature not available on this target in this version',
    message: '{subject} needs {needed}; this module is .version {version} for {found}',
    ptxas: "Feature '{subject}' not supported on .target '{found}'",
    section: '11.1.2',
    explain: 'Raise the version, change the target, or both.',
  },
  PTX4004: {
    severity: 'error',
    title: 'no longer in this version',
    message: '{subject} was removed in .version {last}; this module is .version {found}',
    ptxas: "Feature '{subject}' not supported in PTX ISA .version {last} or later",
    section: '11.1.1',
    explain: 'Earlier versions of PTX had this feature, or did not yet require a modifier that is mandatory now.',
  },
  PTX4010: {
    severity: 'error',
    title: 'no such version',
    message: 'there is no PTX version {found}',
    ptxas: "Unsupported .version {found}; current version is '9.1'",
    section: '11.1.1',
    explain: 'NVIDIA never released this version of PTX.',
  },
  PTX4011: {
    severity: 'warning',
    title: 'version newer than known',
    message:
      'PTX {found} is newer than {known}, the newest version this release of ptxlab knows; the module is checked by the rules of {known}',
    ptxas: "Unsupported .version {found}; current version is '{known}'",
    section: '11.1.1',
    explain:
      'Features added in the newer version are reported as errors, and features that this version changed may be checked incorrectly.',
  },
  PTX4012: {
    severity: 'error',
    title: 'no such target',
    message: "'{found}' is not a PTX target",
    ptxas: "Unsupported .target '{found}'",
    section: '11.1.2',
    explain:
      'The .target directive takes an architecture such as sm_90 or sm_90a, followed by platform options. If it names several architectures, the last one applies.',
  },
  PTX4013: {
    severity: 'error',
    title: 'target newer than version',
    message: '{found} needs .version {needed} or later; this module is {version}',
    ptxas: 'PTX .version {version} does not support .target {found}',
    section: '11.1.2',
    explain: 'Each architecture was added in a certain version of PTX and is unknown to earlier versions.',
  },
  PTX4016: {
    severity: 'error',
    title: 'no architecture',
    message: ".target must begin with an architecture such as sm_90, not with '{found}'",
    ptxas: 'Target architecture not defined at start of file',
    section: '11.1.2',
    explain: 'The first name in .target is an architecture; platform options follow it.',
  },
  PTX4017: {
    severity: 'error',
    title: 'conflicting .target options',
    message: "'{found}' contradicts '{other}'",
    ptxas: "Conflicting .target option '{found}'",
    section: '11.1.2',
    explain:
      'A module uses textures and samplers either together (texmode_unified) or separately (texmode_independent).',
  },
  PTX4019: {
    severity: 'error',
    title: 'address size not supported',
    message: 'addresses are 32 or 64 bits wide, not {found}',
    ptxas: 'Illegal value for .address_size directive (must be 32 or 64)',
    section: '11.1.3',
    explain: ".address_size gives the width of the module's addresses in bits.",
  },
  PTX4020: {
    severity: 'error',
    title: 'debug information missing',
    message: ".target lists 'debug', but the module has no debug information section",
    ptxas: 'Debug information not found in presence of .target debug',
    section: '11.1.2',
    explain: 'A module with debug in its .target must contain DWARF data, in a .section or in @@DWARF lines.',
  },
  PTX4021: {
    severity: 'warning',
    title: '32-bit addresses',
    message: 'this module has 32-bit addresses; ptxas no longer compiles such modules for {target}',
    ptxas: '32-Bit compilation is no longer supported',
    section: '11.1.3',
    explain:
      "32-bit addresses are legal PTX, but ptxas 13.0 does not compile them for any of its targets (sm_75 and later). Add '.address_size 64' and use 64-bit registers for addresses.",
  },
} as const;

versions satisfies Readonly<Record<string, CatalogEntry>>;
