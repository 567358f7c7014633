#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/descriptor.h"
#include "base/core/result.h"

namespace sumac::cli {

/// Links of a given rate for the members of a run: each member has a network namespace of its own
/// that leads only to the others (cli/run/link_scripts.h). They have no names: what is left of them
/// goes with this object and the members, or the end of these processes, however they end.
class Links {
 public:
  /// Needs root, or CAP_SYS_ADMIN and CAP_NET_ADMIN, and the programs ip and tc. Fails with
  /// kUnavailable where these or the kernel's part are missing, and says what to do; nothing is
  /// left then.
  static Result<Links> make(int members, std::int64_t bits_per_second);

  /// The namespace of a member; ours.
  int namespaceOf(int member) const { return members_[static_cast<std::size_t>(member)].get(); }
  /// Where it listens, and is reached by the others.
  static std::string addressOf(int member);

 private:
  Links() = default;
  Result<void> configure(std::int64_t bits_per_second) const;

  Descriptor hub_;
  std::vector<Descriptor> members_;
};

/// Whether links can be made here, by trying.
Result<void> checkLinks(std::int64_t bits_per_second);

}  // namespace sumac::cli
