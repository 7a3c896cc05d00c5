#pragma once
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own entry (compiler-rt, FuzzerInterface.h), for programs that have a main of their own. */
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*one)(const uint8_t *bytes, size_t count));
