#include <nlohmann/json.hpp>

#include "common/keys/job_keys.h"
#include "operator/trainingjob/children/child_meta.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

using nlohmann::json;

Result<json> makeSecret(const api::TrainingJob& job, const JobRecord& record) {
  const auto keys = makeJobKeys(record.logical_workers, record.servers);
  if (!keys) return keys.error().within("while drawing the keys of job " + job.meta.key.text());
  json data{{kPublicKeysEntry, keys->publicText()}};
  for (const SlotKeys& slot : keys->slots)
    data[keyName(slot.slot)] = slot.pair.private_key.text();
  const std::string name = secretName(job.meta.key.name, job.meta.uid, record);
  return json{{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", childMeta(job, name)},
              {"immutable", true},  {"type", "Opaque"}, {"stringData", std::move(data)}};
}

}  // namespace sumac::trainingjob
