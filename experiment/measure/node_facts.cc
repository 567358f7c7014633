#include "experiment/measure/node_facts.h"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace sumac::experiment {
namespace {

// What is written as text, each with its name.
struct FactText {
  const char* name;
  std::string NodeFacts::*text;
};
constexpr std::array kFactTexts = {
    FactText{"machineType", &NodeFacts::machine_type}, FactText{"cpus", &NodeFacts::cpus},
    FactText{"kernel", &NodeFacts::kernel}, FactText{"architecture", &NodeFacts::architecture}};
constexpr const char* kMemoryBytes = "memoryBytes";

std::string factAt(const nlohmann::json& object, const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!object.is_object() || !object.contains(at) || !object.at(at).is_string()) return {};
  return object.at(at).get<std::string>();
}

/// Bytes of a quantity as nodes write their memory, "16393244Ki"; 0: it is none.
std::uint64_t bytesOf(std::string_view quantity) {
  using Unit = std::pair<std::string_view, unsigned>;
  constexpr std::array kUnits = {Unit("Ki", 10U), Unit("Mi", 20U), Unit("Gi", 30U), Unit("", 0U)};
  std::uint64_t count = 0;
  const char* const end = quantity.data() + quantity.size();
  const auto [rest, problem] = std::from_chars(quantity.data(), end, count);
  if (problem != std::errc()) return 0;
  for (const auto& [unit, shift] : kUnits) {
    if (std::string_view(rest, static_cast<std::size_t>(end - rest)) != unit) continue;
    return count <= (std::numeric_limits<std::uint64_t>::max() >> shift) ? count << shift : 0;
  }
  return 0;
}

}  // namespace

NodeFacts nodeFactsOf(const std::string& name, const nlohmann::json& node) {
  return {.name = name,
          .machine_type = factAt(node, "/metadata/labels/node.kubernetes.io~1instance-type"),
          .cpus = factAt(node, "/status/capacity/cpu"),
          .memory_bytes = bytesOf(factAt(node, "/status/capacity/memory")),
          .kernel = factAt(node, "/status/nodeInfo/kernelVersion"),
          .architecture = factAt(node, "/status/nodeInfo/architecture")};
}

nlohmann::ordered_json toJson(const NodeFacts& facts) {
  nlohmann::ordered_json json{{"name", facts.name}};
  for (const auto& [name, text] : kFactTexts) {
    if (!(facts.*text).empty()) json[name] = facts.*text;
  }
  if (facts.memory_bytes > 0) json[kMemoryBytes] = facts.memory_bytes;
  return json;
}

std::optional<NodeFacts> nodeFactsFrom(const nlohmann::json& json) {
  NodeFacts facts;
  facts.name = factAt(json, "/name");
  if (facts.name.empty()) return std::nullopt;
  for (const auto& [name, text] : kFactTexts)
    facts.*text = factAt(json, (std::string("/") + name).c_str());
  const auto memory = json.find(kMemoryBytes);
  if (memory != json.end() && memory->is_number_unsigned())
    facts.memory_bytes = memory->get<std::uint64_t>();
  return facts;
}

}  // namespace sumac::experiment
