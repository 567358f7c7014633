#include "exchange/sums/push_rejection.h"

namespace sumac {

std::string_view toString(PushRejection reason) {
  switch (reason) {
    case PushRejection::kMember: return "member";
    case PushRejection::kType: return "type";
    case PushRejection::kRange: return "range";
    case PushRejection::kNode: return "node";
    case PushRejection::kStep: return "step";
    case PushRejection::kHeld: return "held";
    case PushRejection::kCodec: return "codec";
  }
  return "unknown";
}

}  // namespace sumac
