#pragma once

#include <functional>
#include <utility>

#include "kube/client/watcher.h"

namespace sumac::cache {

/// Passes everything to `next` and calls `complete` once, on the watcher's thread, when the first
/// list is complete: nothing may be decided from half a list.
class FirstList final : public kube::Sink {
 public:
  FirstList(kube::Sink& next, std::function<void()> complete)
      : next_(next), complete_(std::move(complete)) {}

  void replaceBegin() override { next_.replaceBegin(); }
  void upsert(const nlohmann::json& object) override { next_.upsert(object); }
  void remove(const nlohmann::json& last_state) override { next_.remove(last_state); }
  void replaceEnd() override {
    next_.replaceEnd();
    if (!std::exchange(is_complete_, true)) complete_();
  }

 private:
  kube::Sink& next_;  // outlives us
  const std::function<void()> complete_;
  bool is_complete_ = false;
};

}  // namespace sumac::cache
