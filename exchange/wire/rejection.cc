#include "exchange/wire/rejection.h"

namespace sumac::wire {

std::string_view toString(Rejection rejection) {
  switch (rejection) {
    case Rejection::kFrameCount: return "frame count";
    case Rejection::kHeaderLength: return "header length";
    case Rejection::kMagic: return "magic";
    case Rejection::kVersion: return "version";
    case Rejection::kHeaderChecksum: return "header checksum";
    case Rejection::kType: return "type";
    case Rejection::kPayloadLength: return "payload length";
    case Rejection::kPayloadChecksum: return "payload checksum";
    case Rejection::kField: return "field";
    case Rejection::kJob: return "job";
    case Rejection::kSender: return "sender";
    case Rejection::kKey: return "key";
  }
  return "unknown";
}

}  // namespace sumac::wire
