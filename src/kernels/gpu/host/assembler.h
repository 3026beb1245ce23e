// The words around a function in assembler, of ELF and of Mach-O, whose names of C have an underscore in front.
#pragma once

#if defined(__APPLE__)
#define SIMT_FUNCTION(name) ".text\n.globl _" name "\n.private_extern _" name "\n.p2align 4\n_" name ":\n"
#define SIMT_FUNCTION_END(name) ""
#else
#define SIMT_FUNCTION(name) ".text\n.globl " name "\n.hidden " name "\n.type " name ",%function\n" name ":\n"
#define SIMT_FUNCTION_END(name) ".size " name ",.-" name "\n"
#endif
