#include "operator/trainingjob/apply/create_object.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "kube/api/json.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

constexpr int kTooLarge = 413;

bool isRefusal(const kube::Failure& failure) {
  return failure.isInvalid() || failure.isForbidden() || failure.status == kTooLarge;
}

}  // namespace

Refusal refusalOf(const std::string& what, const kube::Failure& failure) {
  return {.what = what,
          .status = failure.status,
          .reason = failure.reason,
          .message = failure.message,
          .is_quota = failure.message.find("exceeded quota") != std::string::npos,
          .is_failure = false,
          .is_stopped = failure.is_stopped};
}

Creation judgeExisting(const std::string& what, const std::string& owner_uid,
                       const kube::Reply& reply) {
  if (!reply) return Creation::failed(refusalOf(what, *reply.failure));
  const auto meta = api::metaFromJson(*reply.object);
  if (!meta) return Creation::failed({.what = what, .reason = "", .message = meta.error().message});
  if (meta->deleted) return Creation::deleting();
  if (meta->controller_uid == owner_uid) return Creation::made(reply.object);
  return Creation::foreign();
}

Creation createObject(kube::Client& client, const CreateRequest& request) {
  const json& meta = request.object.at("metadata");
  const api::ObjectKey key{meta.at("namespace").get<std::string>(),
                           meta.at("name").get<std::string>()};
  const std::string what = kindAndName(request.resource, key.name);
  if (request.look_first) {
    const kube::Reply found = client.get(request.resource, key);
    if (found || !found.failure->isNotFound()) return judgeExisting(what, request.owner_uid, found);
  }
  const kube::Reply reply = client.create(request.resource, key.name_space, request.object);
  if (reply) return Creation::made(reply.object);
  const kube::Failure& failure = *reply.failure;
  if (failure.alreadyExists()) {
    if (!request.may_read) return Creation::unread();
    return judgeExisting(what, request.owner_uid, client.get(request.resource, key));
  }
  const Refusal refusal = refusalOf(what, failure);
  return isRefusal(failure) ? Creation::refused(refusal) : Creation::failed(refusal);
}

}  // namespace sumac::trainingjob
