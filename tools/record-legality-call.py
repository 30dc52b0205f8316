#!/usr/bin/env python3
"""Records what ptxas says about calls, prototypes, targets, aliases and functions.

Usage: python3 tools/record-legality-call.py > test/golden/legality-call/cases.jsonl
Needs ptxas 13.0 on the path; the tests do not. The first line contains the functions at the start of every module and
the declarations of its kernel. Every other line is one module: version, target, `before`, `body`, ok and, if ptxas
refuses the module, its message. `before` is the text after the functions. `body` is the text of the kernel after the
declarations; it is null if the module ends with `before`.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

random.seed(12)

TYPES = "b8 b16 b32 b64 u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64".split()
FUNCTIONS = """.func (.param .b32 r) f(.param .b32 a, .param .b64 b) { ret; }
.func g() { ret; }
.func (.reg .b32 r) h(.reg .b32 a, .reg .f32 b) { ret; }
.func (.param .align 4 .b8 r[12]) s(.param .align 8 .b8 a[16]) { ret; }
.func nr(.param .b32 a) .noreturn { trap; }
.func (.param .f32 r) ff(.param .f32 a) { ret; }
.func (.param .s16 r) hh(.param .u8 a) { ret; }
.entry kk(.param .b32 q) { ret; }
""" + "\n".join(f".func F{t}(.param .{t} a);\n.func G{t}(.reg .{t} a);" for t in TYPES) + """
.func AR(.param .align 8 .b32 a[4]);
.func AR4(.param .b32 a[4]);
.func AB(.param .b8 a[16]);
.func A64(.param .b64 a[2]);
.func AL(.param .align 8 .b32 a);
.func AF(.param .f32 a[4]);
.func Gp(.reg .pred a);
"""
DECLARATIONS = " ".join(f".reg .{t} %{t}_<4>;" for t in TYPES) + """ .reg .pred %p<4>; .reg .v2 .b32 %v2;
.param .b32 p32, q32; .param .b64 p64; .param .f32 pf32; .param .s32 ps32; .param .b16 p16; .param .b8 p8; .param .f64 pf64;
.param .align 8 .b8 a16[16]; .param .align 4 .b8 a16x4[16]; .param .align 16 .b8 a16x16[16]; .param .align 4 .b8 a12[12];
.param .b8 a12x1[12]; .param .align 8 .b8 a8[8]; .param .align 4 .b8 a4[4]; .param .b32 r4[4]; .param .align 8 .b32 r4a8[4];
.param .b8 c16[16]; .param .b64 d2[2]; .param .f32 f4[4]; .param .align 8 .b32 al; .param .align 4 .b32 al4; .local .b32 loc;
.shared .b32 sh;"""


def module(version, target, before, body):
    if body is None:
        size = ".address_size 64\n" if float(version) >= 2.3 else ""
        return f".version {version}\n.target {target}\n{size}{before}\n"
    return (f".version {version}\n.target {target}\n.address_size 64\n{FUNCTIONS}{before}\n"
            f".entry k(.param .b32 kp, .param .u64 kq) {{\n{DECLARATIONS}\n{body}\nret; }}\n")


DIRECT = """call g;|call g, ();|call.uni g;|call.uni g, ();|call (), g, ();|call (), g;|call (p32), f, (q32, p64);|call (p32), f, (q32, %b64_1);
call (%b32_1), f, (%b32_2, %b64_1);|call (%b32_1), f, (1, 2);|call (p32), f, (1.0, 2);|call (_), f, (q32, p64);|call f, (q32, p64);
call (p32), f, (q32);|call (p32), f;|call (p32), f, (q32, p64, p64);|call (p32), f, (p64, p64);|call (p64), f, (q32, p64);
call (pf32), f, (q32, p64);|call (ps32), f, (ps32, p64);|call (p32), f, (p16, p64);|call (p32), f, (kp, p64);|call (kp), f, (p32, p64);
call (p32), f, (p32, p64);|call (p32), f, (_, p64);|call (%f32_1), f, (%f32_2, %b64_1);|call (%b32_1), f, (%b16_1, %b64_1);
call (%b64_1), f, (%b32_1, %b64_1);|call (%b32_1), f, (%tid.x, %b64_1);|call (%b32_1), f, (%p1, %b64_1);|call (p32), f, (a4, p64);
call (p32), f, (p32, a8);|call (a4), f, (p32, p64);|call (a12), s, (a16);|call (a12), s, (a16x4);|call (a12), s, (a16x16);
call (a12x1), s, (a16);|call (a16), s, (a16);|call (a12), s, (p64);|call (a12), s, (a12);|call (a12), s, (%b64_1);|call (_), s, (a16);
call (%b32_1), s, (a16);|call (%b32_1), h, (%b32_2, %f32_1);|call (%u32_1), h, (%s32_2, %f32_1);|call (%f32_1), h, (%b32_2, %f32_1);
call (%b32_1), h, (1, 1);|call (p32), h, (q32, pf32);|call (_), h, (%b32_1, %f32_1);|call h, (%b32_1, %f32_1);|call (%b32_1, %b32_2), h, (1, 1.0);
call (%f32_1), ff, (%f32_2);|call (%b32_1), ff, (%f32_2);|call (%u32_1), ff, (%f32_2);|call (pf32), ff, (p32);|call (pf32), ff, (ps32);
call (%b16_1), hh, (%b8_2);|call (%b16_1), hh, (%b16_2);|call (p16), hh, (p8);|call kk, (p32);|call k, (p32);|call nosuch;|call nosuch, (p32);
call (p32), p32, (q32);|call nr, (p32);|call.uni nr, (%b32_1);|@%p1 call g;|@!%p1 call.uni g, ();|call.foo g;|call.b32 g;|call.uni.uni g;
call %b64_1;|call %b64_1, ();|call (p32), %b64_1, (p32, p64);|call L; L:|call (1), f, (p32, p64);|call (p32+4), f, (p32, p64);
call (%b32_1), f, (%b32_1, -2);|call (%b32_1), f, (-%b32_1, %b64_2);|call (%b32_1), f, (f, g);|call kq;|call printf, (p32);|call f+0, (p32);
call sh;|call (sh), f, (p32, p64);|call (p32), f, (sh, p64);|call (p32), f, (loc, p64);|call [f];|call (p32), f, (nosuch, p64);
call (nosuch), f, (p32, p64);|call (p32), f, ([p32], p64);|call (p32), f, {p32, p64};|call p32, f;|call (p32) f (p32, p64);|call;|call ();
@%b32_1 call g;|call g, g;|call g, L;|call (p32), f, (p32, p64), g;|call g, (), ();|call (f), f, (p32, p64);"""

PROTOTYPE = "PR: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);"
THROUGH = """call (p32), %b64_1, (q32, p64), PR;|call (p32), %u64_1, (q32, p64), PR;|call (p32), %s64_1, (q32, p64), PR;|call (p32), %b32_1, (q32, p64), PR;
call (p32), %f64_1, (q32, p64), PR;|call (p32), %p1, (q32, p64), PR;|call (p32), %b16_1, (q32, p64), PR;|call (p32), %b64_1, (q32), PR;
call %b64_1, (q32, p64), PR;|call (p32), %b64_1, PR;|call (p32), %b64_1, (p64, p64), PR;|call (p32), %b64_1, (pf32, p64), PR;
call (%b32_1), %b64_1, (%b32_2, %b64_3), PR;|call (_), %b64_1, (%b32_2, 7), PR;|call.uni (_), %b64_1, (%b32_2, %b64_3), PR;
call (p32), f, (q32, p64), PR;|call (p32), nosuch, (q32, p64), PR;|call (p32), %b64_1, (q32, p64), NOPE;|call (p32), %b64_1, (q32, p64), f;
call (p32), %b64_1, (q32, p64), L1; L1:|call (p32), %b64_1, (q32, p64), %b64_2;|call (p32), p64, (q32, p64), PR;|call (p32), kq, (q32, p64), PR;
bra PR;|mov.b64 %b64_1, PR;|@%p1 call (p32), %b64_1, (q32, p64), PR;|PR:|PR: .callprototype _;|PR: .branchtargets L; L:|call PR;"""

TABLES = """mov.b64 %b64_1, f;|mov.u64 %u64_1, f;|mov.b32 %b32_1, f;|mov.b64 %b64_1, f+4;|mov.b64 %b64_1, k;|mov.b64 %b64_1, kk;|mov.b16 %b16_1, f;
ld.global.b32 %b32_1, [f];|cvta.global.u64 %u64_1, f;|mov.b64 %b64_1, nosuch;|mov.f64 %f64_1, f;|mov.f32 %f32_1, f;
PR: .callprototype _; call %b64_1, PR;|PR: .callprototype _ (); call %b64_1, (), PR;|PR: .callprototype ()_ (); call %b64_1, PR;
PR: .callprototype _ () .noreturn; call %b64_1, PR;|PR: .callprototype (.reg .b32 _) _ (.reg .f32 _); call (%b32_1), %b64_1, (%f32_1), PR;
PR: .callprototype (.param .b32 x) _ (.param .f32 y); call (%b32_1), %b64_1, (%f32_1), PR;|PR: .callprototype _ (.param .b33 _);
PR: .callprototype (.param .align 4 .b8 _[12]) _ (.param .align 8 .b8 _[16]); call (a12), %b64_1, (a16), PR;
PR: .callprototype (.param .align 4 .b8 _[12]) _ (.param .align 8 .b8 _[16]); call (a12), %b64_1, (a16x4), PR;
T: .calltargets f; call (%b32_1), %b64_1, (%b32_2, %b64_2), T;|T: .calltargets f, f; call (%b32_1), %b64_1, (%b32_2, %b64_2), T;
T: .calltargets f, g; call (%b32_1), %b64_1, (%b32_2, %b64_2), T;|T: .calltargets f, g; call %b64_1, T;|T: .calltargets f, nosuch;
T: .calltargets f; call (%b32_1), f, (%b32_2, %b64_2), T;|T: .calltargets g; call %b64_1, T;|T: .calltargets g; call %b64_1, (), T;
T: .calltargets g, f;|T: .calltargets p32;|T: .calltargets;|T: .calltargets F%b32, G;|T: .calltargets Fb32, Gb32; call %b64_1, (%b32_1), T;
T: .calltargets g; call %b64_1, (p32), T;|T: .branchtargets nosuch;|T: .branchtargets f;|T: .branchtargets p32;|T: .branchtargets %b32_1;
T: .branchtargets A, B; brx.idx %b32_1, T; A: B:|T: .branchtargets A, A; brx.idx %b32_1, T; A: B:|T: .branchtargets A, B; brx.idx.uni %b32_1, T; A: B:
T: .branchtargets A, B; brx.idx %u32_1, T; A: B:|T: .branchtargets A, B; brx.idx %s32_1, T; A: B:|T: .branchtargets A, B; brx.idx %f32_1, T; A: B:
T: .branchtargets A, B; brx.idx %b64_1, T; A: B:|T: .branchtargets A, B; brx.idx %b16_1, T; A: B:|T: .branchtargets A, B; brx.idx 1, T; A: B:
T: .branchtargets A, B; brx.idx 1.0, T; A: B:|T: .branchtargets A, B; brx.idx %tid.x, T; A: B:|T: .branchtargets A, B; @%p1 brx.idx %b32_1, T; A: B:
T: .branchtargets A, B; brx %b32_1, T; A: B:|T: .branchtargets A, B; brx.uni %b32_1, T; A: B:|T: .branchtargets A, B; brx.uni.idx %b32_1, T; A: B:
T: .branchtargets A, B; brx.idx.b32 %b32_1, T; A: B:|T: .branchtargets A, B; brx.idx %b32_1; A: B:|T: .branchtargets A, B; brx.idx %b32_1, A; A: B:
T: .branchtargets A, B; brx.idx %b32_1, T, T; A: B:|T: .calltargets g; brx.idx %b32_1, T; A: B:|brx.idx %b32_1, T; A: B: ret; T: .branchtargets A, B;
brx.idx %b32_1, T; A: B: ret;|T: .branchtargets A, B; bra T; A: B:|{ T: .branchtargets A, B; } brx.idx %b32_1, T; A: B:
T: .branchtargets A, B; { brx.idx %b32_1, T; } A: B:|T: .branchtargets A, B; { A: B: brx.idx %b32_1, T; }|{ T: .branchtargets A, B; brx.idx %b32_1, T; A: B: }
T: .branchtargets A; brx.idx %b32_1, T; { A: }|call %b64_1, PR; PR: .callprototype _ ();|T: .branchtargets A; T: .branchtargets A; A:
T: .branchtargets A; A: T:|A: .callprototype _ (); A:|{ A: { T: .branchtargets A; brx.idx %b32_1, T; } }|T: .branchtargets A; { T: .branchtargets A; brx.idx 0, T; } A:
T: .branchtargets A; call %b64_1, T; A:|PR: .callprototype _; brx.idx 0, PR;|.branchtargets A; A:|.callprototype _;|f: .callprototype _;|p32: .callprototype _;"""

MODULES = """.func x() { ret; } .func x() { ret; }|.func x(); .func x() { ret; }|.func x() { ret; } .func x();|.func x(); .func x();|.func x(.param .b32 a); .func x(.param .b32 a) { ret; }
.func x(.param .b32 a); .func x(.param .b64 a) { ret; }|.func x(.param .b32 a); .func x(.param .f32 a) { ret; }|.func x(.param .b32 a); .func x(.param .u32 a) { ret; }
.func x(.param .b32 a); .func x(.param .b32 b) { ret; }|.func x(.param .b32 a); .func x(.reg .b32 a) { ret; }|.func x(.param .b32 a); .func x() { ret; }
.func x(); .func (.param .b32 r) x() { ret; }|.func (.param .b32 r) x(); .func (.param .b32 r) x() { ret; }|.func x(.param .align 8 .b8 a[8]); .func x(.param .align 4 .b8 a[8]) { ret; }
.func x(); .entry x() { ret; }|.entry x(); .func x() { ret; }|.extern .func x();|.extern .func x() { ret; }|.extern .func x(); .func x() { ret; }|.extern .func x(); .visible .func x() { ret; }
.visible .func x(); .func x() { ret; }|.visible .func x() { ret; }|.weak .func x() { ret; }|.weak .func x(); .weak .func x() { ret; }|.weak .func x() { ret; } .weak .func x() { ret; }
.common .func x() { ret; }|.visible .func x(); .visible .func x() { ret; }|.func x() .noreturn { ret; }|.func x() .noreturn { trap; }|.func (.param .b32 r) x() .noreturn { trap; }
.func x() .noreturn; .func x() { ret; }|.func x(); .func x() .noreturn { trap; }|.func x() { call x; ret; }|.func x() { call y; ret; } .func y() { ret; }|.func y(); .func x() { call y; ret; } .func y() { ret; }
.func (.param .b32 r) x() { call (r), y, (); ret; } .func (.param .b32 r) y();|.func (.param .b32 r) y(); .func (.param .b32 r) x() { call (r), y, (); ret; }
.func y(.param .b32 a); .func x(.param .b32 a) { call y, (a); ret; }|.func y(.reg .b32 a); .func x(.reg .b32 a) { call y, (a); ret; }|.func y(.param .b32 a); .func x(.reg .b32 a) { call y, (a); ret; }
.func x(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a]; st.param.b32 [a], %r; ret; }|.func (.param .b32 a) x() { .reg .b32 %r; ld.param.b32 %r, [a]; ret; }
.func (.param .b32 a) x() { st.param.b32 [a], 1; ret; }|.func (.reg .b32 a) x() { mov.b32 a, 1; ret; }|.func x(.reg .b32 a) { mov.b32 a, 1; ret; }|.func x(.reg .pred a) { ret; }|.func x(.param .pred a) { ret; }
.func (.param .b32 a, .param .b32 b) x() { ret; }|.func x(.reg .v2 .b32 a) { ret; }|.func x(.param .v2 .b32 a) { ret; }|.func x(.param .b32 a, .param .b32 a) { ret; }|.func (.param .b32 a) x(.param .b32 a) { ret; }
.func x(.param .b32 a) { .reg .b32 a; ret; }|.func x(.param .b32 _) { ret; }|.func x(.param .b32 _, .param .b32 _) { ret; }|.func x(.param .b32 _);|.func x(.shared .b32 a) { ret; }|.func x(.param .b32 a[]) { ret; }
.func x(.param .b8 a[0]) { ret; }|.func x(.param .align 3 .b8 a[4]) { ret; }|.func x(.param .b32 a) { .reg .b64 %d; mov.b64 %d, a; ret; }|.func (.param .b32 a) x() { .reg .b64 %d; mov.b64 %d, a; ret; }
.func x() { .reg .b64 %d; .param .b32 a; mov.b64 %d, a; ret; }|.func x() { .param .b32 a; st.param.b32 [a], 1; ret; }|.func x() { .reg .b32 %r; .param .b32 a; ld.param.b32 %r, [a]; ret; }
.func x() { .param .b32 a; st.local.b32 [a], 1; ret; }|.func x(.param .b32 a) { .reg .b32 %r; ld.local.b32 %r, [a]; ret; }|.func x(.param .b32 a) { .reg .b32 %r; ld.b32 %r, [a]; ret; }
.func y(); .alias y, g;|.func y() { ret; } .alias y, g;|.alias y, g;|.func y(); .alias y, nosuch;|.func y(); .alias y, f;|.func y(); .alias y, y;|.func y(); .alias g, y;|.func y(); .alias y, kk;|.func y(.param .b32 a); .alias y, Fb32;
.visible .func y(); .alias y, g;|.weak .func y(); .alias y, g;|.func y(); .alias y, g; .func z(); .alias z, y;|.func y(); .alias y, g; .func x() { call y; ret; }|.func y(); .alias y, g; .alias y, g;|.entry y(); .alias y, kk;|.func y(); .alias y+4, g;
.func y(); .alias y g;|.extern .func y(); .alias y, g;|.func y(); .alias y, sh; .global .b32 sh2;|.global .b32 v; .func y(); .alias y, v;|.global .b32 v; .alias v, g;|.func y(); .func z(); .alias y, z;|.func y(); .alias y, g; .func y() { ret; }
.global .u64 t[2] = {f, g};|.global .u32 t[2] = {f, g};|.global .u64 t[2] = {f, nosuch};|.global .u64 t = f+4;|.global .u64 t = generic(f);|.const .u64 t = f;|.shared .u64 t = f;|.global .u64 t = kk;|.global .u8 t[8] = {0xff(f), 0xff00(f)};
.global .f32 t = f;|.func x() { exit; }|.func x() { .shared .b32 q; ret; }|.func x() .maxnreg 32 { ret; }|.func x() .maxntid 32 { ret; }|.func x() { .reg .b32 %r; mov.b32 %r, %tid.x; bar.sync 0; ret; }|.func x() { .local .b32 q; ret; }
.func x {ret;}|.func (.param .b32 r) x {ret;}|.func x() ret;|.func f() { ret; }|.global .b32 g;|.func k() { ret; }|.entry f() { ret; }|.func p32() { ret; }|.func x() { call k, (1, 2); ret; }|.func x() { call kk, (1); ret; }"""


MORE = """.entry x(.param .b32 a) { .reg .b32 a; ret; }
.entry x(.param .b32 a) { { .reg .b32 a; } ret; }
.func x(.param .b32 a) { { .reg .b32 a; } ret; }
.func x(.param .b32 a) { { .param .b32 a; } ret; }
.entry x(.param .b32 a) { .param .b32 a; ret; }
.entry x(.param .b32 a) { a: ret; }
.entry x(.param .b32 _) { ret; }
.entry x(.param .v2 .b32 a) { ret; }
.entry x(.param .f16x2 a) { ret; }
.func x(.param .f16x2 a) { ret; }
.func x(.param .b128 a) { ret; }
.func x(.param .v2 .b32 a[2]) { ret; }
.func x(.param .f16x2 a[2]) { ret; }
.func x(.param .bf16 a) { ret; }
.func x(.param .e4m3 a[4]) { ret; }
.func x(.param .f16 a) { ret; }
.func (.reg .b32 a, .param .b32 b) x() { ret; }
.func (.param .b32 a, .reg .b32 b) x() { ret; }
.extern .func x(); .extern .func x();
.func x(); .extern .func x();
.extern .func x(); .func x();
.visible .func x(); .extern .func x();
.weak .func x(); .func x() { ret; }
.func x(); .weak .func x() { ret; }
.func x(); .visible .func x() { ret; }
.visible .func x(); .weak .func x() { ret; }
.extern .func x() .noreturn; .extern .func x();
.func x(.param .b32 a); .func x(.param .align 4 .b32 a) { ret; }
.func x(.param .b8 a[8]); .func x(.param .b8 a[4]) { ret; }
.func x(.param .b8 a[8]); .func x(.param .b32 a[2]) { ret; }
.func x(.param .b8 a[8]); .func x(.param .b64 a) { ret; }
.entry x(.param .b32 a); .entry x(.param .b64 a) { ret; }
.entry x(.param .b32 a); .entry x(.param .b32 a) { ret; }
.entry x(.param .b32 a); .visible .entry x(.param .b32 a) { ret; }
.extern .entry x(.param .b32 a);
.extern .entry x(.param .b32 a); .entry x(.param .b32 a) {ret;}
.visible .entry x(); .entry x() { ret; }
.global .u64 t = w; .global .b32 w;
.global .u64 t = t;
.global .b32 v; .global .u64 t = v+4;
.global .b32 v; .global .u64 t = generic(v)+4;
.global .b32 v; .global .u64 t = generic(v+4);
.extern .global .b32 e; .global .u64 t = e;
.shared .b32 sh; .global .u64 t = sh;
.const .b32 c; .global .u64 t = c;
.const .b32 c; .global .u64 t = generic(c);
.shared .b32 sh; .global .u64 t = generic(sh);
.global .u64 t = L;
.func x() .noreturn { exit; }
.func (.reg .b32 r) x() .noreturn { trap; }
.entry x() { .reg .b64 %d; PR: .callprototype (.param .b32 _) _ () .noreturn; ret; }
.entry x() { .reg .b64 %d; PR: .callprototype (.param .b32 _, .param .b32 _) _ (); ret; }
.entry x() { .reg .b64 %d; PR: .callprototype (.reg .b32 _, .reg .b32 _) _ (); ret; }
.entry x() { .reg .b64 %d; PR: .callprototype (.reg .b32 _, .param .b32 _) _ (); ret; }
.entry x() { PR: .callprototype _ (.param .v2 .b32 _); ret; }
.entry x() { PR: .callprototype _ (.param .pred _); ret; }
.entry x() { PR: .callprototype _ (.param .b32 a, .param .b32 a); ret; }"""


OLD = """.func (.reg .u32 r) f(.reg .u32 a) { mov.u32 r, a; ret; } .entry k() { .reg .u32 %r<3>; call (%r1), f, (%r2); ret; }
.func (.param .u32 r) f(.param .u32 a) { ret; } .entry k() { .reg .u32 %r<3>; call (%r1), f, (%r2); ret; }
.func (.param .u32 r) f(.param .u32 a) { ret; } .entry k() { .reg .u32 %r<3>; .reg .u64 %d; P: .callprototype (.param .u32 _) _ (.param .u32 _); mov.u64 %d, f; call (%r1), %d, (%r2), P; ret; }
.func (.param .u32 r) f(.param .u32 a) { ret; } .entry k() { .reg .u32 %r<3>; .reg .u64 %d; P: .calltargets f; mov.u64 %d, f; call (%r1), %d, (%r2), P; ret; }
.entry k() { .reg .u32 %r; T: .branchtargets A; brx.idx %r, T; A: ret; }
.entry k() { .reg .u32 %r; T: .branchtargets A; A: ret; }
.func g() {ret;} .func y(); .alias y, g;
.func g() .noreturn { trap; }
.entry k() { P: .callprototype _ (); ret; }
.entry k() { .param .u32 p; ret; }"""


OLD_PAIRS = [
    ("1.4", "sm_13"), ("2.0", "sm_13"), ("2.0", "sm_20"), ("2.1", "sm_13"), ("2.1", "sm_20"), ("3.0", "sm_20"), ("4.0", "sm_30"),
    ("5.1", "sm_30"), ("6.0", "sm_20"), ("6.0", "sm_30"), ("6.2", "sm_30"), ("6.3", "sm_20"), ("6.3", "sm_30"), ("6.4", "sm_20"),
    ("6.4", "sm_30"),
]


def words(text):
    return [line.strip() for line in re.split(r"[|\n]", text) if line.strip()]


def products():
    arguments = [f"%{t}_1" for t in TYPES] + "1 -1 1U 0xffffffffff 1.0 0f3F800000 0d3FF0000000000000 WARP_SZ %p1".split()
    for type_, kind in itertools.product(TYPES, "FG"):
        for argument in arguments:
            yield f"call {kind}{type_}, ({argument});"
    places = "r4 r4a8 c16 a16 a16x4 d2 f4 al al4 p32 p64 pf32 ps32 p16 p8 pf64 %b32_1 %b64_1 %f32_1 %p1 _ loc sh 1 1.0".split()
    for name in ["AR", "AR4", "AB", "A64", "AL", "AF", "Gp"] + [f"F{t}" for t in TYPES]:
        for place in places:
            yield f"call {name}, ({place});"


def cases():
    newest = ("9.0", "sm_90")
    for body in words(DIRECT) + words(TABLES):
        yield *newest, "", body
    for body in words(THROUGH):
        yield *newest, "", f"{PROTOTYPE} {body}"
    for before in words(MODULES) + words(MORE):
        yield *newest, before, ""
    for body in random.sample(list(products()), 420):
        yield *newest, "", body
    for version, target in OLD_PAIRS:
        for text in words(OLD):
            yield version, target, text, None
    for version, target in [("6.3", "sm_75"), ("7.0", "sm_80"), ("7.4", "sm_80"), ("8.0", "sm_90"), ("8.8", "sm_100a")]:
        for body in random.sample(words(DIRECT) + words(TABLES), 12):
            yield version, target, "", body


QUIRKS = {  # acceptances of ptxas that no text of the ISA allows
    ".uni.uni": "a modifier twice",
    "mov.f64 %f64_1, f": "an address in a float register",
    "mov.f32 %f32_1, f": "an address in a float register",
    "mov.b64 %b64_1, f+4": "an offset that ptxas refuses when it makes code",
    "_ (.param .pred _)": "a predicate outside registers",
    "{ .param .u32 p; ret; }": "not followed in .version 1.4, which refuses it",
    ".calltargets f, g; call %b64_1, T": "a call without lists is held against the last target only",
}
LINE = re.compile(r"ptxas [^,]*, line \d+; (?:error|fatal)\s*: (.*)")


def judge(case):
    version, target, before, body = case
    handle, path = tempfile.mkstemp(suffix=".ptx")
    with os.fdopen(handle, "w") as file:
        file.write(module(*case))
    arch = target.replace("sm_", "compute_") if int(target[3:5]) >= 75 or len(target) > 5 else "sm_75"
    done = subprocess.run(["ptxas", "-arch", arch, "-O0", "-o", "/dev/null", path], capture_output=True, text=True)
    os.unlink(path)
    said = [found[1] for found in map(LINE.match, (done.stderr + done.stdout).splitlines()) if found]
    record = {"version": version, "target": target, "before": before, "body": body, "ok": done.returncode == 0}
    for mark, reason in QUIRKS.items():
        if mark in before + (body or ""):
            record["quirk"] = reason
    if done.returncode:
        record["msg"] = said[0] if said else done.stderr.strip()
    return record


def main():
    print(json.dumps({"functions": FUNCTIONS, "decls": DECLARATIONS}))
    seen = list(dict.fromkeys(cases()))
    with ThreadPoolExecutor(2) as pool:
        for record in pool.map(judge, seen):
            print(json.dumps(record))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
