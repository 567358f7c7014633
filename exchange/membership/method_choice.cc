#include "exchange/membership/method_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "base/core/check.h"
#include "base/core/quantile.h"
#include "base/core/units.h"
#include "exchange/plan/part_tree.h"

namespace sumac {
namespace {

constexpr std::int64_t kLargestDirect = 4 * 1024 * 1024 / sizeof(float);  // values
// A simpler method is kept unless another takes less than this part of its time: measurements of a
// millisecond are not better than that.
constexpr double kClearlyFaster = 0.95;

double within(double value, double least, double most, double otherwise) {
  if (!std::isfinite(value) || value < 0) return otherwise;
  return std::clamp(value, least, most);
}

std::vector<double> valuesOf(const std::vector<ExchangeCosts>& links, double ExchangeCosts::*of) {
  std::vector<double> values;
  values.reserve(links.size());
  for (const ExchangeCosts& link : links)
    values.push_back(link.*of);
  return values;
}

/// What one process needs to send `values`, beyond the first hop.
double transfer(double values, const ExchangePlan& plan, const ExchangeCosts& costs) {
  const double messages = std::ceil(values / static_cast<double>(plan.longest_run));
  return messages * costs.message + values * static_cast<double>(sizeOf(plan.codec)) * costs.byte;
}

}  // namespace

ExchangeCosts bounded(const ExchangeCosts& costs) {
  const ExchangeCosts typical;
  return {within(costs.hop, 1e-6, 1.0, typical.hop),
          within(costs.message, 0.1e-6, 10e-3, typical.message),
          within(costs.byte, 1e-12, 1e-5, typical.byte),
          within(costs.add, 1e-12, 1e-6, typical.add)};
}

ExchangeCosts combined(const std::vector<ExchangeCosts>& links,
                       const std::vector<std::uint64_t>& add_rates) {
  ExchangeCosts all;
  std::vector<ExchangeCosts> sane;
  for (const ExchangeCosts& link : links)
    sane.push_back(bounded(link));
  if (!sane.empty()) {
    all.hop = median(valuesOf(sane, &ExchangeCosts::hop));
    all.message = median(valuesOf(sane, &ExchangeCosts::message));
    all.byte = std::ranges::max(valuesOf(sane, &ExchangeCosts::byte));
  }
  std::uint64_t slowest = 0;
  for (const std::uint64_t rate : add_rates) {
    if (rate == 0 || rate > kLargestAddRate) continue;
    slowest = slowest == 0 ? rate : std::min(slowest, rate);
  }
  if (slowest > 0) all.add = 1.0 / static_cast<double>(slowest);
  return bounded(all);
}

bool mayBeDirect(const ExchangePlan& plan, int workers) {
  return workers <= 2 || plan.values <= kLargestDirect;
}

std::vector<ExchangeMethod> canonicalMethods(const ExchangePlan& plan, int workers) {
  if (workers == 1) return {ExchangeMethod::kDirect};
  std::vector<ExchangeMethod> methods;
  if (mayBeDirect(plan, workers)) methods.push_back(ExchangeMethod::kDirect);
  methods.push_back(ExchangeMethod::kScatterGather);
  // Of two workers it would send what is sent to owners. A lossy codec rounds what is passed on, so
  // that its bits are others.
  const bool halves = workers >= 4 && plan.codec == Codec::kFp32 &&
                      std::has_single_bit(static_cast<unsigned>(workers)) &&
                      std::has_single_bit(static_cast<unsigned>(plan.parts));
  if (halves) methods.push_back(ExchangeMethod::kHalvingDoubling);
  return methods;
}

int mostContributions(const ExchangePlan& plan, int workers) {
  std::size_t most = 1;
  for (int i = 0; i < workers; ++i)
    most = std::max(most, maximalNodes(blockOf(i, workers, plan.parts), plan.parts).size());
  return static_cast<int>(most);
}

double predictedSeconds(ExchangeMethod method, const ExchangePlan& plan, int workers,
                        const ExchangeCosts& costs) {
  SUMAC_CHECK(method != ExchangeMethod::kRing && method != ExchangeMethod::kServers);
  if (workers == 1) return 0;
  const double n = workers;
  const auto all = static_cast<double>(plan.values);
  const double bytes = all * sizeof(float);
  if (method == ExchangeMethod::kHalvingDoubling) {
    double seconds = 0;
    for (int group = 2; group <= workers; group *= 2) {
      seconds += 2 * (costs.hop + transfer(all / group, plan, costs)) + bytes / group * costs.add;
    }
    return seconds;
  }
  const double c = mostContributions(plan, workers);
  const double adds = c * n - 1;
  if (method == ExchangeMethod::kDirect)
    return costs.hop + c * (n - 1) * transfer(all, plan, costs) + adds * bytes * costs.add;
  return 2 * costs.hop + (c + 1) * (n - 1) * transfer(all / n, plan, costs) +
         adds * bytes / n * costs.add;
}

MethodChoice chooseMethod(const ExchangePlan& plan, int workers, const ExchangeCosts& costs,
                          int links, std::string_view before) {
  MethodChoice choice;
  choice.links = links;
  choice.costs = bounded(costs);
  double best = 0;
  for (const ExchangeMethod method : canonicalMethods(plan, workers)) {
    const double seconds = predictedSeconds(method, plan, workers, choice.costs);
    const bool is_first = choice.predicted.empty();
    choice.predicted.push_back({method, seconds});
    if (!is_first && seconds >= kClearlyFaster * best) continue;
    choice.method = method;
    best = seconds;
  }
  for (const MethodCost& possible : choice.predicted) {
    if (toString(possible.method) != before) continue;
    choice.method = possible.method;
    choice.is_resumed = true;
  }
  return choice;
}

std::string choiceText(const MethodChoice& choice) {
  std::string chosen(toString(choice.method));
  if (choice.is_resumed) chosen += ", as in the checkpoint";
  std::string others;
  for (const auto& [method, seconds] : choice.predicted) {
    if (method == choice.method) {
      chosen += ", predicted " + durationText(seconds);
    } else {
      others += (others.empty() ? "; " : ", ") + std::string(toString(method)) + " " +
                durationText(seconds);
    }
  }
  return chosen + others;
}

}  // namespace sumac
