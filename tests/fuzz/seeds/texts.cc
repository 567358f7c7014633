// Texts about a job.
#include <string>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/file.h"
#include "base/yaml/reader.h"
#include "job/document/json.h"
#include "job/progress/job_event.h"
#include "job/progress/job_result.h"
#include "kube/api/json.h"
#include "tests/fuzz/harness/printed.h"
#include "tests/fuzz/seeds/corpus.h"
#include "tests/support/progress_of.h"

namespace sumac::fuzz {
namespace {

using nlohmann::json;

void addProgress(const Corpus& corpus) {
  Progress progress = progressOf(10, 200, 1, 0.5);
  progress.samples_per_second = 1234.5;
  progress.batches_per_second = 9.5;
  corpus.add("progress", "progress.json", toLine(progress));
  corpus.add("progress", "interim.json", toLine(progress, true));
  corpus.add("progress", "status.json", printed(json(toStatusJson(progress))));
  Evaluated evaluated;
  evaluated.step = 100;
  evaluated.test_accuracy = 0.91;
  corpus.add("progress", "evaluation.json", toLine(evaluated));
  corpus.add("progress", "checkpoint.json", toLine(CheckpointWritten{500}));
  const MembersChanged change{.term = 2,
                              .generation = 3,
                              .step = 40,
                              .workers = 5,
                              .servers = 1,
                              .cause = "worker 2 joined, lost worker 1 (it left)",
                              .redone = 1,
                              .bytes = 4'000'000,
                              .pause_seconds = 0.25};
  corpus.add("progress", "change.json", toLine(change));
  JobResult result;
  result.steps = 200;
  result.epochs = 2;
  result.loss = 0.1;
  result.test_accuracy = 0.92;
  result.parameters_sha256 = std::string(64, 'c');
  result.model_path = "/output/model.safetensors";
  result.setting.logical_workers = 4;
  result.setting.workers = 2;
  result.setting.servers = 1;
  result.setting.numerics = "3 avx2";
  result.setting.seed = 1;
  corpus.add("progress", "result_message.json", toMessage(result));
  corpus.add("progress", "result_line.json", toLine(result));
}

/// A job of tests/data/job as the API server gives it.
json apiJob(const std::string& name) {
  const auto text = readTextFile("tests/data/job/good/" + name, 1U << 20U);
  SUMAC_CHECK(text.has_value(), name);
  const yaml::Document document = yaml::parse(*text);
  SUMAC_CHECK(document.root.has_value(), name);
  json object = job::toJson(*document.root);
  object["metadata"] = {{"name", "job"},
                        {"namespace", "research"},
                        {"uid", "u-1"},
                        {"resourceVersion", "7"},
                        {"generation", 2}};
  return object;
}

void addObjects(const Corpus& corpus) {
  const json job = apiJob("pods_and_volumes.yaml");
  corpus.add("kube", "job.json", printed(job));
  corpus.add("kube", "elastic_job.json", printed(apiJob("elastic.yaml")));
  corpus.add("kube", "job_modified.json", printed({{"type", "MODIFIED"}, {"object", job}}));
  corpus.add("kube", "job_list.json",
             printed({{"metadata", {{"resourceVersion", "9"}}}, {"items", {job, job}}}));
}

}  // namespace

void addTexts(const Corpus& corpus) {
  addProgress(corpus);
  addObjects(corpus);
}

}  // namespace sumac::fuzz
