#include "common/base/memory.h"

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

}  // namespace sumac
