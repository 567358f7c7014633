#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "kube/client/client.h"
#include "operator/trainingjob/state/observed.h"

namespace sumac::trainingjob {

enum class Created {
  kMade,      // now or earlier: the object exists and is ours
  kDeleting,  // the object with this name is being deleted
  kForeign,   // the object with this name is not ours
  kUnread,    // an object with this name exists, and we may not read whose it is
  kAbsent,    // somebody else makes it, and has not yet: see the refusal
  kRefused,   // the same request would fail again: see the refusal
  kFailed,    // a retry may succeed
};

struct Creation {
  Created outcome = Created::kFailed;
  std::shared_ptr<const nlohmann::json>
      live;                        // kMade: the object in the cluster, if we may read it
  std::optional<Refusal> refusal;  // of kAbsent, kRefused and kFailed

  static Creation made(std::shared_ptr<const nlohmann::json> live) {
    return {Created::kMade, std::move(live), std::nullopt};
  }
  static Creation deleting() { return {Created::kDeleting, nullptr, std::nullopt}; }
  static Creation unread() { return {Created::kUnread, nullptr, std::nullopt}; }
  static Creation foreign() { return {Created::kForeign, nullptr, std::nullopt}; }
  static Creation absent(Refusal absence) {
    return {Created::kAbsent, nullptr, std::move(absence)};
  }
  static Creation refused(Refusal refusal) {
    return {Created::kRefused, nullptr, std::move(refusal)};
  }
  static Creation failed(Refusal failure) {
    return {Created::kFailed, nullptr, std::move(failure)};
  }
};

/// What the API server answered to a request for `what`.
Refusal refusalOf(const std::string& what, const kube::Failure& failure);

struct CreateRequest {
  const kube::Resource& resource;
  const nlohmann::json& object;
  const std::string& owner_uid;
  /// False: we have no right to read objects of this kind.
  bool may_read = true;
  /// Whether it probably exists: then it is read first, and created only if it is not there. A
  /// quota that is full refuses to create what exists already, and must not stop a restart.
  bool look_first = false;
};

/// Whose object the answer to a GET has; `what` names it. Not for one that is not found.
Creation judgeExisting(const std::string& what, const std::string& owner_uid,
                       const kube::Reply& reply);

/// Creates an object with a fixed name. On "AlreadyExists" it reads the existing object to find out
/// whose it is. If a request gets no answer, the object may exist or not; the next try finds out.
Creation createObject(kube::Client& client, const CreateRequest& request);

}  // namespace sumac::trainingjob
