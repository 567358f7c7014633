#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sumac::experiment {

/// A node of a cluster, as far as one may see it. A value type.
struct NodeFacts {
  std::string name;
  std::string machine_type =
      {};                 // that the cloud gives: "n2-standard-4"; empty: not known, as below
  std::string cpus = {};  // "4"
  std::uint64_t memory_bytes = 0;
  std::string kernel = {};
  std::string architecture = {};

  bool operator==(const NodeFacts&) const = default;
};

/// From a Node object; nothing but the name where it says no more.
NodeFacts nodeFactsOf(const std::string& name, const nlohmann::json& node);

/// As a part of a run's file and of results.json, and back; nothing for anything else.
nlohmann::ordered_json toJson(const NodeFacts& facts);
std::optional<NodeFacts> nodeFactsFrom(const nlohmann::json& json);

}  // namespace sumac::experiment
