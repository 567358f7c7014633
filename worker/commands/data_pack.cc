#include "worker/commands/data_pack.h"

#include <filesystem>
#include <ostream>

#include "base/core/complain.h"
#include "base/core/units.h"
#include "base/process/process_end.h"
#include "engine/data/packed_dataset.h"
#include "engine/nn/processors.h"
#include "engine/packing/pack_dataset.h"
#include "worker/commands/pack_progress.h"

namespace sumac::worker {
namespace {

/// How a job uses a packed file.
std::string sectionFor(const std::string& file, const Dataset& dataset) {
  std::string section = "data:\n  format: packed\n  path: " + file + "\n";
  if (dataset.images.test.count() == 0) section += "  validation: \"0.1\"\n";
  if (!dataset.columns.columns.empty()) section += "  normalize: meanStd\n";
  return section;
}

std::string packedText(const std::string& file, const PackedDataset& packed) {
  const Images& images = packed.dataset.images;
  const std::string names = images.class_names.empty() ? ""
                                                       : ": " + images.class_names.front() +
                                                             " to " + images.class_names.back();
  return file + ": " + bytesText(images.train.packed.file->opening().fileBytes()) + ", " +
         std::to_string(images.train.count()) + " samples to train on and " +
         std::to_string(images.test.count()) + " to test with, of " +
         model::toString(images.train.shape) + ", in " + std::to_string(images.classes) +
         " classes" + names + "\n\n" + sectionFor(file, packed.dataset);
}

/// The code of a failure that no better storage would help.
ExitCode otherwiseOf(const Error& error) {
  return error.code == ErrorCode::kConflict ? ExitCode::kUsage : ExitCode::kBadConfiguration;
}

}  // namespace

ExitCode dataPack(const DataPackOptions& options, std::ostream& out, std::ostream& err) {
  const auto fail = [&err](const Error& error) {
    return complain(err, error, endOf(error, otherwiseOf(error)).code);
  };
  if (!options.file.ends_with(kPackedEnding)) {
    return fail({ErrorCode::kConflict, "the name of a packed file ends with " +
                                           std::string(kPackedEnding) + ": " + options.file +
                                           kPackedEnding});
  }
  const auto data = dataSpecOf(options.source);
  if (!data) return fail({ErrorCode::kConflict, data.error().message});
  PackProgress progress(err, options.is_shown);
  const auto warning = packDataset(
      *data, options.file,
      {.threads = automaticThreads(usableProcessors(), /*workers=*/1),
       .on_progress = [&](std::uint64_t done, std::uint64_t all) { progress.show(done, all); }});
  progress.end();
  if (!warning) return fail(warning.error());
  if (!warning->empty()) err << "warning: " << *warning << '\n';
  const auto packed = openPacked(options.file);
  if (!packed) return fail(packed.error());
  out << packedText(options.file, *packed);
  return ExitCode::kDone;
}

}  // namespace sumac::worker
