#include "worker/commands/data_info.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>

#include "common/base/check.h"
#include "common/base/file.h"
#include "common/job/job.h"
#include "common/job/network_of.h"
#include "common/process/process_end.h"
#include "common/yaml/reader.h"
#include "worker/data/dataset.h"
#include "worker/data/summary.h"

namespace sumac::worker {
namespace {

/// The data to describe, and the job that uses them, if one is given.
struct Request {
  job::DataSpec data;
  std::optional<job::TrainingJob> job;
};

job::DataFormat formatNamed(const std::string& name) {
  if (name == "idx") return job::DataFormat::kIdx;
  if (name == "cifar10") return job::DataFormat::kCifar10;
  SUMAC_CHECK(name == "text", name);
  return job::DataFormat::kText;
}

std::string sourceOf(const DataInfoOptions& options, const job::DataSpec& data) {
  if (!data.name.empty()) return data.name;
  if (data.path.empty()) return "generated";
  return (options.format.empty() ? "" : options.format + " in ") + data.path;
}

Result<Request> requestOf(const DataInfoOptions& options) {
  Request request;
  if (options.job_file.empty()) {
    request.data.format = formatNamed(options.format);
    request.data.path = options.path;
    return request;
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(options.job_file, unknown)) {
    return Error{ErrorCode::kInvalid, options.job_file +
                                          " is a folder, not a TrainingJob; to describe the files "
                                          "in it: sumac data info --format FORMAT --path " +
                                          options.job_file};
  }
  const auto text = readTextFile(options.job_file, yaml::kMaxBytes);
  if (!text) return text.error();
  const job::Overrides overrides{.sets = options.sets, .workers = {}, .servers = {}};
  const auto reading = job::readJob(*text, options.job_file, overrides, /*needs_to_run=*/false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  request.data = reading.job->data;
  request.job = *reading.job;
  return request;
}

/// How the job uses the data, or why it cannot train on them.
Summary::Use useOf(const job::TrainingJob& job, const Dataset& dataset) {
  Summary::Use use;
  use.batch_size = job.training.batch_size;
  const bool is_text = dataset.kind() == DataKind::kText;
  const auto network = job::networkOf(job, static_cast<int>(dataset.text.vocabulary.size()));
  if (!network) {
    use.problem = network.error().message;
    return use;
  }
  SUMAC_CHECK(network->isText() == is_text, network->name);  // readJob() has looked
  const int unroll = is_text ? static_cast<int>(network->input.front()) : 1;
  return useOf(dataset, {.batch_size = job.training.batch_size,
                         .parts = 1,
                         .unroll = unroll,
                         .seed = job.training.seed});
}

}  // namespace

ExitCode dataInfo(const DataInfoOptions& options, std::ostream& out, std::ostream& err) {
  const auto fail = [&err](const Error& error, ExitCode code) {
    err << "error: " << error.message << '\n';
    return code;
  };
  const auto request = requestOf(options);
  if (!request) return fail(request.error(), ExitCode::kBadConfiguration);
  const auto dataset = loadDataset(request->data, options.data_folder);
  if (!dataset)
    return fail(dataset.error(), endOf(dataset.error(), ExitCode::kBadConfiguration).code);
  auto summary = summarize(*dataset, sourceOf(options, request->data));
  if (request->job) summary.use = useOf(*request->job, *dataset);
  out << (options.json ? toJson(summary) : toText(summary));
  return ExitCode::kDone;
}

}  // namespace sumac::worker
