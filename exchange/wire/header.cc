#include "exchange/wire/header.h"

namespace sumac::wire {

std::string_view toString(MessageType type) {
  switch (type) {
    case MessageType::kJoin: return "join";
    case MessageType::kRefuse: return "refuse";
    case MessageType::kRoster: return "roster";
    case MessageType::kHello: return "hello";
    case MessageType::kPush: return "push";
    case MessageType::kSum: return "sum";
    case MessageType::kAcknowledge: return "acknowledge";
    case MessageType::kHeartbeat: return "heartbeat";
    case MessageType::kPrepare: return "prepare";
    case MessageType::kPrepared: return "prepared";
    case MessageType::kCommit: return "commit";
    case MessageType::kProgress: return "progress";
    case MessageType::kWeightsCrc: return "weightsCrc";
    case MessageType::kCheckpointed: return "checkpointed";
    case MessageType::kFinished: return "finished";
    case MessageType::kComplete: return "complete";
    case MessageType::kRelease: return "release";
    case MessageType::kAbort: return "abort";
    case MessageType::kLeave: return "leave";
    case MessageType::kGoodbye: return "goodbye";
    case MessageType::kReopen: return "reopen";
    case MessageType::kQuery: return "query";
    case MessageType::kMissing: return "missing";
    case MessageType::kTotal: return "total";
    case MessageType::kProbe: return "probe";
    case MessageType::kEcho: return "echo";
    case MessageType::kStateAsk: return "stateAsk";
    case MessageType::kState: return "state";
    case MessageType::kStateEnd: return "stateEnd";
    case MessageType::kReady: return "ready";
    case MessageType::kSuspect: return "suspect";
  }
  return "unknown";
}

}  // namespace sumac::wire
