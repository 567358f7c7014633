#include "cli/plan/cpu_limit.h"

#include <charconv>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sumac::cli {
namespace {

using Json = nlohmann::ordered_json;

/// As Kubernetes writes them: "2", "0.5", "1500m".
std::optional<double> coresIn(std::string_view text) {
  constexpr double kMilli = 1e-3;
  const bool is_milli = text.ends_with('m');
  if (is_milli) text.remove_suffix(1);
  double cores = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cores);
  if (error != std::errc() || end != text.data() + text.size() || !(cores > 0)) return std::nullopt;
  return is_milli ? kMilli * cores : cores;
}

}  // namespace

std::optional<double> workerCpuLimit(const std::string& resolved) {
  const Json job = Json::parse(resolved, nullptr, /*allow_exceptions=*/false);
  const Json::json_pointer place("/spec/worker/template/spec/containers");
  if (!job.is_object() || !job.contains(place) || !job.at(place).is_array()) return std::nullopt;
  for (const Json& container : job.at(place)) {
    if (!container.is_object() || container.value("name", Json()) != "sumac") continue;
    const Json::json_pointer limit("/resources/limits/cpu");
    if (!container.contains(limit)) return std::nullopt;
    const Json& cpu = container.at(limit);
    return coresIn(cpu.is_string() ? cpu.get<std::string>() : cpu.dump());
  }
  return std::nullopt;
}

}  // namespace sumac::cli
