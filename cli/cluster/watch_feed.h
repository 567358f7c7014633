#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/cluster/cluster.h"
#include "kube/client/watcher.h"

namespace sumac::cli {

/// Turns a watcher's events into changes, including deletions that only a new list shows. Used by
/// the watcher's thread.
class ChangeSink final : public kube::Sink {
 public:
  explicit ChangeSink(std::function<void(Change)> on_change) : on_change_(std::move(on_change)) {}

  void replaceBegin() override;
  void upsert(const nlohmann::json& object) override;
  void replaceEnd() override;
  void remove(const nlohmann::json& last_state) override;

 private:
  const std::function<void(Change)> on_change_;
  std::map<std::string, std::shared_ptr<const nlohmann::json>> known_;  // by uid
  bool is_replacing_ = false;
  std::set<std::string> listed_;  // while replacing
};

}  // namespace sumac::cli
