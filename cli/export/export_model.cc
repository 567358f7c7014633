#include "cli/export/export_model.h"

#include <filesystem>
#include <ostream>
#include <utility>
#include <vector>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/process/process_end.h"
#include "engine/model_file/model_file.h"
#include "engine/onnx/export.h"
#include "job/model/network.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;
using worker::ModelFile;
using worker::ModelTask;

/// What the model takes is what its user has: pixels as bytes, a table's values as they are.
onnx::Normalization normalizationOf(const ModelFile& model) {
  onnx::Normalization result;
  if (model.task != ModelTask::kImages) result.divisor = 1;
  result.mean = model.normalization.mean;
  result.deviation = model.normalization.deviation;
  return result;
}

/// One name for each output. Outputs beyond the classes of the data have their number.
std::vector<std::string> namesOf(const ModelFile& model) {
  if (model.task == ModelTask::kText) return model.vocabulary;
  std::vector<std::string> names = model.class_names;
  if (names.empty()) return names;
  for (int number = static_cast<int>(names.size()); number < model.network.classes; ++number)
    names.push_back(std::to_string(number));
  return names;
}

/// "image (N x 1x28x28, raw values 0 to 255)".
std::string inputOf(const ModelFile& model) {
  const model::Network& network = model.network;
  const std::string name = onnx::inputName(network);
  if (network.isText()) return name + " (N x T numbers of words) and state";
  return name + " (N x " + model::toString(network.input) +
         (model.task == ModelTask::kImages ? ", raw values 0 to 255)" : ", raw values)");
}

std::string describe(const ModelFile& model) {
  const model::Network& network = model.network;
  return network.name + ", " + inputOf(model) + " -> probabilities, logits (N" +
         (network.isText() ? " x T x " : " x ") + std::to_string(network.classes) + ")" +
         (network.isText() ? " and next state" : "");
}

int fail(const Error& error, std::ostream& err, ExitCode code = ExitCode::kFailed) {
  return toInt(complain(err, error, endOf(error, code).code));
}

}  // namespace

int exportModel(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  const fs::path output = options.output.empty()
                              ? fs::path(options.model).replace_extension(".onnx")
                              : fs::path(options.output);
  std::error_code ignored;
  if (fs::equivalent(output, options.model, ignored)) {
    return fail(
        {ErrorCode::kConflict, output.string() + " is the model itself; name another file with -o"},
        err, ExitCode::kUsage);
  }
  const auto model = worker::readModelFile(options.model);
  if (!model) return fail(model.error(), err);
  const auto bytes = onnx::exportNetwork({.network = model->network,
                                          .weights = model->weights,
                                          .statistics = model->statistics,
                                          .normalization = normalizationOf(*model),
                                          .names = namesOf(*model)});
  if (!bytes) return fail(bytes.error(), err);
  const auto written = replaceFile(output, *bytes);
  if (!written) return fail(written.error(), err);
  out << output.string() << ": " << describe(*model) << "\n";
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
