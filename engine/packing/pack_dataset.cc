#include "engine/packing/pack_dataset.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "engine/data/class_folder.h"
#include "engine/data/dataset.h"
#include "engine/data/fingerprint.h"
#include "engine/data/packed_description.h"
#include "engine/data/summary.h"

namespace sumac::worker {
namespace {

using Take = std::function<Result<void>(const Samples& piece)>;
/// Hands the samples of a split over, piece by piece in their order; values as a whole.
using Produce = std::function<Result<void>(const Take& take)>;

/// What a description says of a split.
class SplitFacts {
 public:
  void add(const Samples& piece) {
    SUMAC_CHECK(samples_ == 0 || piece.arePixels(), samples_);
    const ValueRange range = rangeOf(piece);
    const bool is_first = samples_ == 0;
    range_ = {.least = is_first ? range.least : std::min(range_.least, range.least),
              .largest = is_first ? range.largest : std::max(range_.largest, range.largest),
              .mean = range.mean};
    samples_ += piece.count();
    if (!piece.arePixels()) {
      normalization_ = meanAndDeviation(piece);
      return;
    }
    sums_.add(pixelSums(piece));
    normalization_ = normalizationOf(sums_, piece.shape, samples_);
    const auto sum = std::accumulate(sums_.pixels.begin(), sums_.pixels.end(), std::uint64_t{0});
    const std::int64_t size = model::count(piece.shape);
    range_.mean = static_cast<double>(sum) / static_cast<double>(samples_ * size);
  }

  const ValueRange& range() const { return range_; }
  const PixelSums& sums() const { return sums_; }
  const Normalization& normalization() const { return normalization_; }

 private:
  std::int64_t samples_ = 0;
  ValueRange range_;
  PixelSums sums_;
  Normalization normalization_;
};

/// A packed file in the making.
class Packing {
 public:
  struct Sizes {
    std::uint64_t train = 0;
    std::uint64_t test = 0;
  };

  /// `draft` has all but what the samples tell. `options` outlive us.
  static Result<Packing> begin(const std::filesystem::path& file, PackedDescription draft,
                               const Sizes& sizes, const PackOptions& options) {
    draft.source = options.source;
    auto writer = PackWriter::create(file,
                                     {.train = sizes.train,
                                      .test = sizes.test,
                                      .sample_bytes = draft.sampleBytes(),
                                      .description_bytes = longestText(draft)},
                                     options.replace);
    if (!writer) return writer.error();
    return Packing(*std::move(writer), std::move(draft), sizes, options);
  }

  /// Adds both splits, and finishes the file.
  Result<void> write(const Produce& train, const Produce& test) {
    const auto trained = addSplit(sizes_.train, train);
    if (!trained) return trained.error();
    const auto tested = addSplit(sizes_.test, test);
    if (!tested) return tested.error();
    fingerprint_.addNames(description_.class_names);
    description_.fingerprint = fingerprint_.value();
    description_.normalization = trained->normalization();
    description_.sums = trained->sums();
    description_.train = trained->range();
    description_.test = tested->range();
    return writer_.finish(toText(description_), std::move(labels_));
  }

 private:
  Packing(PackWriter writer, PackedDescription description, const Sizes& sizes,
          const PackOptions& options)
      : writer_(std::move(writer)),
        description_(std::move(description)),
        sizes_(sizes),
        options_(options) {}

  Result<SplitFacts> addSplit(std::uint64_t samples, const Produce& produce) {
    fingerprint_.begin(static_cast<std::int64_t>(samples), description_.shape);
    const std::size_t first = labels_.size();
    SplitFacts facts;
    const auto produced = produce([&](const Samples& piece) { return add(piece, facts); });
    if (!produced) return produced.error();
    fingerprint_.addLabels(std::span(labels_).subspan(first));
    return facts;
  }

  Result<void> add(const Samples& piece, SplitFacts& facts) {
    if (piece.count() == 0) return {};
    const auto bytes = piece.arePixels() ? std::as_bytes(std::span(piece.pixels))
                                         : std::as_bytes(std::span(piece.values));
    if (auto written = writer_.add(bytes); !written) return written;
    fingerprint_.addData(bytes);
    facts.add(piece);
    labels_.insert(labels_.end(), piece.labels.begin(), piece.labels.end());
    if (options_.on_progress) options_.on_progress(labels_.size(), sizes_.train + sizes_.test);
    return {};
  }

