#include "cli/export/export_model.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <ostream>
#include <utility>

#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/yaml/reader.h"
#include "engine/checkpoint/model_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/onnx/export.h"
#include "job/document/job.h"
#include "job/document/nearest.h"
#include "job/model/network.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;

/// A network as somebody specified it, with what its job says of text.
struct Specified {
  model::NetworkSpec network;
  model::TextExtents text;
};

/// Fails with kInvalid for a document with problems.
Result<Specified> ofDocument(const std::string& file) {
  const auto text = readTextFile(file, yaml::kMaxBytes);
  if (!text) return text.error();
  const job::Reading reading = job::readJob(*text, file, {}, false);
  if (!reading.job) {
    std::string problems = job::problemList(reading.problems);
    problems.pop_back();
    return Error{ErrorCode::kInvalid, std::move(problems)};
  }
  const auto& job = *reading.job;
  const model::TextExtents extents{.vocabulary = job.model.vocabulary,
                                   .unroll = job.training.unroll};
  if (job.model.network) return Specified{*job.model.network, extents};
  auto spec = model::fromZoo(job.model.name);
  if (!spec) return spec.error();
  return Specified{*std::move(spec), extents};
}

/// The network that --network names, else that of the document beside the model.
Result<Specified> specifiedOf(const ExportOptions& options) {
  std::error_code ignored;
  if (options.network.empty()) {
    const fs::path file = fs::path(options.model).parent_path() / "job.yaml";
    if (fs::exists(file, ignored)) return ofDocument(file.string());
    return Error{ErrorCode::kNotFound, "there is no job.yaml beside " + options.model +
                                           "; --network NAME|FILE says which network it is of"};
  }
  auto spec = model::fromZoo(options.network);
  if (spec) return Specified{*std::move(spec), {}};
  if (fs::exists(options.network, ignored)) return ofDocument(options.network);
  return Error{ErrorCode::kNotFound, spec.error().message + ", and there is no file of this name" +
                                         job::suggestion(options.network, model::zooNames())};
}

/// The words that a text model knows are those of its embedding, unless the job says how many.
Result<model::Network> networkOf(Specified specified, BytesView file) {
  if (specified.network.isText() && specified.text.vocabulary == 0) {
    const auto shape =
        checkpoint::shapeInFile(file, specified.network.layers.front().name + ".weight");
    if (!shape) return shape.error();
    constexpr std::int64_t kMostWords = std::numeric_limits<int>::max();
    if (shape->size() == 2 && shape->front() <= kMostWords)
      specified.text.vocabulary = static_cast<int>(shape->front());
  }
  return model::resolve(specified.network, specified.text);
}

struct Exported {
  model::Network network;
  Bytes bytes;
};

Result<Exported> exported(const ExportOptions& options, const Specified& specified) {
  // ONNX allows no larger file, so none is read; with room for the header of safetensors.
  constexpr std::uint64_t kMostBytes = std::uint64_t{2200} << 20U;
  const auto file = readFile(options.model, kMostBytes);
  if (!file) return file.error();
  auto network = networkOf(specified, *file);
  const auto learned = network ? checkpoint::decodeModel(*network, *file)
                               : Result<checkpoint::LearnedModel>(network.error());
  if (!learned) {
    return Error{ErrorCode::kInvalid, options.model + ": " + learned.error().message +
                                          "; it must be as training left it, and of network " +
                                          specified.network.name +
                                          ", else name the right one with --network"};
  }
  auto bytes = onnx::exportNetwork({*network, learned->weights, learned->statistics});
  if (!bytes) return bytes.error();
  return Exported{*std::move(network), *std::move(bytes)};
}

/// "image (N x 1x28x28, raw values)".
std::string inputOf(const model::Network& network) {
  const std::string name = onnx::inputName(network);
  if (network.isText()) return name + " (N x T numbers of words) and state";
  return name + " (N x " + model::toString(network.input) + ", raw values 0 to 255)";
}

int fail(ExitCode code, const std::string& message, std::ostream& err) {
  err << "error: " << message << "\n";
  return toInt(code);
}

}  // namespace

int exportModel(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  const fs::path output = options.output.empty()
                              ? fs::path(options.model).replace_extension(".onnx")
                              : fs::path(options.output);
  std::error_code ignored;
  if (fs::equivalent(output, options.model, ignored)) {
    return fail(ExitCode::kUsage,
                output.string() + " is the model itself; name another file with -o", err);
  }
  const auto specified = specifiedOf(options);
  if (!specified) {
    const bool is_document = specified.error().code == ErrorCode::kInvalid;
    return fail(is_document ? ExitCode::kBadConfiguration : ExitCode::kUsage,
                specified.error().message, err);
  }
  const auto model = exported(options, *specified);
  if (!model) return fail(ExitCode::kFailed, model.error().message, err);
  const auto written = replaceFile(output, model->bytes);
  if (!written) return fail(ExitCode::kFailed, written.error().message, err);
  const model::Network& network = model->network;
  out << output.string() << ": " << network.name << ", " << inputOf(network)
      << " -> probabilities, logits (N" << (network.isText() ? " x T x " : " x ") << network.classes
      << ")" << (network.isText() ? " and next state" : "") << "\n";
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
