#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string>

#include "base/core/check.h"
#include "engine/data/csv_table.h"
#include "engine/data/npy.h"
#include "tests/fuzz/harness/files.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/support/temporary_folder.h"

namespace sumac::fuzz {
namespace {

using worker::Images;
using worker::Samples;

void checkSplit(const Samples& samples, const Images& images) {
  SUMAC_CHECK(samples.shape == images.train.shape);
  SUMAC_CHECK(samples.pixels.empty() != samples.values.empty());
  const auto values = std::ssize(samples.pixels) + std::ssize(samples.values);
  SUMAC_CHECK(values == samples.count() * model::count(samples.shape), values, samples.count());
  SUMAC_CHECK(
      std::ranges::all_of(samples.labels, [&](int label) { return label < images.classes; }));
  SUMAC_CHECK(
      std::ranges::all_of(samples.values, [](float value) { return std::isfinite(value); }));
}

void checkSplits(const Images& images) {
  SUMAC_CHECK(images.classes >= 2 && images.classes <= worker::kMaxClasses, images.classes);
  checkSplit(images.train, images);
  checkSplit(images.test, images);
}

void requireSame(const Samples& found, const Samples& expected) {
  SUMAC_CHECK(found.shape == expected.shape && found.labels == expected.labels);
  SUMAC_CHECK(found.pixels == expected.pixels && found.values == expected.values);
}

template <typename Loaded>
void requireLoaded(const Result<Loaded>& result) {
  SUMAC_CHECK(result.has_value(), result ? "" : result.error().message);
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char byte : name)
    text += byte == '"' ? "\"\"" : std::string(1, byte);
  return text + "\"";
}

/// The samples as a table of numbers alone.
std::string tableOf(const Samples& samples, const std::vector<std::string>& classes) {
  const auto features = static_cast<std::size_t>(samples.shape.front());
  std::string text;
  for (std::size_t i = 0; i < features; ++i)
    text += "c" + std::to_string(i) + ",";
  text += "y\n";
  for (std::size_t row = 0; row < samples.labels.size(); ++row) {
    for (const float value : std::span(samples.values).subspan(row * features, features)) {
      std::array<char, 64> digits{};
      const auto end = std::to_chars(digits.begin(), digits.end(), value).ptr;
      text.append(digits.begin(), end) += ",";
    }
    text += quoted(classes[samples.labels[row]]) + "\n";
  }
  return text;
}

/// The files of an array of numpy, made from samples.
void writeArrays(const TemporaryFolder& folder, const Samples& samples, const std::string& split) {
  const auto write = [&](const std::string& name, const std::string& descr,
                         const std::string& shape, BytesView values) {
    const std::string head =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
    std::string bytes("\x93NUMPY\3\0", 8);
    for (const unsigned shift : {0U, 8U, 16U, 24U})
      bytes += static_cast<char>((head.size() >> shift) & 0xFFU);
    bytes += head;
    bytes += asText(values);
    writeFile(folder / (name + "_" + split + ".npy"), asBytes(bytes));
  };
  std::string shape = std::to_string(samples.count());
  for (const std::int64_t extent : samples.shape)
    shape += ", " + std::to_string(extent);
  if (samples.values.empty()) {
    write("x", "|u1", shape, std::as_bytes(std::span(samples.pixels)));
  } else {
    write("x", "<f4", shape, std::as_bytes(std::span(samples.values)));
  }
  const std::vector<std::int32_t> labels(samples.labels.begin(), samples.labels.end());
  write("y", "<i4", std::to_string(labels.size()) + ",", std::as_bytes(std::span(labels)));
}

}  // namespace

void csv(BytesView input) {
  constexpr auto kBetweenTables = std::byte{0xFE};
  const TemporaryFolder folder;
  const auto end = std::ranges::find(input, kBetweenTables);
  const auto size = static_cast<std::size_t>(end - input.begin());
  writeFile(folder / "train.csv", input.first(size));
  writeFile(folder / "test.csv", input.subspan(std::min(size + 1, input.size())));
  const auto read = worker::loadCsv(folder.path(), "y");
  requireReason(read);
  if (!read) return;
  const Images& images = read->images;
  checkSplits(images);
  SUMAC_CHECK(std::ssize(images.class_names) == images.classes);
  SUMAC_CHECK(images.train.shape.size() == 1);
  SUMAC_CHECK(std::cmp_equal(images.train.shape.front(), read->columns.features()));
  writeFile(folder / "train.csv", asBytes(tableOf(images.train, images.class_names)));
  writeFile(folder / "test.csv", asBytes(tableOf(images.test, images.class_names)));
  const auto again = worker::loadCsv(folder.path(), "y");
  requireLoaded(again);
  requireSame(again->images.train, images.train);
  requireSame(again->images.test, images.test);
  SUMAC_CHECK(again->images.class_names == images.class_names);
}

void npy(BytesView input) {
  constexpr std::array<const char*, 5> kNames = {"x_train.npy", "y_train.npy", "x_test.npy",
                                                 "y_test.npy", "data.npz"};
  const TemporaryFolder folder;
  const std::vector<Bytes> files = filesIn(input, kNames.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].empty()) writeFile(folder / kNames.at(i), files[i]);
  const auto read = worker::loadNpy(folder.path());
  requireReason(read);
  if (!read) return;
  checkSplits(*read);
  const TemporaryFolder written;
  writeArrays(written, read->train, "train");
  writeArrays(written, read->test, "test");
  const auto again = worker::loadNpy(written.path());
  requireLoaded(again);
  requireSame(again->train, read->train);
  requireSame(again->test, read->test);
}

}  // namespace sumac::fuzz
