#include "cli/cluster/submission.h"

#include <ostream>
#include <utility>

#include "cli/cluster/code_folder.h"
#include "cli/cluster/kept.h"
#include "cli/document/document.h"
#include "job/document/job.h"
#include "kube/api/labels.h"
#include "kube/api/members.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

/// What the API server gets: the document without the defaults that it or the operator puts in,
/// and without what `kubectl get -o yaml` prints and a new object must not have.
Json objectOf(const job::Reading& reading) {
  Json object = *reading.document;
  object.erase("status");
  if (const auto metadata = object.find("metadata"); metadata != object.end()) {
    for (const char* name : {"uid", "resourceVersion", "generation", "creationTimestamp",
                             "deletionTimestamp", "managedFields", "selfLink"}) {
      metadata->erase(name);
    }
  }
  return object;
}

/// What a document that runs on this machine is likely to lack in a cluster; empty: nothing.
std::string missingVolume(const Json& object) {
  const Json data = object.value(Json::json_pointer("/spec/data"), Json::object());
  if (!data.is_object() || !data.contains("path") || data.contains("volume")) return {};
  if (object.contains(Json::json_pointer("/spec/worker/template"))) return {};  // may mount it
  return "spec.data.path: there is no spec.data.volume, so the files must be in the workers' "
         "image; "
         "docs/data.md shows other ways";
}

/// The image of the workers' main container; empty: the document has none.
std::string imageOf(const Json& object) {
  const Json::json_pointer containers("/spec/worker/template/spec/containers");
  if (!object.contains(containers)) return {};
  for (const Json& container : object.at(containers)) {
    if (api::textOf(container, "name") == api::kMainContainer)
      return api::textOf(container, "image");
  }
  return {};
}

}  // namespace

Result<Submission> readSubmission(const std::string& text, const std::string& file,
                                  const std::vector<std::string>& sets) {
  const job::Overrides overrides{.sets = sets, .workers = {}, .servers = {}};
  const job::Reading reading = job::readJob(text, file, overrides, /*needs_to_run=*/false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  if (!reading.only_local.empty())
    return Error{ErrorCode::kInvalid, job::problemList(reading.only_local)};
  if (const auto checked = checkTemplates(reading); !checked) {
    return Error{ErrorCode::kInvalid, file + " " + checked.error().message};
  }
  Submission submission;
  submission.name = reading.job->name;
  submission.warnings = reading.warnings;
  submission.object = objectOf(reading);
  if (reading.job->program) {
    submission.names_code = reading.job->program->code.has_value();
    submission.image = imageOf(submission.object);
  }
  const Json::json_pointer name_space("/metadata/namespace");
  if (submission.object.contains(name_space) && submission.object.at(name_space).is_string()) {
    submission.name_space = submission.object.at(name_space).get<std::string>();
  }
  auto& warnings = submission.warnings;
  if (auto missing = missingVolume(submission.object); !missing.empty()) {
    warnings.push_back(std::move(missing));
  }
  for (std::string& warning : lossWarnings(submission.object, reading.job->canChangeMembers()))
    warnings.push_back(std::move(warning));
  // The cluster's operator decides what can run there; it may be newer than we are.
  for (const job::Problem& problem : reading.unavailable)
    warnings.push_back("this version cannot run it: " + problem.text());
  return submission;
}

Result<void> addCode(const std::string& folder, Submission& submission, std::ostream& err) {
  if (folder.empty()) {
    if (!submission.names_code) return {};
    return Error{ErrorCode::kInvalid,
                 "spec.program.code says that the job brings its sources along: add --code DIR, "
                 "the folder that has them, or take the section out"};
  }
  if (!submission.image) {
    return Error{ErrorCode::kInvalid,
                 "--code is for a job with spec.program, and this one trains a network of ours"};
  }
  auto found = readCodeFolder(folder, *submission.image);
  if (!found) return found.error();
  for (const std::string& path : found->skipped)
    err << "--code: left out " << path << "\n";
  std::string sha256 = job::codeHash(found->files);
  submission.code = JobCode{std::move(found->files), std::move(sha256)};
  err << "--code: " << codeText(*submission.code) << std::endl;
  submission.object["spec"]["program"]["code"] = codeSection(*submission.code);
  return {};
}

}  // namespace sumac::cli
