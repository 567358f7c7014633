#include "worker/commands/data_generate.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "base/core/complain.h"
#include "base/process/process_end.h"
#include "engine/data/data_files.h"
#include "engine/data/generated.h"

namespace sumac::worker {
namespace {

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
    return unfit("--classes is " + std::to_string(options.classes) + "; CIFAR-10 has at most 10");
  }
  const auto images = imagesFor(options, shape);
  if (!images) return images.error();
  return cifar10Files(*images);
}

Result<std::vector<NamedFile>> picturesFor(const DataGenerateOptions& options) {
  const auto shape = options.shape.empty() ? model::Shape{3, 32, 32} : options.shape;
  if (shape.size() != 3 || (shape[0] != 1 && shape[0] != 3)) {
    return unfit("--shape is " + model::toString(shape) +
                 ", pictures have 1xROWSxCOLUMNS or 3xROWSxCOLUMNS");
  }
  const auto images = imagesFor(options, shape);
  if (!images) return images.error();
  return pictureFiles(*images);
}

Result<std::vector<NamedFile>> csvFor(const DataGenerateOptions& options) {
  const auto shape = options.shape.empty() ? model::Shape{8} : options.shape;
  if (shape.size() != 1)
    return unfit("--shape is " + model::toString(shape) + ", a table has one number, its features");
  const auto images = imagesFor(options, shape);
  if (!images) return images.error();
  return csvFiles(*images);
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

ExitCode dataGenerate(const DataGenerateOptions& options, std::ostream& out, std::ostream& err) {
  const auto fail = [&err](const Error& error, ExitCode otherwise) {
    return complain(err, error, endOf(error, otherwise).code);
  };
  const auto files = options.format == "idx"       ? idxFor(options)
                     : options.format == "cifar10" ? cifar10For(options)
                     : options.format == "folder"  ? picturesFor(options)
                     : options.format == "csv"     ? csvFor(options)
                                                   : textFor(options);
  if (!files) return fail(files.error(), ExitCode::kUsage);
  const auto paths = createFiles(options.folder, *files);
  if (!paths) {
    const bool is_usage = paths.error().code == ErrorCode::kConflict;
    return fail(paths.error(), is_usage ? ExitCode::kUsage : ExitCode::kFailed);
  }
  for (const auto& path : *paths)
    out << path.string() << '\n';
  return ExitCode::kDone;
}

}  // namespace sumac::worker
