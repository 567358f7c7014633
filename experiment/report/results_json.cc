#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/core/rounded.h"
#include "base/report/values.h"
#include "base/yaml/scalar.h"

#include "experiment/document/conditions.h"
#include "experiment/findings/prediction_quality.h"
#include "experiment/report/cell_table.h"
#include "experiment/report/experiment_report.h"
#include "experiment/report/labels.h"
#include "experiment/report/sections.h"

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

Json measurementJson(const Experiment& experiment) {
  const Measurement& measurement = experiment.measurement;
  Json json{{"metric", toString(measurement.metric)},
            {"steps", measurement.steps},
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

/// What was learned, each score with its interval and the runs that tell it, and their seeds.
void addLearned(Json& json, const CellSummary& summary, const std::vector<RunFigures>& runs) {
  for (const auto& [score, estimate] : summary.learned) {
    Json& score_json = json[keyOf(score)] = {{"mean", rounded(estimate.mean)}};
    if (estimate.half_width) score_json["halfWidth95"] = rounded(*estimate.half_width);
    for (const RunFigures& run : runs) {
      const auto told = run.learned.scores.find(score);
      if (told != run.learned.scores.end()) score_json["runs"].push_back(rounded(told->second));
    }
  }
  for (const RunFigures& run : runs) {
    if (!run.learned.scores.empty()) json["seeds"].push_back(run.learned.seed);
  }
}

/// Puts fields of a row of resultTable() under their keys, as far as they are known.
void take(Json& json, const report::Table& table, std::size_t row,
          std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto column = std::ranges::find(table.columns, key, &report::Column::key);
    if (column == table.columns.end()) continue;
    const auto& value =
        table.rows[row][static_cast<std::size_t>(column - table.columns.begin())].value;
    if (!value.is_null()) json[std::string(key)] = value;
  }
}

std::string csvNumber(const std::optional<double>& value) {
  return value ? Json(rounded(*value)).dump() : std::string();
}

Json qualityJson(const PredictionQuality& quality) {
  Json json{{"cells", quality.cells},
            {"accuracy", rounded(quality.accuracy)},
            {"textbookAccuracy", rounded(quality.textbook_accuracy)}};
  if (quality.skill) json["skill"] = rounded(*quality.skill);
  json["choices"] = Json::array();
  for (const Choice& choice : quality.choices) {
    json["choices"].push_back(
        {{"chosen", choice.chosen}, {"best", choice.best}, {"regret", rounded(choice.regret)}});
  }
  return json;
}

Json computingJson(const ComputingSpread& computing) {
  return {{"least", rounded(computing.least)},
          {"most", rounded(computing.most)},
          {"spread", rounded(computing.spread)},
          {"waited", rounded(computing.waited)},
          {"disturbed", computing.isDisturbed()}};
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

Json cellJson(const Findings& findings, const report::Table& table, std::size_t index,
              bool is_in_cluster) {
  const Cell& cell = findings.cells[index];
  const CellOutcome& outcome = findings.outcomes[index];
  const CellSummary& summary = findings.summaries[index];
  Json json{{"cell", cell.number}, {"values", Json::object()}};
  for (std::size_t i = 0; i < cell.values.size(); ++i)
    json["values"][findings.experiment.axes[i].name] = cell.values[i];
  take(json, table, index, {"workers", "servers", "batchSize"});
  json["network"] = networkText(cell.job);
  json["data"] = dataText(cell.job);
  json["optimizer"] = optimizerText(cell.job);
  take(json, table, index, {"linkBitsPerSecond"});
  if (json.contains("linkBitsPerSecond") && !is_in_cluster)
    json["linkBurstBytes"] = kLinkBurstBytes;
  take(json, table, index, {"emulated", "slowdown"});
  if (summary.computing) json["emulatedSeconds"] = computingJson(*summary.computing);
  if (summary.lacking_cores) json["lackingCores"] = rounded(*summary.lacking_cores);
  take(json, table, index, {"repetitions"});
  if (summary.batches_per_second) {
    const Estimate& batches = *summary.batches_per_second;
    const auto batch_size = static_cast<double>(cell.job.training.batch_size);
    json["batchesPerSecond"] = estimateJson(batches, outcome.runs, 1);
    if (findings.experiment.scale.empty()) {
      json["workerBatchesPerSecond"] =
          estimateJson(batches, outcome.runs, cell.job.worker.replicas);
    }
    json["samplesPerSecond"] = estimateJson(batches, outcome.runs, batch_size);
    take(json, table, index, {"medianStepSeconds"});
    addSteps(json, summary);
  }
  addLearned(json, summary, outcome.runs);
  take(json, table, index, {"speedup", "speedupHalfWidth95", "speedupBaseExchanges", "efficiency"});
  for (const RunFigures& run : outcome.runs) {
    if (!run.nodes.empty()) json["nodes"].push_back(run.nodes);
    if (!run.left_on_volume.empty()) json["leftOnVolume"].push_back(run.left_on_volume);
  }
  if (Json scale = scaleJson(cell, outcome); !scale.is_null()) json["scale"] = std::move(scale);
  take(json, table, index,
       {"predictedBatchesPerSecond", "predictedSamplesPerSecond", "predictionAccuracy"});
  if (summary.is_fitted) json["fitted"] = true;
  if (!summary.failure.empty()) json["failure"] = summary.failure;
  return json;
}

}  // namespace

report::Value originJson(const Origin& origin) {
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

std::string scaleCsv(const std::vector<Cell>& cells, const std::vector<CellOutcome>& outcomes) {
  std::string text = "cell,run,seconds,workers,step,batchesPerSecond,loss\r\n";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    int run = 0;
    for (const RunFigures& figures : outcomes[i].runs) {
      ++run;
      if (!figures.scale) continue;
      for (const ScalePoint& point : figures.scale->points) {
        text += std::to_string(cells[i].number) + "," + std::to_string(run) + "," +
                csvNumber(point.seconds) + "," + std::to_string(point.workers) + "," +
                std::to_string(point.step) + "," + csvNumber(point.batches_per_second) + "," +
                csvNumber(point.loss) + "\r\n";
      }
    }
  }
  return text;
}

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
  const report::Table table = resultTable(findings);
  for (std::size_t i = 0; i < cells.size(); ++i)
    json["cells"].push_back(cellJson(findings, table, i, !origin.cluster.empty()));
  const Verdict verdict = verdictOf(experiment, cells, summaries);
  const report::Findings said = verdictSentences(findings, verdict);
  json["verdict"] = {{"sentences", said.sentences}, {"basis", said.basis}};
  json["verdict"]["pairs"] = toJson(pairTable(findings, verdict.significant));
  if (const auto servers = serversTable(findings); !servers.rows.empty())
    json["serversLemma"] = toJson(servers);
  if (const auto quality = predictionQuality(cells, summaries); quality.cells > 0)
    json["predictionQuality"] = qualityJson(quality);
  if (const auto notes = predictionNotes(origin.predictions); !notes.empty())
    json["predictionNotes"] = notes;
  // A path or a last message may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sumac::experiment
