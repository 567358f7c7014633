#include <iterator>
#include <utility>

#include "base/core/rounded.h"
#include "base/report/values.h"
#include "base/yaml/scalar.h"

#include "experiment/document/conditions.h"
#include "experiment/page/experiment_report.h"
#include "experiment/page/sections.h"
#include "experiment/report/labels.h"
#include "experiment/report/ranking.h"
#include "experiment/report/trained.h"

namespace sumac::experiment {
namespace {

using Json = nlohmann::ordered_json;

/// A mean of runs with its interval and the runs themselves, each times `factor`.
Json estimateJson(const Estimate& estimate, const std::vector<RunFigures>& runs, double factor) {
  Json json{{"mean", rounded(factor * estimate.mean)}};
  if (estimate.half_width) json["halfWidth95"] = rounded(factor * *estimate.half_width);
  json["runs"] = Json::array();
  for (const RunFigures& run : runs)
    json["runs"].push_back(rounded(factor * run.batchesPerSecond()));
  return json;
}

Json originJson(const Origin& origin) {
  if (!origin.cluster.empty()) {
    Json json{{"cluster", origin.cluster}, {"namespace", origin.name_space}};
    for (const NodeFacts& facts : origin.nodes)
      json["nodes"].push_back(toJson(facts));
    return json;
  }
  return {{"host", origin.host},
          {"cpu", origin.cpu},
          {"cores", origin.cores},
          {"memoryBytes", origin.memory_bytes},
          {"kernel", origin.kernel}};
}

Json measurementJson(const Experiment& experiment) {
  const Measurement& measurement = experiment.measurement;
  Json json{{"steps", measurement.steps},
            {"warmupSteps", measurement.warmup_steps},
            {"repetitions", measurement.repetitions}};
  if (measurement.stop) {
    json["stop"] = {{"halfWidth", measurement.stop->half_width},
                    {"maxRepetitions", measurement.stop->most_repetitions}};
  }
  for (const ScaleStep& step : experiment.scale)
    json["scale"].push_back({{"seconds", rounded(step.seconds)}, {"workers", step.workers}});
  if (experiment.batch_size_per_worker)
    json["batchSizePerWorker"] = yaml::integerOf(*experiment.batch_size_per_worker).value_or(0);
  return json;
}

/// Where the time of a step went, and what worker 0 sent and received in it.
void addSteps(Json& json, const CellSummary& summary) {
  if (const auto& phases = summary.phases) {
    json["stepPhases"] = {{"gradientSeconds", rounded(phases->gradient_seconds)},
                          {"updateSeconds", rounded(phases->update_seconds)},
                          {"sumWaitSeconds", rounded(phases->sum_wait_seconds)},
                          {"dataWaitSeconds", rounded(phases->data_wait_seconds)}};
  }
  if (const auto& bytes = summary.bytes)
    json["stepBytes"] = {{"sent", rounded(bytes->sent)}, {"received", rounded(bytes->received)}};
}

void addConditions(Json& json, const Conditions& conditions, bool is_in_cluster) {
  if (conditions.link_bits_per_second) {
    json["linkBitsPerSecond"] = *conditions.link_bits_per_second;
    if (!is_in_cluster) json["linkBurstBytes"] = kLinkBurstBytes;
  }
  json["emulated"] = conditions.is_emulated;
  if (conditions.is_emulated) json["slowdown"] = rounded(conditions.slowdown);
}

Json rankingJson(const Ranking& ranking) {
  Json json{{"pairs", ranking.pairs},
            {"right", ranking.pairs - ranking.wrong.size()},
            {"wrong", Json::array()}};
  for (const auto& [faster, slower] : ranking.wrong)
    json["wrong"].push_back({{"faster", faster}, {"slower", slower}});
  return json;
}

Json scaleJson(const Cell& cell, const CellOutcome& outcome) {
  Json runs;
  for (const RunFigures& figures : outcome.runs) {
    if (!figures.scale) continue;
    Json run = toJson(*figures.scale);
    run.erase("points");  // in scale.csv
    run["phases"] = toJson(phaseTable(cell, 1, *figures.scale));
    runs.push_back(std::move(run));
  }
  return runs.is_null() ? runs : Json{{"runs", std::move(runs)}};
}

Json cellJson(const Experiment& experiment, const Cell& cell, const CellOutcome& outcome,
              const CellSummary& summary, bool is_in_cluster) {
  Json json{{"cell", cell.number}, {"values", Json::object()}};
  for (std::size_t i = 0; i < cell.values.size(); ++i)
    json["values"][experiment.axes[i].name] = cell.values[i];
  const bool is_scaled = !experiment.scale.empty();
  if (!is_scaled) json["workers"] = cell.job.worker.replicas;
  json["servers"] = serversOf(cell);
  json["batchSize"] = cell.job.training.batch_size;
  json["network"] = networkText(cell.job);
  json["data"] = dataText(cell.job);
  json["optimizer"] = optimizerText(cell.job);
  addConditions(json, cell.conditions, is_in_cluster);
  json["repetitions"] = outcome.runs.size();
  if (summary.batches_per_second) {
    const Estimate& batches = *summary.batches_per_second;
    const auto batch_size = static_cast<double>(cell.job.training.batch_size);
    json["batchesPerSecond"] = estimateJson(batches, outcome.runs, 1);
    if (!is_scaled) {
      json["workerBatchesPerSecond"] =
          estimateJson(batches, outcome.runs, cell.job.worker.replicas);
    }
    json["samplesPerSecond"] = estimateJson(batches, outcome.runs, batch_size);
    json["medianStepSeconds"] = rounded(summary.median_step_seconds);
    addSteps(json, summary);
  }
  if (summary.speedup) json["speedup"] = rounded(*summary.speedup);
  if (summary.speedup_half_width) json["speedupHalfWidth95"] = rounded(*summary.speedup_half_width);
  if (summary.speedup) json["speedupBaseExchanges"] = !summary.has_idle_base;
  if (summary.efficiency) json["efficiency"] = rounded(*summary.efficiency);
  for (const RunFigures& run : outcome.runs) {
    if (!run.nodes.empty()) json["nodes"].push_back(run.nodes);
    if (!run.left_on_volume.empty()) json["leftOnVolume"].push_back(run.left_on_volume);
  }
  if (Json scale = scaleJson(cell, outcome); !scale.is_null()) json["scale"] = std::move(scale);
  if (summary.predicted_batches_per_second)
    json["predictedBatchesPerSecond"] = rounded(*summary.predicted_batches_per_second);
  if (const auto samples = summary.predictedSamplesPerSecond(cell))
    json["predictedSamplesPerSecond"] = rounded(*samples);
  if (const auto accuracy = summary.predictionAccuracy())
    json["predictionAccuracy"] = rounded(*accuracy);
  if (summary.is_fitted) json["fitted"] = true;
  if (!summary.failure.empty()) json["failure"] = summary.failure;
  return json;
}

}  // namespace

std::string resultsJson(const Findings& findings, const Origin& origin, bool is_complete) {
  const auto& [experiment, cells, outcomes, summaries] = findings;
  Json json{{"schemaVersion", 1},
            {"experiment", experiment.name},
            {"complete", is_complete},
            {"version", origin.version},
            {"command", origin.command},
            {"seed", experiment.measurement.seed},
            {"machine", originJson(origin)},
            {"measurement", measurementJson(experiment)},
            {"cells", Json::array()}};
  for (std::size_t i = 0; i < cells.size(); ++i)
    json["cells"].push_back(
        cellJson(experiment, cells[i], outcomes[i], summaries[i], !origin.cluster.empty()));
  const Verdict verdict = verdictOf(experiment, cells, summaries);
  const report::Findings said = verdictSentences(findings, verdict);
  json["verdict"] = {{"sentences", said.sentences}, {"basis", said.basis}};
  json["verdict"]["pairs"] = toJson(pairTable(findings, verdict.told));
  if (const auto servers = serversTable(findings); !servers.rows.empty())
    json["serversLemma"] = toJson(servers);
  if (const Ranking ranking = rankingOf(cells, summaries); ranking.pairs > 0)
    json["predictionRanking"] = rankingJson(ranking);
  if (!origin.prediction_notes.empty()) json["predictionNotes"] = origin.prediction_notes;
  // A path or a last message may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sumac::experiment
