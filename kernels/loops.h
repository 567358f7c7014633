#pragma once

// Before a loop whose iterations are independent though its output may be one of its inputs: the
// compiler would otherwise fall back to one value at a time when it finds them equal.
#if defined(__clang__)
#define SUMAC_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SUMAC_INDEPENDENT _Pragma("GCC ivdep")
#endif
