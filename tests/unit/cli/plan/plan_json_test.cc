#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/units.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/plan/planned.h"

// What programs read of a plan: keys and raw values of schema version 1. Sentences may change.

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

bool isSentence(const std::string& key) {
  for (const char* const name :
       {"noPlan", "reasons", "notes", "limits", "place", "obstacles", "whyNot", "findings",
        "strategiesBasis", "largestBatch", "serversThatHide", "what", "text", "unchanged", "name",
        "value", "source", "reason", "remark"})
    if (key == name) return true;
  return false;
}

/// With "..." for sentences, and numbers of six digits.
Json rawValues(const Json& json) {
  if (json.is_number_float()) return shortText(json.get<double>());
  if (!json.is_structured()) return json;
  Json raw = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    const bool is_text = isSentence(key) || (key == "workers" && value.is_string());
    const Json sentence = value.is_array() && !value.empty() ? Json::array({"..."}) : Json("...");
    const bool is_hidden = is_text && (value.is_string() || value.is_array()) && !value.empty();
    if (json.is_array()) {
      raw.push_back(rawValues(value));
    } else {
      raw[key] = is_hidden ? sentence : rawValues(value);
    }
  }
  return raw;
}

/// A line for each key, and for each item of a list.
std::string linesOf(const Json& json) {
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_array()) {
      text += key + ": " + value.dump() + "\n";
      continue;
    }
    text += key + ":\n";
    for (const Json& item : value)
      text += "  " + item.dump() + "\n";
  }
  return text;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plan_json, PlanCalls)

BOOST_AUTO_TEST_CASE(keys_and_values_are_those_of_schema_version_1) {
  options.format = PlanFormat::kJson;
  options.most_workers = 2;
  test::Transcript answers;
  const auto add = [&](const char* name, const std::string& job) {
    answers.add(name, linesOf(rawValues(Json::parse(call(job).out))));
  };
  std::string large(kPlannedJob);
  large.replace(large.find("batchSize: 64"), 13, "batchSize: 512");
  add("of two workers", large);
  options.deadline_seconds = 1e-5;
  add("no way meets the deadline", std::string(kPlannedJob));
  write("machines.yaml", kMachines);
  write("costs.yaml", kCosts);
  options.machines = file("machines.yaml");
  options.machine = "big";
  options.convolutions = file("costs.yaml");
  options.noise_scale = 500;
  options.most_workers = 1;
  options.deadline_seconds = 3;
  options.budget = Money{1, "USD"};
  add("with costs, mini-batches and convolutions", std::string(kPlannedJob));
  test::checkGolden("cli/plan/values.txt", answers.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
