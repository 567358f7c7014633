#include "operator/trainingjob/create_object.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/api/json.h"
#include "common/base/check.h"
#include "operator/trainingjob/names.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

constexpr int kTooLarge = 413;

bool isRefusal(const kube::Failure& failure) {
  return failure.isInvalid() || failure.isForbidden() || failure.status == kTooLarge;
}

Refusal refusalOf(const std::string& what, const kube::Failure& failure) {
  return {.what = what,
          .status = failure.status,
          .reason = failure.reason,
          .message = failure.message,
          .is_quota = failure.message.find("exceeded quota") != std::string::npos};
}

/// What has the name already.
Creation judge(kube::Client& client, const CreateRequest& request, const api::ObjectKey& key) {
  if (!request.may_read) return Creation::made(nullptr);
  const kube::Reply reply = client.get(request.resource, key);
  if (!reply) return Creation::failed(reply.failure->message);
  const auto meta = api::metaFromJson(*reply.object);
  if (!meta) return Creation::failed(meta.error().message);
  if (meta->deleted) return Creation::going();
  if (meta->controller_uid == request.owner_uid) {
    return Creation::made(reply.object);
  }
  const std::string what = whatIs(request.resource, key.name);
  return Creation::foreign(what + " exists and is not this job's");
}

}  // namespace

std::string whatIs(const kube::Resource& resource, const std::string& name) {
  std::string kind(resource.kind);
  if (resource == kube::kPods) kind = "pod";
  return kind + " " + name;
}

const kube::Resource& resourceOf(Child child) {
  switch (child) {
    case Child::kService: return kube::kServices;
    case Child::kConfigMap: return kube::kConfigMaps;
    case Child::kSecret: return kube::kSecrets;
    case Child::kNetworkPolicy: return kube::kNetworkPolicies;
  }
  failCheck("a known child", "");
}

std::string whatIs(const api::TrainingJob& job, Child child) {
  return whatIs(resourceOf(child), childName(job.meta.key.name, job.meta.uid, child));
}

Creation createObject(kube::Client& client, const CreateRequest& request) {
  const json& meta = request.object.at("metadata");
  const api::ObjectKey key{meta.at("namespace"), meta.at("name")};
  const kube::Reply reply = client.create(request.resource, key.name_space, request.object);
  if (reply) return Creation::made(reply.object);
  const kube::Failure& failure = *reply.failure;
  if (failure.alreadyExists()) return judge(client, request, key);
  if (isRefusal(failure)) {
    return Creation::refused(refusalOf(whatIs(request.resource, key.name), failure));
  }
  return Creation::failed(failure.message);
}

}  // namespace sumac::trainingjob
