#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "common/kube/client.h"
#include "operator/trainingjob/observed.h"

namespace sumac::trainingjob {

enum class Created {
  kMade,     // now, or before: the object is there and ours
  kGoing,    // what has the name is being deleted
  kForeign,  // what has the name is somebody else's
  kRefused,  // asking again unchanged will not help: see the refusal
  kFailed,   // may work soon
};

struct Creation {
  Created outcome = Created::kFailed;
  std::shared_ptr<const nlohmann::json> live;  // kMade: as it is in the cluster, where it was shown
  std::optional<Refusal> refusal;
  std::string message;  // of kFailed, kForeign

  static Creation made(std::shared_ptr<const nlohmann::json> live) {
    return {Created::kMade, std::move(live), std::nullopt, ""};
  }
  static Creation going() { return {Created::kGoing, nullptr, std::nullopt, ""}; }
  static Creation foreign(std::string message) {
    return {Created::kForeign, nullptr, std::nullopt, std::move(message)};
  }
  static Creation refused(Refusal refusal) {
    return {Created::kRefused, nullptr, std::move(refusal), ""};
  }
  static Creation failed(std::string message) {
    return {Created::kFailed, nullptr, std::nullopt, std::move(message)};
  }
};

/// What is created, and for whom.
struct CreateRequest {
  const kube::Resource& resource;
  const nlohmann::json& object;
  const std::string& owner_uid;
  bool may_read =
      true;  // no: what has the name is taken for ours, since the name has the job's uid
};

/// Creates an object with a fixed name. "AlreadyExists" means: look whose it is. After a request
/// without an answer it may be there or not; the next attempt finds out.
Creation createObject(kube::Client& client, const CreateRequest& request);

/// "pod lenet5-worker-0", "Service lenet5": what a refusal and a hold are called.
std::string whatIs(const kube::Resource& resource, const std::string& name);
std::string whatIs(const api::TrainingJob& job, Child child);

inline constexpr std::array kAllChildren = {Child::kService, Child::kConfigMap, Child::kSecret,
                                            Child::kNetworkPolicy};

const kube::Resource& resourceOf(Child child);

}  // namespace sumac::trainingjob
