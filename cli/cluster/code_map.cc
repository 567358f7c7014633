#include "cli/cluster/code_map.h"

#include <algorithm>
#include <utility>

#include "base/core/text.h"
#include "base/core/units.h"
#include "cli/cluster/failure_text.h"
#include "kube/api/code_map.h"
#include "kube/api/json.h"
#include "kube/api/labels.h"
#include "kube/client/base64.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

constexpr Duration kSendTimeout =
    std::chrono::seconds(60);  // a slow link takes half of it for 1 MiB

/// Whether a content is as long in JSON, or not much longer: what is no text travels in base64.
bool isText(const std::string& content) {
  const auto isControl = [](char c) {
    return static_cast<unsigned char>(c) < 0x20U && c != '\n' && c != '\t' && c != '\r';
  };
  return !firstBadByte(content) && std::ranges::none_of(content, isControl);
}

kube::Response postMap(const Cluster& cluster, const Json& object, const std::string& name_space,
                       bool is_question) {
  kube::Request request;
  request.method = kube::Method::kPost;
  request.path = kube::pathOf(kube::kConfigMaps, name_space);
  request.query = {{"fieldManager", "sumac"}};
  if (is_question) request.query.emplace_back("dryRun", "All");
  request.body = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return cluster.transport.send(request, kSendTimeout, cluster.stop);
}

Error inWordsOf(const kube::Failure& failure, const Cluster& cluster, const std::string& verb,
                const api::ObjectKey& map) {
  return {ErrorCode::kUnavailable, inWords(failure,
                                           {.verb = verb,
                                            .resource = kube::kConfigMaps,
                                            .name_space = map.name_space,
                                            .name = map.name},
                                           cluster.server)};
}

/// Of a ConfigMap that has the name.
Result<Sent> judge(const Cluster& cluster, const api::ObjectKey& map, const std::string& uid) {
  const kube::Reply reply = cluster.client.get(kube::kConfigMaps, map);
  if (!reply) return inWordsOf(*reply.failure, cluster, "get", map);
  const auto meta = api::metaFromJson(*reply.object);
  if (meta && meta->controller_uid == uid) return Sent::kBefore;
  return Error{ErrorCode::kConflict,
               "ConfigMap " + map.text() + " exists and does not belong to the job: delete it"};
}

}  // namespace

std::string codeText(const JobCode& code) {
  std::uint64_t bytes = 0;
  for (const auto& [path, content] : code.files)
    bytes += content.size();
  return counted(static_cast<std::int64_t>(code.files.size()), "file") + ", " + bytesText(bytes) +
         ", SHA-256 " + code.sha256;
}

Json codeSection(const JobCode& code) {
  Json files = Json::array();
  for (const auto& [path, content] : code.files)
    files.push_back(path);
  return {{"sha256", code.sha256}, {"files", std::move(files)}};
}

Json codeMap(const JobCode& code, const api::ObjectKey& job, const std::string& uid) {
  Json object{{"apiVersion", "v1"},
              {"kind", "ConfigMap"},
              {"metadata",
               {{"name", api::codeMapName(job.name, uid)},
                {"namespace", job.name_space},
                {"labels",
                 {{api::kJobLabel, job.name},
                  {"app.kubernetes.io/name", "sumac"},
                  {"app.kubernetes.io/instance", job.name}}},
                {"ownerReferences", Json::array({{{"apiVersion", "sumac.dev/v1alpha1"},
                                                  {"kind", "TrainingJob"},
                                                  {"name", job.name},
                                                  {"uid", uid},
                                                  {"controller", true}}})}}},
              {"immutable", true}};
  std::size_t index = 0;
  for (const auto& [path, content] : code.files) {
    const std::string key = api::codeKey(index++);
    if (isText(content)) {
      object["data"][key] = content;
    } else {
      object["binaryData"][key] = kube::toBase64(content);
    }
  }
  return object;
}

Result<void> askForCode(const Cluster& cluster, const JobCode& code, const api::ObjectKey& job) {
  Json object = codeMap(code, job, "00000000");
  object["metadata"].erase("ownerReferences");
  const kube::Response response = postMap(cluster, object, job.name_space, /*is_question=*/true);
  if (response.status == 200 || response.status == 201) return {};
  return inWordsOf(kube::failureOf("create ConfigMap", response), cluster, "create",
                   {job.name_space, ""});
}

Result<Sent> sendCode(const Cluster& cluster, const JobCode& code, const api::ObjectKey& job,
                      const std::string& uid) {
  const api::ObjectKey map{job.name_space, api::codeMapName(job.name, uid)};
  const kube::Response response =
      postMap(cluster, codeMap(code, job, uid), job.name_space, /*is_question=*/false);
  if (response.status == 201) return Sent::kNow;
  const auto failure = kube::failureOf("create ConfigMap", response);
  if (failure.alreadyExists()) return judge(cluster, map, uid);
  return inWordsOf(failure, cluster, "create", {job.name_space, ""});
}

}  // namespace sumac::cli
