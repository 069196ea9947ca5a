#pragma once
// A macro for functions whose loops should use whole vectors: it makes one copy of the function per
// instruction set, chosen when the program is loaded (GCC's function multiversioning). Not under a
// sanitizer, whose run time is not there yet when the choice is made.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define EBB_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define EBB_VECTOR_CLONES
#endif
