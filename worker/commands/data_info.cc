#include "worker/commands/data_command.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "common/base/check.h"
#include "common/base/file.h"
#include "common/job/job.h"
#include "common/job/network_of.h"
#include "common/yaml/reader.h"
#include "worker/data/data_files.h"
#include "worker/data/dataset.h"
#include "worker/data/generated.h"
#include "worker/data/summary.h"

namespace sumac::worker {
namespace {

/// What is to be looked at, and for which job.
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
  const auto text = readTextFile(options.job_file, yaml::kMaxBytes + 1);
  if (!text) return text.error();
  const job::Overrides overrides{.sets = options.sets, .workers = {}, .servers = {}};
  const auto reading = job::readJob(*text, options.job_file, overrides, /*needs_to_run=*/false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  request.data = reading.job->data;
  request.job = *reading.job;
  return request;
}

/// What the job makes of the data, or why it cannot train on them.
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

ExitCode complain(std::ostream& err, const Error& error, ExitCode code) {
  err << "error: " << error.message << '\n';
  return code;
}

Result<Images> imagesFor(const DataGenerateOptions& options, model::Shape shape) {
  ImageRecipe recipe;
  recipe.train_samples = options.samples;
  recipe.test_samples =
      options.test_samples.value_or(std::max<std::int64_t>(1, options.samples / 5));
  recipe.shape = std::move(shape);
  recipe.classes = options.classes;
  recipe.seed = options.seed;
  return generateImages(recipe);
}

Error unfit(const std::string& what) {
  return Error{ErrorCode::kInvalid, "cannot generate files: " + what};
}

Result<std::vector<NamedFile>> idxFor(const DataGenerateOptions& options) {
  const auto shape = options.shape.empty() ? model::Shape{1, 28, 28} : options.shape;
  if (shape.size() != 3 || shape[0] != 1) {
    return unfit("--shape is " + model::toString(shape) + ", IDX has 1xROWSxCOLUMNS");
  }
  if (options.classes > 10) {
    return unfit("--classes is " + std::to_string(options.classes) + ", IDX has 10 at most");
  }
  const auto images = imagesFor(options, shape);
  if (!images) return images.error();
  return idxFiles(*images, options.gzip ? Compression::kGzip : Compression::kNone);
}

Result<std::vector<NamedFile>> cifar10For(const DataGenerateOptions& options) {
  const model::Shape shape{3, 32, 32};
  if (!options.shape.empty() && options.shape != shape) {
    return unfit("--shape is " + model::toString(options.shape) + ", CIFAR-10 has 3x32x32");
  }
  if (options.classes > 10) {
    return unfit("--classes is " + std::to_string(options.classes) + ", CIFAR-10 has 10 at most");
  }
  const auto images = imagesFor(options, shape);
  if (!images) return images.error();
  return cifar10Files(*images);
}

Result<std::vector<NamedFile>> textFor(const DataGenerateOptions& options) {
  TextRecipe recipe;
  recipe.train_tokens = options.tokens;
  recipe.test_tokens = options.test_tokens.value_or(std::max<std::int64_t>(2, options.tokens / 10));
  recipe.vocabulary = options.vocabulary;
  recipe.seed = options.seed;
  const auto text = generateText(recipe);
  if (!text) return text.error();
  return textFiles(*text);
}

}  // namespace

ExitCode dataInfo(const DataInfoOptions& options, std::ostream& out, std::ostream& err) {
  const auto request = requestOf(options);
  if (!request) return complain(err, request.error(), ExitCode::kBadConfiguration);
  const auto dataset = loadDataset(request->data, options.data_folder);
  if (!dataset) return complain(err, dataset.error(), ExitCode::kFailed);
  auto summary = summarize(*dataset, sourceOf(options, request->data));
  if (request->job) summary.use = useOf(*request->job, *dataset);
  out << (options.json ? toJson(summary) : toText(summary));
  return ExitCode::kDone;
}

ExitCode dataGenerate(const DataGenerateOptions& options, std::ostream& out, std::ostream& err) {
  const auto files = options.format == "idx"       ? idxFor(options)
                     : options.format == "cifar10" ? cifar10For(options)
                                                   : textFor(options);
  if (!files) return complain(err, files.error(), ExitCode::kUsage);
  const auto paths = createFiles(options.folder, *files);
  if (!paths) {
    const bool is_usage = paths.error().code == ErrorCode::kConflict;
    return complain(err, paths.error(), is_usage ? ExitCode::kUsage : ExitCode::kFailed);
  }
  for (const auto& path : *paths)
    out << path.string() << '\n';
  return ExitCode::kDone;
}

}  // namespace sumac::worker
