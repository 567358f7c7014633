#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/integration/simulation/sim_job.h"

namespace sumac {

/// One thing that happens to a job. All of it but whom it hits is drawn before: that is for `pick`
/// to say among those who are there then. So any of a list can be left out, and the others are the
/// same.
struct SimMishap {
  enum class Kind : std::uint8_t {
    kJoin,     // a worker of the next index starts
    kLeave,    // a member is asked to stop
    kLose,     // it is killed, and nobody takes its slot
    kReplace,  // any process is killed, and another one of its slot starts after `time`
    kDrain,    // slot 0 is asked to stop, and another one starts `time` after its end
    kPause,    // a process does not run for `time`
    kZombie,   // the same, and another one of its slot starts when it is missed
    kCut,      // for `time` nothing passes from some of the members to the others
    // Once a worker asks for a state, all that have it are killed; others start after `time`.
    kLoseHolders,
  };

  Kind kind = Kind::kJoin;
  Duration at{};
  Duration time{};
  std::uint32_t pick = 0;
  std::optional<link::Lane> lane{};  // of kCut; none: both
  // Once all that workers contribute to this step is sent, and `at` after that; 0: not so.
  Step sent = 0;
};

/// Who comes and goes in one job, and what that was in words.
class SimMishaps {
 public:
  /// The references outlive us.
  SimMishaps(const SimOptions& options, SimJob& job) : options_(options), job_(job) {}

  void plan(const std::vector<SimMishap>& mishaps);
  /// A line each, in the order in which they happened.
  const std::vector<std::string>& told() const { return told_; }

 private:
  void happen(const SimMishap& mishap);
  void tell(const SimMishap& mishap, const std::string& what);
  std::vector<Slot> living(bool with_coordinator) const;
  int training() const;
  std::optional<Slot> victim(const SimMishap& mishap, bool with_coordinator) const;
  void ask(Slot slot);
  void leave(const SimMishap& mishap);
  void lose(const SimMishap& mishap);
  void replace(const SimMishap& mishap);
  void drain(const SimMishap& mishap);
  void pause(const SimMishap& mishap);
  void cut(const SimMishap& mishap);
  void loseHolders(const SimMishap& mishap, const Member& receiver);

  const SimOptions& options_;
  SimJob& job_;
  std::vector<std::string> told_;
};

}  // namespace sumac
