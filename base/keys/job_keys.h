#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/keys/key_pair.h"

namespace sumac {

/// The most replicas of each role in a job, and so the most keys.
inline constexpr int kMostWorkerKeys = 4096;
inline constexpr int kMostServerKeys = 1024;

/// The name of a slot's key in the job's Secret and in the file of public keys: "worker-3".
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

  /// The file `public` of every member: one line "worker-3 <Z85>" per slot.
  std::string publicText() const;
};

/// New keys for each server and for each possible worker slot: V of them, or kMostWorkerKeys where
/// V is larger. Fails as makeKeyPair() does.
Result<JobKeys> makeJobKeys(int logical_workers, int servers);

}  // namespace sumac
