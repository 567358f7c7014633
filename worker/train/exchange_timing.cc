#include "worker/train/exchange_timing.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "kernels/aligned_buffer.h"

namespace sumac::worker {
namespace {

constexpr Step kWarmUpShare = 5;  // of the steps, one in so many warms up

/// What one worker contributes: a set of buffers for odd and one for even steps, as the session
/// requires.
class SyntheticGradient {
 public:
  SyntheticGradient(const ExchangePlan& plan, TreeNode block)
      : nodes_(maximalNodes(block, plan.parts)) {
    for (Set& set : sets_) {
      for (const TreeNode node : nodes_) {
        auto values = std::make_shared<AlignedBuffer>(static_cast<std::size_t>(plan.values));
        set.contributions.push_back({node, values->values(), values});
        set.values.push_back(std::move(values));
      }
    }
  }

  /// Makes the values of `step`, which stay those of its remainder by two.
  void fill(Step step) {
    Set& set = setOf(step);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::span<float> values = set.values[i]->values();
      for (std::size_t at = 0; at < values.size(); ++at)
        values[at] = syntheticValue(nodes_[i], step, at);
    }
  }

  std::span<const Contribution> contributions(Step step) { return setOf(step).contributions; }

 private:
  struct Set {
    std::vector<std::shared_ptr<AlignedBuffer>> values;
    std::vector<Contribution> contributions;
  };
  Set& setOf(Step step) { return sets_[static_cast<std::size_t>(step % 2)]; }

  std::vector<TreeNode> nodes_;
  std::array<Set, 2> sets_;
};

/// One measurement. Owned by the trainer's thread.
class Timing {
 public:
  Timing(const TrainingSetup& setup, ExchangeClient& exchange, const Clock& clock, TreeNode block)
      : exchange_(exchange),
        clock_(clock),
        parts_(setup.plan.parts),
        bytes_(setup.plan.values * static_cast<std::int64_t>(sizeof(float))),
        steps_(setup.job.training.steps.value_or(1)),
        warm_up_(steps_ / kWarmUpShare),
        gradient_(setup.plan, block) {
    seconds_.reserve(static_cast<std::size_t>(steps_));
  }

  /// Returns how the job ends where it does before the last step.
  std::optional<ProcessEnd> run() {
    for (Step step = 1; step <= steps_; ++step) {
      if (const auto over = exchange_.awaitBuffers(step)) return stopped(*over);
      if (valuesOf(step) == step) gradient_.fill(step);
      if (auto end = exchangeStep(step)) return end;
    }
    return std::nullopt;
  }

  std::string result() {
    std::sort(seconds_.begin(), seconds_.end());
    const link::Statistics traffic = exchange_.statistics();
    const auto steps = static_cast<std::uint64_t>(steps_);
    return nlohmann::json{{"p50", seconds_[seconds_.size() / 2]},
                          {"least", seconds_.front()},
                          {"most", seconds_.back()},
                          {"steps", seconds_.size()},
                          {"bytes", bytes_},
                          {"sentBytesPerStep", traffic.bytes_sent / steps},
                          {"receivedBytesPerStep", traffic.bytes_received / steps}}
        .dump();
  }

 private:
  /// The step whose values `step` has. Steps that are measured have those of the two steps before
  /// them; the last one has its own, so that a sum of any step before it is noticed.
  Step valuesOf(Step step) const {
    const Step last = std::max<Step>(warm_up_, 2);
    return step <= last || step == steps_ ? step : last - (step - last) % 2;
  }

  std::optional<ProcessEnd> exchangeStep(Step step) {
    const TimePoint begun = clock_.now();
    exchange_.submit(step, gradient_.contributions(valuesOf(step)));
    const auto event = exchange_.awaitSum(step);
    const TimePoint summed = clock_.now();
    const auto* const sum = std::get_if<Sum>(&event);
    if (sum == nullptr) return stopped(event);
    // Not between steps that are measured: who checks longest would keep the others waiting.
    const bool is_checked = step <= warm_up_ - 2 || step == steps_;
    const std::string wrong =
        is_checked ? wrongSum(sum->values, parts_, valuesOf(step)) : std::string();
    if (!wrong.empty()) return failed(wrong);
    // In the last one, who makes its values faster waits for the others.
    const bool is_measured = step > warm_up_ && (step < steps_ || seconds_.empty());
    if (is_measured) seconds_.push_back(std::chrono::duration<double>(summed - begun).count());
    return std::nullopt;
  }

  ProcessEnd stopped(const StepEvent& event) {
    if (const auto* const end = std::get_if<ProcessEnd>(&event)) return *end;
    exchange_.stopped();
    return exchange_.awaitEnd();
  }

  ProcessEnd failed(const std::string& why) {
    exchange_.fail(ExitCode::kFailed, why);
    exchange_.awaitEnd();  // until the others have been told
    return {ExitCode::kFailed, why};
  }

  ExchangeClient& exchange_;  // outlives us
  const Clock& clock_;        // outlives us
  const int parts_;
  const std::int64_t bytes_;
  const Step steps_;
  const Step warm_up_;
  SyntheticGradient gradient_;
  std::vector<double> seconds_;
};

}  // namespace

float syntheticValue(TreeNode node, Step step, std::size_t index) {
  constexpr std::size_t kValues = 251;  // a prime: no period of ranges or buffers
  constexpr float kMiddle = 125;
  float sum = 0;
  for (int part = node.begin; part < node.end; ++part) {
    const std::size_t mixed =
        index + 31 * static_cast<std::size_t>(part) + 7 * static_cast<std::size_t>(step);
    sum += static_cast<float>(mixed % kValues) - kMiddle;
  }
  return sum;
}

std::string wrongSum(std::span<const float> sum, int parts, Step step) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const float expected = syntheticValue({0, parts}, step, i);
    if (sum[i] == expected) continue;
    return "value " + std::to_string(i) + " of the sum of step " + std::to_string(step) + " is " +
           std::to_string(sum[i]) + ", not " + std::to_string(expected);
  }
  return {};
}

ProcessEnd timeExchange(const TrainingSetup& setup, ExchangeClient& exchange, const Clock& clock) {
  auto event = exchange.join();
  if (auto* const end = std::get_if<ProcessEnd>(&event)) return *end;
  const TreeNode block = std::get<Start>(event).block;
  Timing timing(setup, exchange, clock, block);
  auto end = timing.run();
  if (!end) {
    const std::string result = timing.result();
    exchange.finished(block.begin == 0 ? result : std::string());
    end = exchange.awaitEnd();
  }
  exchange.close();  // it reads our buffers until then
  return *end;
}

}  // namespace sumac::worker
