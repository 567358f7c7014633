#include <nlohmann/json.hpp>

#include "base/keys/job_keys.h"
#include "base/keys/job_token.h"
#include "operator/trainingjob/children/child_meta.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

using nlohmann::json;

Result<json> makeSecret(const api::TrainingJob& job, const JobRecord& record) {
  const std::string what = "while drawing the keys of job " + job.meta.key.text();
  json data = json::object();
  if (record.has_token) {
    auto token = makeJobToken();
    if (!token) return token.error().within(what);
    data[kTokenEntry] = *std::move(token);
  }
  if (record.is_encrypted) {
    const auto keys = makeJobKeys(record.logical_workers, record.servers);
    if (!keys) return keys.error().within(what);
    data[kPublicKeysEntry] = keys->publicText();
    for (const SlotKeys& slot : keys->slots)
      data[keyName(slot.slot)] = slot.pair.private_key.text();
  }
  const std::string name = secretName(job.meta.key.name, job.meta.uid, record);
  return json{{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", childMeta(job, name)},
              {"immutable", true},  {"type", "Opaque"}, {"stringData", std::move(data)}};
}

}  // namespace sumac::trainingjob
