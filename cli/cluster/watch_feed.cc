#include "cli/cluster/watch_feed.h"

#include <nlohmann/json.hpp>

namespace sumac::cli {
namespace {

std::string uidOf(const nlohmann::json& object) {
  const nlohmann::json::json_pointer uid("/metadata/uid");
  const bool is_there = object.is_object() && object.contains(uid) && object.at(uid).is_string();
  return is_there ? object.at(uid).get<std::string>() : std::string();
}

}  // namespace

void ChangeSink::replaceBegin() {
  is_replacing_ = true;
  listed_.clear();
}

void ChangeSink::upsert(const nlohmann::json& object) {
  const std::string uid = uidOf(object);
  if (uid.empty()) return;
  if (is_replacing_) listed_.insert(uid);
  auto& known = known_[uid];
  // A list repeats what did not change.
  if (known != nullptr && *known == object) return;
  known = std::make_shared<const nlohmann::json>(object);
  on_change_({false, known});
}

void ChangeSink::replaceEnd() {
  is_replacing_ = false;
  for (auto entry = known_.begin(); entry != known_.end();) {
    if (listed_.contains(entry->first)) {
      ++entry;
      continue;
    }
    on_change_({true, entry->second});
    entry = known_.erase(entry);
  }
}

void ChangeSink::remove(const nlohmann::json& last_state) {
  known_.erase(uidOf(last_state));
  on_change_({true, std::make_shared<const nlohmann::json>(last_state)});
}

}  // namespace sumac::cli
