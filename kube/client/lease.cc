#include "kube/client/lease.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "kube/api/members.h"

namespace sumac::kube {
namespace {

using api::memberOf;
using api::textOf;
using nlohmann::json;

int numberOf(const json& object, const char* name, int otherwise) {
  const json& member = memberOf(object, name);
  if (!member.is_number_integer()) return otherwise;
  const auto value = member.get<std::int64_t>();
  return value < 0 || value > std::numeric_limits<int>::max() ? otherwise : static_cast<int>(value);
}

std::optional<WallTime> timeOf(const json& object, const char* name) {
  const auto time = parseRfc3339(textOf(object, name));
  if (!time) return std::nullopt;
  return time.value();
}

/// A lease that somebody has damaged reads as one that nobody holds: the election repairs it.
LeaseRecord recordOf(const json& object) {
  const json& spec = memberOf(object, "spec");
  LeaseRecord record;
  record.holder = textOf(spec, "holderIdentity");
  record.duration = std::chrono::seconds(std::max(1, numberOf(spec, "leaseDurationSeconds", 15)));
  record.acquired = timeOf(spec, "acquireTime");
  record.renewed = timeOf(spec, "renewTime");
  record.transitions = numberOf(spec, "leaseTransitions", 0);
  record.resource_version = textOf(memberOf(object, "metadata"), "resourceVersion");
  return record;
}

void setSpec(json& spec, const LeaseRecord& record) {
  if (!spec.is_object()) spec = json::object();
  spec["holderIdentity"] = record.holder;
  spec["leaseDurationSeconds"] = std::max<std::int64_t>(1, record.duration.count());
  spec["leaseTransitions"] = record.transitions;
  // MicroTime: the API server refuses other than six digits.
  if (record.acquired) spec["acquireTime"] = toRfc3339Micro(*record.acquired);
  if (record.renewed) spec["renewTime"] = toRfc3339Micro(*record.renewed);
}

class RestLeaseClient final : public LeaseClient {
 public:
  RestLeaseClient(Transport& transport, api::ObjectKey lease, Duration timeout)
      : transport_(transport), lease_(std::move(lease)), timeout_(timeout) {}

  LeaseReply get(const std::stop_token& stop) override {
    return ask(Method::kGet, pathOf(kLeases, lease_.name_space, lease_.name), "", stop);
  }

  LeaseReply create(const LeaseRecord& record, const std::stop_token& stop) override {
    json object = skeleton();
    setSpec(object["spec"], record);
    return ask(Method::kPost, pathOf(kLeases, lease_.name_space), object.dump(), stop);
  }

  LeaseReply update(const LeaseRecord& record, const std::stop_token& stop) override {
    json object = last_.is_object() ? last_ : skeleton();
    object["metadata"]["resourceVersion"] = record.resource_version;
    setSpec(object["spec"], record);
    const std::string body = object.dump(-1, ' ', false, json::error_handler_t::replace);
    return ask(Method::kPut, pathOf(kLeases, lease_.name_space, lease_.name), body, stop);
  }

 private:
  json skeleton() const {
    return {{"apiVersion", kLeases.group_version},
            {"kind", kLeases.kind},
            {"metadata", {{"name", lease_.name}, {"namespace", lease_.name_space}}}};
  }

  LeaseReply ask(Method method, std::string path, std::string body, const std::stop_token& stop) {
    Request request;
    request.method = method;
    request.path = std::move(path);
    request.body = std::move(body);
    const std::string asked = (method == Method::kGet    ? "get leases "
                               : method == Method::kPost ? "create leases "
                                                         : "replace leases ") +
                              lease_.text();
    const Response response = transport_.send(request, timeout_, stop);
    if (response.status < 200 || response.status > 299) {
      return {{}, failureOf(asked, response)};
    }
    json object = json::parse(response.body, nullptr, /*allow_exceptions=*/false);
    if (!memberOf(object, "metadata").is_object()) {
      return {{}, Failure{0, "", asked + ": the answer must be an object with metadata", {}}};
    }
    last_ = std::move(object);
    return {recordOf(last_), {}};
  }

  Transport& transport_;  // outlives us
  const api::ObjectKey lease_;
  const Duration timeout_;
  json last_;  // the object as it came last
};

}  // namespace

std::unique_ptr<LeaseClient> makeLeaseClient(Transport& transport, api::ObjectKey lease,
                                             Duration timeout) {
  return std::make_unique<RestLeaseClient>(transport, std::move(lease), timeout);
}

}  // namespace sumac::kube
