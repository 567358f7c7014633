#include "base/process/memory.h"

#include <features.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace sumac {

void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kLargestBlock = 32 << 20;  // the most that glibc takes for this setting
  constexpr int kSpare = 512 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  ::mallopt(M_TRIM_THRESHOLD, kSpare);
#endif
}

void keepMemorySmall() {
#ifdef __GLIBC__
  constexpr int kArenas = 2;
  // Named, so that glibc does not raise it with the first large block that is freed.
  constexpr int kLargeBlock = 128 << 10;
  ::mallopt(M_ARENA_MAX, kArenas);
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  ::mallopt(M_TRIM_THRESHOLD, kLargeBlock);
#endif
}

void returnFreedMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace sumac
