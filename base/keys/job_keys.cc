#include "base/keys/job_keys.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sumac {
namespace {

constexpr std::string_view kWorkerPrefix = "worker-";
constexpr std::string_view kServerPrefix = "server-";

Result<void> append(JobKeys& keys, Role role, int count) {
  for (int index = 0; index < count; ++index) {
    auto pair = makeKeyPair();
    if (!pair) return pair.error();
    keys.slots.push_back({{role, index}, std::move(pair).value()});
  }
  return {};
}

}  // namespace

std::string keyName(Slot slot) {
  return std::string(toString(slot.role)) + "-" + std::to_string(slot.index);
}

std::optional<Slot> slotOfKeyName(std::string_view name) {
  Slot slot;
  if (name.starts_with(kWorkerPrefix)) {
    slot.role = Role::kWorker;
  } else if (name.starts_with(kServerPrefix)) {
    slot.role = Role::kServer;
  } else {
    return std::nullopt;
  }
  static_assert(kWorkerPrefix.size() == kServerPrefix.size());
  const std::string_view digits = name.substr(kWorkerPrefix.size());
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), slot.index);
  const int most = slot.role == Role::kWorker ? kMostWorkerKeys : kMostServerKeys;
  if (problem != std::errc{} || slot.index < 0 || slot.index >= most) return std::nullopt;
  // Only the one spelling: no zeros in front, no sign, nothing behind.
  if (keyName(slot) != name) return std::nullopt;
  return slot;
}

std::string JobKeys::publicText() const {
  std::string text;
  for (const SlotKeys& one : slots) {
    text += keyName(one.slot) + " " + toText(one.pair.public_key) + "\n";
  }
  return text;
}

Result<JobKeys> makeJobKeys(int logical_workers, int servers) {
  SUMAC_CHECK(logical_workers >= 1 && servers >= 0 && servers <= kMostServerKeys, logical_workers,
              servers);
  JobKeys keys;
  if (auto made = append(keys, Role::kServer, servers); !made) return made.error();
  const int workers = std::min(logical_workers, kMostWorkerKeys);
  if (auto made = append(keys, Role::kWorker, workers); !made) return made.error();
  return keys;
}

}  // namespace sumac
