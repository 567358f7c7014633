#include "kube/api/quota.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "kube/api/meta.h"

namespace sumac::api {
namespace {

using internal::Fields;
using Unit = std::pair<std::string_view, double>;

constexpr std::array kUnits = {
    Unit("", 1),        Unit("n", 1e-9),    Unit("u", 1e-6),    Unit("m", 1e-3),
    Unit("k", 1e3),     Unit("M", 1e6),     Unit("G", 1e9),     Unit("T", 1e12),
    Unit("P", 1e15),    Unit("E", 1e18),    Unit("Ki", 0x1p10), Unit("Mi", 0x1p20),
    Unit("Gi", 0x1p30), Unit("Ti", 0x1p40), Unit("Pi", 0x1p50), Unit("Ei", 0x1p60)};

constexpr int kMostRoom = 1'000'000;

/// Takes what stands before `end`, and `end` itself, from the beginning of `text`; all of it where
/// there is no such end.
std::string_view takeUntil(std::string_view& text, std::string_view end) {
  const std::size_t found = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, found);
  text.remove_prefix(std::min(found + end.size(), text.size()));
  return taken;
}

std::map<std::string, double> amountsIn(const Fields& fields, const char* name) {
  std::map<std::string, double> amounts;
  for (const auto& [resource, text] : fields.texts(name)) {
    if (const auto amount = quantityOf(text)) amounts.emplace(resource, *amount);
  }
  return amounts;
}

}  // namespace

std::optional<double> quantityOf(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const auto found = std::ranges::find(kUnits, unit, &Unit::first);
  return found == kUnits.end() ? std::nullopt : std::optional(number * found->second);
}

Result<ResourceQuota> quotaFromJson(const nlohmann::json& object) {
  std::string problem;
  const Fields fields(&object, "", problem);
  const ObjectMeta meta = internal::readMeta(fields);
  const Fields status = fields.object("status");
  ResourceQuota quota{
      .key = meta.key, .hard = amountsIn(status, "hard"), .used = amountsIn(status, "used")};
  if (!problem.empty()) return internal::refusal("ResourceQuota", meta, problem);
  return quota;
}

const ResourceQuota* findQuota(const Quotas& quotas, std::string_view name) {
  const auto found =
      std::ranges::find_if(quotas, [&](const auto& quota) { return quota->key.name == name; });
  return found == quotas.end() ? nullptr : found->get();
}

std::optional<QuotaLack> quotaLackOf(std::string_view message) {
  constexpr std::string_view kBegin = "exceeded quota: ";
  constexpr std::string_view kRequested = ", requested: ";
  const std::size_t begin = message.find(kBegin);
  if (begin == message.npos) return std::nullopt;
  message.remove_prefix(begin + kBegin.size());
  if (message.find(kRequested) == message.npos) return std::nullopt;
  const std::string_view quota = takeUntil(message, kRequested);
  const std::string_view requested = takeUntil(message, ", used: ");
  return QuotaLack{.quota = std::string(quota), .requested = std::string(requested)};
}

std::optional<double> leftOf(const ResourceQuota& quota, const std::string& resource) {
  const auto hard = quota.hard.find(resource);
  if (hard == quota.hard.end()) return std::nullopt;
  const auto used = quota.used.find(resource);
  return hard->second - (used == quota.used.end() ? 0 : used->second);
}

std::optional<int> roomIn(const ResourceQuota& quota, std::string_view requested) {
  constexpr double kRounding = 1e-9;
  if (requested.empty()) return std::nullopt;
  double room = kMostRoom;
  while (!requested.empty()) {
    std::string_view amount = takeUntil(requested, ",");
    const std::string resource(takeUntil(amount, "="));
    const auto each = quantityOf(amount);
    if (!each || *each <= 0) return std::nullopt;
    const auto left = leftOf(quota, resource);
    if (!left) continue;  // not limited any more
    room = std::min(room, std::floor(*left / *each + kRounding));
  }
  return static_cast<int>(std::max(room, 0.0));
}

}  // namespace sumac::api
