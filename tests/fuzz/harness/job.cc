#include "job/document/job.h"

#include <algorithm>

#include "base/core/check.h"
#include "tests/fuzz/harness/harness.h"

namespace sumac::fuzz {
namespace {

using job::Problem;
using job::Reading;

Reading readingOf(std::string_view text, bool needs_to_run = false) {
  return job::readJob(text, "job.yaml", {}, needs_to_run);
}

void requireMessages(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    SUMAC_CHECK(!problem.message.empty() && problem.line >= 0 && problem.column >= 0,
                problem.text());
    const std::string text = problem.text();
    SUMAC_CHECK(std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }),
                text);
  }
}

/// What is stored of a job (the ConfigMap, the folder of its output) reads back as the same job.
void requireSameJob(const JsonTree& stored, const Reading& reading) {
  const std::string text = stored.text();
  for (const Reading& again : {readingOf(text), job::readJob(stored, "job.yaml", {}, false)}) {
    SUMAC_CHECK(again.job.has_value(), job::problemList(again.problems), text);
    SUMAC_CHECK(again.resolved == reading.resolved, text, again.resolved.text(),
                reading.resolved.text());
    SUMAC_CHECK(again.warnings.size() == reading.warnings.size(), text);  // positions differ
  }
}

}  // namespace

void job(BytesView input) {
  const Reading reading = readingOf(asText(input));
  SUMAC_CHECK(reading.job.has_value() == reading.problems.empty());
  requireMessages(reading.problems);
  requireMessages(reading.unavailable);
  const Reading to_run = readingOf(asText(input), /*needs_to_run=*/true);
  SUMAC_CHECK(to_run.unavailable.empty());
  SUMAC_CHECK(to_run.job.has_value() == (reading.job && reading.unavailable.empty()));
  if (!reading.job) return;
  const int parts = reading.job->training.logical_workers;
  SUMAC_CHECK(parts >= 1 && parts <= reading.job->training.batch_size, parts);
  SUMAC_CHECK(reading.job->worker.replicas <= parts, reading.job->worker.replicas, parts);
  requireSameJob(reading.resolved, reading);
  requireSameJob(reading.document, reading);
}

}  // namespace sumac::fuzz
