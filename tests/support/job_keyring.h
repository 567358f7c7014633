#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "base/keys/job_keys.h"
#include "base/keys/keyring.h"

namespace sumac {

/// What the member at `self` holds of a job's keys.
inline std::shared_ptr<const Keyring> keyringOf(const JobKeys& keys, Slot self) {
  for (const SlotKeys& one : keys.slots) {
    if (one.slot != self) continue;
    return std::make_shared<const Keyring>(
        Keyring::parse(self, one.pair.private_key.text(), keys.publicText()).value());
  }
  throw std::out_of_range("the job has no keys for " + toString(self));
}

}  // namespace sumac
