#include <nlohmann/json.hpp>

#include "kube/api/labels.h"
#include "operator/trainingjob/children/child_meta.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

using nlohmann::json;

json makeService(const api::TrainingJob& job) {
  const std::string& name = job.meta.key.name;
  const auto port = [](const char* port_name, int number) {
    return json{{"name", port_name}, {"port", number}, {"targetPort", number}, {"protocol", "TCP"}};
  };
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", childMeta(job, childName(name, job.meta.uid, Child::kService))},
          {"spec",
           {{"clusterIP", "None"},
            // Members look for slot 0 before it is ready: ready means that they found each other.
            {"publishNotReadyAddresses", true},
            {"selector", {{api::kJobLabel, name}}},
            {"ports", json::array({port("data", kDataPort), port("status", kStatusPort)})}}}};
}

}  // namespace sumac::trainingjob
