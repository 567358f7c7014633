#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/slot.h"
#include "common/keys/key_pair.h"

namespace sumac {

/// No job has more replicas of a role than these, so none needs more keys.
inline constexpr int kMostWorkerKeys = 4096;
inline constexpr int kMostServerKeys = 1024;

/// What a slot's key is called in the job's Secret and in the file of public keys: "worker-3".
std::string keyName(Slot slot);
/// The slot of that name; nothing for anything else, "worker-03" and "worker-4096" included.
std::optional<Slot> slotOfKeyName(std::string_view name);

struct SlotKeys {
  Slot slot;
  KeyPair pair;
};

/// All keys of one job: for the operator, which puts them into a Secret, and for `sumac run`.
/// Servers come first, as slots order.
struct JobKeys {
  std::vector<SlotKeys> slots;

  /// The file `public`, that every member gets: a line "worker-3 <Z85>" a slot.
  std::string publicText() const;
};

/// New keys for each server and for each slot that a worker may ever have: V of them, or as many
/// as a job can have replicas where V is larger. Fails as makeKeyPair() does.
Result<JobKeys> makeJobKeys(int logical_workers, int servers);

}  // namespace sumac