  PackWriter writer_;
  PackedDescription description_;
  Sizes sizes_;
  const PackOptions& options_;  // outlive us
  Fingerprint fingerprint_;
  std::vector<std::uint16_t> labels_;
};

/// Decodes the pictures of a split, as many at once as memory is for.
Produce picturesIn(std::span<const ListedPicture> pictures, const model::Shape& shape,
                   const ClassFolderOptions& options, std::size_t at_once) {
  return [pictures, shape, options, at_once](const Take& take) -> Result<void> {
    const auto size = static_cast<std::size_t>(model::count(shape));
    const std::size_t most = std::max<std::size_t>(1, at_once / size);
    Samples piece{.shape = shape};
    for (std::size_t first = 0; first < pictures.size(); first += most) {
      const auto listed = pictures.subspan(first, std::min(most, pictures.size() - first));
      piece.pixels.resize(listed.size() * size);
      if (auto decoded = decodePictures(listed, shape, options, piece.pixels); !decoded)
        return decoded;
      piece.labels.clear();
      for (const ListedPicture& picture : listed)
        piece.labels.push_back(picture.label);
      if (auto taken = take(piece); !taken) return taken;
    }
    return {};
  };
}

Result<std::string> packPictures(const job::DataSpec& data, const std::filesystem::path& file,
                                 const PackOptions& options) {
  const ClassFolderOptions how = folderOptions(data, options.threads);
  const auto listing = listClasses(data.path);
  if (!listing) return listing.error();
  const auto shape = shapeOfPictures(*listing, how);
  if (!shape) return shape.error();
  PackedDescription draft{.shape = *shape,
                          .classes = static_cast<int>(listing->classes.size()),
                          .class_names = listing->classes,
                          .pictures = {.channels = how.channels, .resize = how.resize}};
  auto packing =
      Packing::begin(file, std::move(draft),
                     {.train = listing->train.size(), .test = listing->test.size()}, options);
  if (!packing) return packing.error();
  const auto produce = [&](const std::vector<ListedPicture>& pictures) {
    return picturesIn(pictures, *shape, how, options.decoded_at_once);
  };
  const auto written = packing->write(produce(listing->train), produce(listing->test));
  return written ? Result<std::string>(listing->warning) : written.error();
}

Result<std::string> packLoaded(const Dataset& dataset, const std::filesystem::path& file,
                               const PackOptions& options) {
  const Images& images = dataset.images;
  PackedDescription draft{.shape = images.train.shape,
                          .are_pixels = images.train.arePixels(),
                          .classes = images.classes,
                          .class_names = images.class_names,
                          .columns = dataset.columns,
                          .pictures = dataset.pictures};
  auto packing = Packing::begin(file, std::move(draft),
                                {.train = static_cast<std::uint64_t>(images.train.count()),
                                 .test = static_cast<std::uint64_t>(images.test.count())},
                                options);
  if (!packing) return packing.error();
  const auto written = packing->write([&](const Take& take) { return take(images.train); },
                                      [&](const Take& take) { return take(images.test); });
  return written ? Result<std::string>(dataset.warning) : written.error();
}

}  // namespace

Result<std::string> packDataset(const job::DataSpec& data, const std::filesystem::path& file,
                                const PackOptions& options) {
  if (data.format == job::DataFormat::kText) {
    return Error{ErrorCode::kInvalid,
                 "text is not packed: its files have 1 GiB at most, and every worker keeps the "
                 "numbers of its words in memory; train on " +
                     data.path + " itself"};
  }
  if (data.format == job::DataFormat::kPacked)
    return Error{ErrorCode::kInvalid, data.path + " is packed already"};
  if (auto is_free = requireFree(file, options.replace); !is_free) return is_free.error();
  if (data.format == job::DataFormat::kFolder) return packPictures(data, file, options);
  job::DataSpec plain = data;
  plain.validation = 0;
  plain.normalize = job::Normalize::kNone;
  const auto dataset = loadDataset(plain, {.threads = options.threads, .may_lack_test = true});
  return dataset ? packLoaded(*dataset, file, options) : dataset.error();
}

}  // namespace sumac::worker
