#include "cli/run/report.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/run/progress.h"
#include "common/base/table.h"

namespace sumac::cli {
namespace {

using nlohmann::json;

constexpr const char* kAbsent = "-";

std::string text(const json& result, const char* key) {
  constexpr std::size_t kMaxShown = 80;
  const auto found = result.find(key);
  if (found == result.end() || found->is_null() || found->is_structured()) return kAbsent;
  std::string value = found->is_string()
                          ? found->get<std::string>()
                          : found->dump(-1, ' ', true, json::error_handler_t::replace);
  std::erase_if(value, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return value.substr(0, kMaxShown);
}

std::string decimal(const json& result, const char* key, int digits, double factor = 1) {
  const auto found = result.find(key);
  if (found == result.end() || !found->is_number()) return kAbsent;
  char buffer[64];
  const double value = factor * found->get<double>();
  std::snprintf(buffer, sizeof buffer, std::abs(value) < 1e12 ? "%.*f" : "%.*e", digits, value);
  return buffer;
}

std::string withUnit(const std::string& value, const char* unit) {
  return value == kAbsent ? value : value + unit;
}

std::string resultTable(std::string_view name, const json& result) {
  std::vector<std::string> header{"NAME",   "STATE", "WORKERS",   "SERVERS", "STEPS",
                                  "EPOCHS", "TIME",  "SAMPLES/S", "LOSS"};
  std::vector<std::string> row{std::string(name),
                               text(result, "state"),
                               text(result, "workers"),
                               text(result, "servers"),
                               text(result, "steps"),
                               text(result, "epochs"),
                               withUnit(decimal(result, "seconds", 1), "s"),
                               decimal(result, "samplesPerSecond", 0),
                               decimal(result, "trainLoss", 4)};
  if (result.contains("validPerplexity") || result.contains("testPerplexity")) {
    header.insert(header.end(), {"VALID-PERPLEXITY", "TEST-PERPLEXITY"});
    row.insert(row.end(),
               {decimal(result, "validPerplexity", 2), decimal(result, "testPerplexity", 2)});
  } else {
    header.emplace_back("ACCURACY");
    row.push_back(withUnit(decimal(result, "testAccuracy", 2, 100), "%"));
  }
  const std::string main = table(header, {row});
  const std::string bits = table({"LOGICAL-WORKERS", "SEED", "NUMERICS", "PARAMETERS-SHA256"},
                                 {{text(result, "logicalWorkers"), text(result, "seed"),
                                   text(result, "numerics"), text(result, "parametersSha256")}});
  return main + "\n" + bits;
}

}  // namespace

Result<Report> makeReport(std::string_view name, std::string_view line) {
  json result = json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!result.is_object()) return Error{ErrorCode::kInvalid, "the result is not a JSON object"};
  result.erase("event");
  return Report{result.dump(2, ' ', false, json::error_handler_t::replace) + "\n",
                resultTable(name, result)};
}

Curve readCurve(const std::filesystem::path& metrics, const std::string& title) {
  Curve curve;
  curve.title = title;
  std::ifstream in(metrics);
  for (std::string line; std::getline(in, line);) {
    const auto event = parseEvent(line);
    if (!event) continue;
    if (const auto* progress = std::get_if<Progress>(&*event); progress && progress->loss) {
      curve.loss.insert_or_assign(progress->step, *progress->loss);
    }
    if (const auto* tested = std::get_if<Evaluation>(&*event); tested && tested->accuracy) {
      curve.accuracy.insert_or_assign(tested->step, *tested->accuracy);
    }
    if (const auto* tested = std::get_if<Evaluation>(&*event); tested && tested->valid_perplexity) {
      curve.perplexity.insert_or_assign(tested->step, *tested->valid_perplexity);
    }
  }
  return curve;
}

std::string fileTable(const RunFolder& folder) {
  const std::pair<std::filesystem::path, const char*> files[] = {
      {folder.result(), "result"},           {folder.model(), "trained model, safetensors"},
      {folder.curve(), "training curve"},    {folder.metrics(), "progress, one JSON object a line"},
      {folder.checkpoints(), "checkpoints"}, {folder.job(), "the job with all defaults"},
  };
  std::vector<std::vector<std::string>> rows;
  for (const auto& [path, what] : files) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) rows.push_back({path.string(), what});
  }
  return table({"FILE", "CONTENT"}, rows);
}

}  // namespace sumac::cli
