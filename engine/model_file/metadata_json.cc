#include "engine/model_file/metadata_json.h"

#include <nlohmann/json.hpp>

namespace sumac::worker {

using nlohmann::json;

Error wrongMetadata(const std::string& name, const std::string& rule) {
  return Error{ErrorCode::kInvalid,
               "its description is damaged: metadata \"" + name + "\" " + rule + kAnotherCopy};
}

json jsonOf(const Metadata& metadata, const char* name) {
  const auto found = metadata.find(name);
  if (found == metadata.end()) return nullptr;
  json parsed = json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? json(nullptr) : parsed;
}

}  // namespace sumac::worker
