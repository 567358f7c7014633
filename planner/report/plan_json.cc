#include <numeric>
#include <utility>

#include "base/report/values.h"
#include "planner/report/plan_report.h"
#include "planner/report/plan_tables.h"
#include "planner/report/sentences.h"

namespace sumac::planner {
namespace {

using report::Value;

/// The text of each item.
template <typename Item>
Value textsOf(const std::vector<Item>& items, const auto& textOf) {
  Value texts = Value::array();
  for (const Item& item : items)
    texts.push_back(textOf(item));
  return texts;
}

Value sizingJson(const SizingAdvice& sizing) {
  Value json = Value::object();
  if (sizing.largest_batch) json["largestBatchSamples"] = *sizing.largest_batch;
  json["largestBatch"] = largestBatchText(sizing);
  if (sizing.servers) json["servers"] = *sizing.servers;
  if (sizing.has_exchange) json["serversThatHide"] = serversText(sizing);
  if (sizing.overhead_ratio) json["overheadRatio"] = *sizing.overhead_ratio;
  json["workers"] = workersText(sizing);
  return json;
}

Value convolutionsJson(const ConvolutionAdvice& advice) {
  return {{"remark", kChoiceIsNotAdvice},
          {"layers", toJson(convolutionsTable(advice))},
          {"seconds", advice.choice.seconds},
          {"secondsLowerBound", advice.choice.seconds_lower_bound},
          {"optimal", advice.choice.is_optimal},
          {"workspaceBytes", advice.choice.workspace_bytes},
          {"workspaceLimitBytes", advice.bound_bytes}};
}

Value changesJson(const Advice& advice) {
  Value list = Value::array();
  for (const Change& change : advice.changes) {
    Value json{{"what", trialText(change.trial)},
               {"choice", nullptr},
               {"text", changeText(advice, change)}};
    if (change.choice) {
      json["choice"] = choiceJson(*change.choice);
      json["seconds"] = change.seconds;
      json["recommendedIsWorseBy"] = change.behind;
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Value planJson(const Advice& advice) {
  constexpr int kSchema = 1;
  Value json = {{"schemaVersion", kSchema},
                {"kind", "Plan"},
                {"job", advice.job},
                {"network", advice.network},
                {"place", placeText(advice.place)},
                {"goal", toString(advice.goal)},
                {"limits", limitTexts(advice)}};
  if (!advice.currency.empty()) json["currency"] = advice.currency;
  if (advice.price_per_hour) json["pricePerHour"] = *advice.price_per_hour;
  json["jobSteps"] = advice.job_steps;
  if (advice.recommended) json["recommended"] = *advice.recommended;
  if (advice.as_written) json["asWritten"] = *advice.as_written;
  if (advice.obstruction) {
    json["noPlan"] = noPlanText(advice);
    json["enough"] = toJson(enoughTable(*advice.obstruction));
  }
  json["reasons"] =
      textsOf(advice.reasons, [&](const Reason& reason) { return reasonText(advice, reason); });
  json["notes"] = textsOf(advice.notes, [&](const Note& note) { return noteText(advice, note); });
  std::vector<std::size_t> all(advice.configurations.size());
  std::iota(all.begin(), all.end(), 0U);
  json["ways"] = toJson(configurationsTable(advice, all));
  json["byWorkers"] = toJson(scaleTable(advice));
  json["strategies"] = toJson(strategiesTable(advice));
  json["strategiesBasis"] =
      advice.strategies.empty() ? std::string() : basisText(advice.strategies_basis);
  json["sizing"] =
      advice.recommended ? sizingJson(advice.sizing) : Value{{"largestBatch", ""}, {"workers", ""}};
  if (advice.convolutions) json["convolutions"] = convolutionsJson(*advice.convolutions);
  json["changes"] = changesJson(advice);
  json["unchanged"] = textsOf(advice.unchanged, trialText);
  json["figures"] = toJson(figuresTable(advice));
  json["unpredicted"] = toJson(unpredictedTable(advice));
  return json;
}

}  // namespace sumac::planner
