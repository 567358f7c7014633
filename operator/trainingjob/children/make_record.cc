#include "operator/trainingjob/children/make_record.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/version.h"
#include "job/document/job.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/children/volume_mounts.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// One problem per line, without file, line and column: the document came from the API server, so
/// these would not match the user's file.
std::string listOf(std::vector<job::Problem> problems) {
  std::string list;
  for (job::Problem& problem : problems) {
    problem.file.clear();
    problem.line = 0;
    std::string text = problem.text();
    text.erase(0, text.find_first_not_of(" :"));
    list += (list.empty() ? "" : "\n") + text;
  }
  return list;
}

/// The API server has accepted the document, so what we do not know stands in a later CRD than
/// ours.
SpecProblem invalidSpec(const std::vector<job::Problem>& problems) {
  std::vector<job::Problem> unknown;
  std::copy_if(problems.begin(), problems.end(), std::back_inserter(unknown),
               [](const job::Problem& problem) { return problem.is_unknown; });
  if (!unknown.empty()) return {SpecProblemKind::kNewer, listOf(std::move(unknown))};
  return {SpecProblemKind::kInvalid, listOf(problems)};
}

/// Templates are left out: they may change while the job is suspended.
JsonTree withoutTemplates(ordered_json document) {
  for (const char* role : {"worker", "server"}) {
    if (document["spec"].contains(role)) document["spec"][role].erase("template");
  }
  return JsonTree(std::move(document));
}

MadeRecord refused(SpecProblem problem) {
  return {.record = {}, .problem = std::move(problem)};
}

}  // namespace

MadeRecord makeRecord(const api::TrainingJob& job, const Defaults& defaults) {
  if (job.document->empty()) {
    return refused({SpecProblemKind::kInvalid, "spec: " + job.spec_problem});
  }
  job::Reading reading = job::readJob(job.document, "", {}, /*needs_to_run=*/true);
  if (!reading.problems.empty()) return refused(invalidSpec(reading.problems));
  if (!reading.only_local.empty()) return refused(invalidSpec(reading.only_local));
  const job::TrainingJob& spec = *reading.job;
  JobRecord record;
  record.document = withoutTemplates(*reading.resolved);
  record.defaults = defaults;
  record.operator_version = kVersion;
  record.logical_workers = spec.training.logical_workers;
  record.servers = spec.server.replicas;
  record.changes_members = spec.canChangeMembers();
  record.is_encrypted = spec.transport == job::Transport::kCurve;
  record.checkpoint_path = spec.checkpoint.path;
  record.output_path = spec.output_path;
  if (auto problem = templateProblem(job, record)) return refused(*std::move(problem));
  const json worker = *mergedTemplate(job.document, defaults, Role::kWorker);
  const json document = *record.document;
  record.keeps_checkpoints = api::outlivesPod(document, "checkpoint", worker);
  record.keeps_output = api::outlivesPod(document, "output", worker);
  return {.record = std::move(record), .problem = {}};
}

std::optional<SpecProblem> templateProblem(const api::TrainingJob& job, const JobRecord& record) {
  if (job.document->empty()) {
    return SpecProblem{SpecProblemKind::kTemplate, "spec: " + job.spec_problem};
  }
  for (const Role role : {Role::kServer, Role::kWorker}) {
    if (role == Role::kServer && record.servers == 0) continue;
    const auto merged = mergedTemplate(job.document, record.defaults, role);
    if (!merged) return SpecProblem{SpecProblemKind::kTemplate, merged.error().message};
  }
  return std::nullopt;
}

}  // namespace sumac::trainingjob
