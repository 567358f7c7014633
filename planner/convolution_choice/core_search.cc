#include "planner/convolution_choice/core_search.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace sumac::planner::internal {
namespace {

constexpr std::size_t kNoChange = std::numeric_limits<std::size_t>::max();
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Another option than the relaxation's, as differences from it.
struct Alternative {
  std::size_t option = 0;
  double seconds = 0;
  std::int64_t bytes = 0;
};

/// A convolution that may change.
struct Core {
  std::size_t convolution = 0;
  std::vector<Alternative> alternatives;
  double penalty = kNever;  // what the best change costs at the relaxation's price of a byte
};

/// The best that a group of convolutions can do by changing.
struct Prospect {
  double saved_per_byte = 0;      // of a change that takes more bytes, at most
  double lost_per_byte = kNever;  // of a change that frees bytes, at least

  void include(const Core& core) {
    for (const Alternative& each : core.alternatives) {
      if (each.bytes > 0) {
        saved_per_byte = std::max(saved_per_byte, -each.seconds / static_cast<double>(each.bytes));
      } else {
        lost_per_byte = std::min(lost_per_byte, each.seconds / static_cast<double>(-each.bytes));
      }
    }
  }
};

/// A partial choice, as differences from the relaxation's.
struct State {
  double seconds = 0;
  std::int64_t bytes = 0;
  std::size_t change = kNoChange;  // the last one that it made
};

/// One change of a partial choice.
struct Change {
  std::size_t before = kNoChange;
  std::size_t convolution = 0;
  std::size_t option = 0;
};

class Search {
 public:
  Search(const std::vector<Options>& convolutions, const Relaxation& relaxation,
         std::int64_t bound_bytes, std::size_t max_states)
      : convolutions_(convolutions),
        relaxation_(relaxation),
        free_bytes_(bound_bytes - relaxation.base_bytes),
        max_states_(max_states) {}

  Found run() {
    improveGreedily();
    collectCore();
    std::vector<Prospect> left(core_.size() + 1);
    for (std::size_t i = core_.size(); i-- > 0;) {
      left[i] = left[i + 1];
      left[i].include(core_[i]);
    }
    std::vector<State> states{State{}};
    for (std::size_t i = 0; i < core_.size() && !states.empty(); ++i) {
      std::vector<State> next = expanded(states, core_[i], left[i + 1]);
      if (changes_.size() > max_states_) return found(lowestBound(states, left[i]), false);
      states = std::move(next);
    }
    return found(best_seconds_, true);
  }

 private:
  /// A first choice: takes for each convolution the fastest option that still fits.
  void improveGreedily() {
    best_ = relaxation_.base;
    std::int64_t left = free_bytes_;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      const Options& options = convolutions_[i];
      const Option& base = options[relaxation_.base[i]];
      std::size_t to = relaxation_.base[i];
      while (to + 1 < options.size() && options[to + 1].bytes - base.bytes <= left)
        ++to;
      left -= options[to].bytes - base.bytes;
      best_seconds_ += options[to].seconds - base.seconds;
      best_[i] = to;
    }
  }

  /// Keeps the changes that could be part of a better choice than the first one.
  void collectCore() {
    constexpr double kRounding = 1e-12;  // of sums of thousands of seconds, relative
    const double rounding = kRounding * relaxation_.base_seconds;
    const double gap = relaxation_.base_seconds + best_seconds_ - relaxation_.lower_bound;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      const Options& options = convolutions_[i];
      const Option& base = options[relaxation_.base[i]];
      Core core{i, {}};
      for (std::size_t j = 0; j < options.size(); ++j) {
        if (j == relaxation_.base[i]) continue;
        const Alternative each{j, options[j].seconds - base.seconds, options[j].bytes - base.bytes};
        const double penalty =
            each.seconds + relaxation_.seconds_per_byte * static_cast<double>(each.bytes);
        if (penalty > gap + rounding) continue;
        core.alternatives.push_back(each);
        core.penalty = std::min(core.penalty, penalty);
      }
      if (!core.alternatives.empty()) core_.push_back(std::move(core));
    }
    std::stable_sort(core_.begin(), core_.end(),
                     [](const Core& a, const Core& b) { return a.penalty < b.penalty; });
  }

  /// No completion of the state by changes of the convolutions left takes fewer seconds.
  double boundOf(const State& state, const Prospect& left) const {
    const auto room = static_cast<double>(free_bytes_ - state.bytes);
    if (room >= 0) return state.seconds - left.saved_per_byte * room;
    return state.seconds - left.lost_per_byte * room;
  }

  double lowestBound(const std::vector<State>& states, const Prospect& left) const {
    double lowest = best_seconds_;
    for (const State& state : states)
      lowest = std::min(lowest, boundOf(state, left));
    return lowest;
  }

  /// The states with each option of one more convolution, without those that lead nowhere.
  std::vector<State> expanded(const std::vector<State>& states, const Core& core,
                              const Prospect& left) {
    std::vector<State> next;
    for (const State& state : states)
      keep(state, left, next);
    for (const Alternative& each : core.alternatives) {
      for (const State& state : states) {
        const State changed{state.seconds + each.seconds, state.bytes + each.bytes,
                            changes_.size()};
        if (!keep(changed, left, next)) continue;
        changes_.push_back({state.change, core.convolution, each.option});
        if (changed.bytes <= free_bytes_ && changed.seconds < best_seconds_) take(changed);
        if (changes_.size() > max_states_) return next;
      }
    }
    std::sort(next.begin(), next.end(), [](const State& a, const State& b) {
      return std::tie(a.bytes, a.seconds) < std::tie(b.bytes, b.seconds);
    });
    double fastest = kNever;
    const auto is_dominated = [&](const State& state) {
      if (state.seconds >= fastest) return true;
      fastest = state.seconds;
      return false;
    };
    next.erase(std::remove_if(next.begin(), next.end(), is_dominated), next.end());
    return next;
  }

  bool keep(const State& state, const Prospect& left, std::vector<State>& next) const {
    // A state that is the best itself is written down by take(); only what may become better stays.
    const bool is_best = state.bytes <= free_bytes_ && state.seconds < best_seconds_;
    if (!is_best && boundOf(state, left) >= best_seconds_) return false;
    next.push_back(state);
    return true;
  }

  void take(const State& state) {
    best_seconds_ = state.seconds;
    best_ = relaxation_.base;
    for (std::size_t i = state.change; i != kNoChange; i = changes_[i].before)
      best_[changes_[i].convolution] = changes_[i].option;
  }

  Found found(double lower_bound, bool is_optimal) const {
    return {best_, relaxation_.base_seconds + lower_bound, is_optimal};
  }

  const std::vector<Options>& convolutions_;  // outlives us
  const Relaxation& relaxation_;              // outlives us
  const std::int64_t free_bytes_;
  const std::size_t max_states_;
  std::vector<Core> core_;
  std::vector<Change> changes_;
  std::vector<std::size_t> best_;
  double best_seconds_ = 0;  // as a difference from the relaxation's
};

}  // namespace

Found searchCore(const std::vector<Options>& convolutions, const Relaxation& relaxation,
                 std::int64_t bound_bytes, std::size_t max_states) {
  return Search(convolutions, relaxation, bound_bytes, max_states).run();
}

}  // namespace sumac::planner::internal
