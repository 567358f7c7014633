#include <algorithm>
#include <utility>

#include "base/core/check.h"
#include "engine/data/cifar.h"
#include "engine/data/data_files.h"
#include "engine/data/gzip.h"
#include "engine/data/idx.h"
#include "engine/data/idx_images.h"
#include "engine/data/text_corpus.h"
#include "tests/fuzz/harness/files.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/support/temporary_folder.h"

namespace sumac::fuzz {
namespace {

using worker::Images;
using worker::Samples;

constexpr int kRanks = 4;
constexpr auto kBetweenTexts = std::byte{0xFE};

Result<worker::IdxFile> readIdx(BytesView content, int rank) {
  const MemoryFile file(content);
  return worker::readIdx(file.path(), rank);
}

void checkSamples(const Samples& samples, int classes) {
  std::int64_t values = samples.count();
  for (const std::int64_t extent : samples.shape)
    values *= extent;
  SUMAC_CHECK(values == std::ssize(samples.pixels) && values > 0, values, samples.pixels.size());
  SUMAC_CHECK(std::all_of(samples.labels.begin(), samples.labels.end(),
                          [classes](int label) { return label < classes; }));
}

void checkImages(const Images& images) {
  SUMAC_CHECK(images.train.shape == images.test.shape);
  checkSamples(images.train, images.classes);
  checkSamples(images.test, images.classes);
}

void requireSameImages(const Images& found, const Images& expected) {
  for (const auto& [a, b] :
       {std::pair(&found.train, &expected.train), std::pair(&found.test, &expected.test)}) {
    SUMAC_CHECK(a->pixels == b->pixels && a->labels == b->labels && a->shape == b->shape);
  }
}

/// A folder with what was read, written by us.
class Written {
 public:
  explicit Written(const std::vector<worker::NamedFile>& files) {
    for (const worker::NamedFile& file : files)
      writeFile(folder_ / file.name, file.content);
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

void checkTokens(const std::vector<std::int32_t>& tokens, std::size_t words) {
  SUMAC_CHECK(std::all_of(tokens.begin(), tokens.end(), [words](std::int32_t token) {
    return token >= 0 && static_cast<std::size_t>(token) < words;
  }));
}

bool isAll(const std::vector<std::int32_t>& tokens, std::ptrdiff_t word) {
  return std::all_of(tokens.begin(), tokens.end(), [word](auto token) { return token == word; });
}

}  // namespace

void idx(BytesView input) {
  for (int rank = 1; rank <= kRanks; ++rank) {
    const auto read = readIdx(input, rank);
    requireReason(read);
    if (!read) continue;
    std::uint64_t values = 1;
    for (const std::uint32_t extent : read->extents)
      values *= extent;
    SUMAC_CHECK(read->extents.size() == static_cast<std::size_t>(rank), rank);
    SUMAC_CHECK(values == read->values.size(), values, read->values.size());
    // A plain file says the same when it is compressed.
    if (!asText(input).starts_with(std::string_view("\0\0", 2))) continue;
    const auto again = readIdx(worker::gzip(input), rank);
    SUMAC_CHECK(again.has_value(), again ? "" : again.error().message);
    SUMAC_CHECK(again->extents == read->extents && again->values == read->values);
  }
}

void images(BytesView input) {
  constexpr std::array<const char*, 4> kNames = {
      "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
      "t10k-labels-idx1-ubyte"};
  const TemporaryFolder folder;
  const std::vector<Bytes> files = filesIn(input, kNames.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].empty()) writeFile(folder / kNames.at(i), files[i]);
  const auto read = worker::loadIdxImages(folder.path());
  requireReason(read);
  if (!read) return;
  checkImages(*read);
  const Written written(worker::idxFiles(*read, worker::Compression::kNone));
  const auto again = worker::loadIdxImages(written.path());
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message);
  requireSameImages(*again, *read);
}

void cifar10(BytesView input) {
  constexpr std::array<const char*, 4> kNames = {"data_batch_1.bin", "data_batch_10.bin",
                                                 "test_batch.bin", "batches.meta.txt"};
  const TemporaryFolder folder;
  const std::vector<Bytes> files = filesIn(input, kNames.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].empty()) writeFile(folder / kNames.at(i), files[i]);
  const auto read = worker::loadCifar10(folder.path());
  requireReason(read);
  if (!read) return;
  checkImages(*read);
  SUMAC_CHECK(read->class_names.empty() || read->class_names.size() == 10);
  const Written written(worker::cifar10Files(*read));
  const auto again = worker::loadCifar10(written.path());
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message);
  requireSameImages(*again, *read);
}

void text(BytesView input) {
  const TemporaryFolder folder;
  for (const char* name : {"train.txt", "valid.txt", "test.txt"}) {
    const auto end = std::find(input.begin(), input.end(), kBetweenTexts);
    const auto size = static_cast<std::size_t>(end - input.begin());
    writeFile(folder / name, input.first(size));
    if (size == input.size()) break;
    input = input.subspan(size + 1);
  }
  const auto read = worker::loadText(folder.path());
  requireReason(read);
  if (!read) return;
  SUMAC_CHECK(read->vocabulary.size() >= 2 && !read->train.empty());
  SUMAC_CHECK(std::ssize(read->vocabulary) <= worker::kMaxVocabulary);
  for (const auto* tokens : {&read->train, &read->valid, &read->test})
    checkTokens(*tokens, read->vocabulary.size());
  // A split of `<eos>` alone would be written as lines without a word, which is no text.
  const auto& words = read->vocabulary;
  const auto end_of_line = std::find(words.begin(), words.end(), worker::kEndOfLine);
  for (const auto* tokens : {&read->train, &read->valid, &read->test}) {
    if (tokens->empty()) continue;
    if (isAll(*tokens, end_of_line - words.begin())) return;
    // Nor may a text begin as a compressed file does, here with white space before.
    if (words[static_cast<std::size_t>(tokens->front())].starts_with("\x1F\x8B")) return;
  }
  const Written written(worker::textFiles(*read));
  const auto again = worker::loadText(written.path());
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message);
  SUMAC_CHECK(again->vocabulary == read->vocabulary && again->train == read->train);
  SUMAC_CHECK(again->valid == read->valid && again->test == read->test);
}

}  // namespace sumac::fuzz
