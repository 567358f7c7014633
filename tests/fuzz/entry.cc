// The program of one harness: SUMAC_FUZZ_TARGET is its name in harness.h.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/harness/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sumac::fuzz::SUMAC_FUZZ_TARGET(sumac::BytesView(reinterpret_cast<const std::byte*>(data), size));
  return 0;
}
