#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/plan/plan_output.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::ordered_json;

Json choiceJson(const planner::JobChoice& choice) {
  Json json = {{"batchSize", choice.batch},
               {"workers", choice.workers},
               {"logicalWorkers", choice.logical_workers},
               {"servers", choice.servers}};
  const bool has_all_reduce = isAllReduce(choice.method);
  json["exchange"] = has_all_reduce ? "allReduce" : "parameterServer";
  json[has_all_reduce ? "algorithm" : "topology"] = toString(choice.method);
  json["codec"] = toString(choice.codec);
  return json;
}

Json stepJson(const planner::StepTime& step) {
  return {{"seconds", step.seconds()},        {"forwardSeconds", step.forward},
          {"backwardSeconds", step.backward}, {"exchangeSeconds", step.exchange},
          {"updateSeconds", step.update},     {"otherSeconds", step.other},
          {"coresSeconds", step.cores},       {"boundBy", toString(step.bound)}};
}

Json wayJson(const planner::Way& way) {
  Json json = choiceJson(way.choice);
  json["steps"] = way.steps;
  json["step"] = stepJson(way.step);
  json["threads"] = way.threads;
  json["seconds"] = way.seconds;
  json["marginShare"] = way.margin;
  if (way.cost) json["cost"] = *way.cost;
  json["samplesPerSecond"] = way.samples_per_second;
  if (way.speedup) {
    json["speedup"] = *way.speedup;
    json["efficiency"] = way.efficiency;
  }
  json["workerMemoryBytes"] = way.memory.worker_bytes;
  if (way.choice.servers > 0) json["serverMemoryBytes"] = way.memory.server_bytes;
  json["memoryBytes"] = way.memory.needed();
  if (way.memory.limit_bytes) json["memoryLimitBytes"] = *way.memory.limit_bytes;
  json["obstacles"] = way.obstacles;
  return json;
}

Json enoughJson(const planner::Advice& advice) {
  Json list = Json::array();
  for (const planner::EnoughLimits& limits : advice.enough) {
    Json json = Json::object();
    if (limits.deadline_seconds) json["deadlineSeconds"] = *limits.deadline_seconds;
    if (limits.budget) json["budget"] = *limits.budget;
    if (limits.memory_bytes) json["memoryBytes"] = *limits.memory_bytes;
    list.push_back(std::move(json));
  }
  return list;
}

Json scaleJson(const planner::Advice& advice) {
  Json list = Json::array();
  for (const planner::ScalePoint& point : advice.scale) {
    Json json = {{"workers", point.workers}};
    if (point.way) json["way"] = *point.way;
    if (!point.why_not.empty()) json["whyNot"] = point.why_not;
    list.push_back(std::move(json));
  }
  return list;
}

Json strategiesJson(const planner::Advice& advice) {
  Json list = Json::array();
  for (const planner::StrategyAdvice& strategy : advice.strategies) {
    const auto& assessed = strategy.assessment;
    Json json = {{"strategy", toString(assessed.strategy)}, {"rank", assessed.rank}};
    if (assessed.estimate) {
      json["secondsPerStep"] = strategy.seconds_per_step;
      json["computationSeconds"] = assessed.estimate->time.computation();
      json["communicationSeconds"] = assessed.estimate->time.communication();
      json["memoryBytes"] = assessed.estimate->memory_bytes;
    }
    if (!strategy.why_not.empty()) json["whyNot"] = strategy.why_not;
    Json findings = Json::array();
    for (const planner::Finding& finding : assessed.findings)
      findings.push_back(finding.text);
    json["findings"] = std::move(findings);
    list.push_back(std::move(json));
  }
  return list;
}

Json sizingJson(const planner::SizingAdvice& sizing) {
  Json json = Json::object();
  if (sizing.largest_batch) json["largestBatchSamples"] = *sizing.largest_batch;
  json["largestBatch"] = sizing.largest_batch_text;
  if (sizing.servers) json["servers"] = *sizing.servers;
  if (!sizing.servers_text.empty()) json["serversThatHide"] = sizing.servers_text;
  if (sizing.overhead_ratio) json["overheadRatio"] = *sizing.overhead_ratio;
  json["workers"] = sizing.workers_text;
  return json;
}

Json convolutionsJson(const planner::ConvolutionAdvice& advice) {
  Json layers = Json::array();
  for (const auto& [layer, algorithm] : advice.layers) {
    layers.push_back({{"layer", layer},
                      {"algorithm", algorithm.name},
                      {"seconds", algorithm.seconds},
                      {"workspaceBytes", algorithm.workspace_bytes}});
  }
  return {{"remark", planner::kChoiceIsNotAdvice},
          {"layers", std::move(layers)},
          {"seconds", advice.choice.seconds},
          {"secondsLowerBound", advice.choice.seconds_lower_bound},
          {"optimal", advice.choice.is_optimal},
          {"workspaceBytes", advice.choice.workspace_bytes},
          {"workspaceLimitBytes", advice.bound_bytes}};
}

Json changesJson(const planner::Advice& advice) {
  Json list = Json::array();
  for (const planner::Change& change : advice.changes) {
    Json json{{"what", change.what}, {"choice", nullptr}, {"text", change.text}};
    if (change.choice) {
      json["choice"] = choiceJson(*change.choice);
      json["seconds"] = change.seconds;
      json["recommendedIsWorseBy"] = change.behind;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json figuresJson(const planner::Advice& advice) {
  Json list = Json::array();
  for (const planner::SourcedFigure& figure : advice.figures) {
    Json json = {{"name", figure.name},
                 {"value", figure.value},
                 {"kind", toString(figure.origin)},
                 {"source", figure.source}};
    if (!figure.date.empty()) json["date"] = figure.date;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json planJson(const planner::Advice& advice) {
  constexpr int kSchema = 1;
  Json json = {{"schemaVersion", kSchema}, {"kind", "Plan"},
               {"job", advice.job},        {"network", advice.network},
               {"place", advice.place},    {"goal", toString(advice.goal)},
               {"limits", advice.limits}};
  if (!advice.currency.empty()) json["currency"] = advice.currency;
  if (advice.price_per_hour) json["pricePerHour"] = *advice.price_per_hour;
  json["jobSteps"] = advice.job_steps;
  if (advice.recommended) json["recommended"] = *advice.recommended;
  if (advice.as_written) json["asWritten"] = *advice.as_written;
  if (!advice.no_plan.empty()) json["noPlan"] = advice.no_plan;
  if (!advice.enough.empty()) json["enough"] = enoughJson(advice);
  json["reasons"] = advice.reasons;
  json["notes"] = advice.notes;
  Json ways = Json::array();
  for (const planner::Way& way : advice.ways)
    ways.push_back(wayJson(way));
  json["ways"] = std::move(ways);
  json["byWorkers"] = scaleJson(advice);
  json["strategies"] = strategiesJson(advice);
  json["strategiesBasis"] = advice.strategies_basis;
  json["sizing"] = sizingJson(advice.sizing);
  if (advice.convolutions) json["convolutions"] = convolutionsJson(*advice.convolutions);
  json["changes"] = changesJson(advice);
  json["unchanged"] = advice.unchanged;
  json["figures"] = figuresJson(advice);
  Json unpredicted = Json::array();
  for (const planner::Unpredicted& group : advice.unpredicted) {
    unpredicted.push_back({{"reason", group.reason},
                           {"candidates", group.candidates},
                           {"example", choiceJson(group.example)}});
  }
  json["unpredicted"] = std::move(unpredicted);
  return json;
}

}  // namespace sumac::cli
