#include "operator/kube/watch_event.h"

#include <utility>

namespace sumac::kube {
namespace {

using nlohmann::json;

Error malformed(const std::string& why) {
  return Error{ErrorCode::kInvalid, "a line of the watch is malformed: " + why};
}

std::string versionOf(const json& object) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return "";
  const auto version = metadata->find("resourceVersion");
  return version != metadata->end() && version->is_string() ? version->get<std::string>() : "";
}

}  // namespace

Result<WatchEvent> readWatchEvent(std::string_view line) {
  json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return malformed("no JSON object");
  const auto type = parsed.find("type");
  const auto object = parsed.find("object");
  if (type == parsed.end() || !type->is_string() || object == parsed.end() ||
      !object->is_object()) {
    return malformed("no type or no object");
  }
  const std::string name = type->get<std::string>();
  WatchEvent event;
  event.object = std::move(*object);
  if (name == "ERROR") {
    event.type = WatchEventType::kError;
    return event;
  }
  if (name == "ADDED" || name == "MODIFIED") {
    event.type = WatchEventType::kUpsert;
  } else if (name == "DELETED") {
    event.type = WatchEventType::kDelete;
  } else if (name != "BOOKMARK") {
    return malformed("unknown type " + name.substr(0, 32));
  }
  event.resource_version = versionOf(event.object);
  if (event.resource_version.empty()) return malformed("no metadata.resourceVersion");
  return event;
}

}  // namespace sumac::kube
