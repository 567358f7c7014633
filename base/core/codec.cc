#include "base/core/codec.h"

namespace sumac {

std::string_view toString(Codec codec) {
  switch (codec) {
    case Codec::kFp32: return "fp32";
    case Codec::kBf16: return "bf16";
    case Codec::kFp16: return "fp16";
  }
  return "unknown";
}

}  // namespace sumac
