#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "kube/api/objects.h"

namespace sumac::api {

/// A number as Kubernetes writes it: "2", "0.5", "500m", "512Mi", "1e9"; nothing: it is none.
std::optional<double> quantityOf(std::string_view text);

/// A ResourceQuota: what the API server admits by (its status), by resource: "pods", "limits.cpu".
struct ResourceQuota {
  ObjectKey key;
  std::map<std::string, double> hard;
  std::map<std::string, double> used;

  bool operator==(const ResourceQuota&) const = default;
};

/// Those of one namespace.
using Quotas = std::vector<std::shared_ptr<const ResourceQuota>>;

/// Null: there is none of that name.
const ResourceQuota* findQuota(const Quotas& quotas, std::string_view name);

/// What is no number there is left out: nothing is limited by it. Fails with kInvalid, naming the
/// field.
Result<ResourceQuota> quotaFromJson(const nlohmann::json& object);

/// What a quota refused, in the API server's words.
struct QuotaLack {
  std::string quota;      // its name
  std::string requested;  // of what was too much, by one object: "limits.cpu=1,pods=1"

  bool operator==(const QuotaLack&) const = default;
};

/// Of "... exceeded quota: NAME, requested: pods=1, used: pods=2, limited: pods=2"; nothing: it is
/// another message.
std::optional<QuotaLack> quotaLackOf(std::string_view message);

/// What is left of a resource, below 0 where more is used than allowed; nothing: it is not limited.
std::optional<double> leftOf(const ResourceQuota& quota, const std::string& resource);

/// For how many more such objects the quota has room, at most a million; nothing: `requested` is
/// not what an API server writes.
std::optional<int> roomIn(const ResourceQuota& quota, std::string_view requested);

}  // namespace sumac::api
