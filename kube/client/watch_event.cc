#include "kube/client/watch_event.h"

#include <utility>

#include "kube/api/members.h"

namespace sumac::kube {
namespace {

using nlohmann::json;

Error malformed(const std::string& why) {
  return Error{ErrorCode::kInvalid, "a line of the watch is malformed: " + why};
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
  event.resource_version = api::textOf(api::memberOf(event.object, "metadata"), "resourceVersion");
  if (event.resource_version.empty()) return malformed("no metadata.resourceVersion");
  return event;
}

}  // namespace sumac::kube
