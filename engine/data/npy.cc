#include "engine/data/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/check.h"
#include "engine/data/npy_head.h"
#include "engine/data/npy_source.h"

namespace sumac::worker {
namespace {

constexpr const char* kCutShort = "it is cut short; write it again with np.save";
constexpr std::size_t kNpyPiece = std::size_t{1} << 16U;

std::uint64_t countOf(const NpyHead& head) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : head.shape)
    count *= extent;
  return count;
}

/// "[3, 0, 7]" of the value with this number.
std::string indexText(const NpyHead& head, std::uint64_t number) {
  std::string text;
  for (auto extent = head.shape.rbegin(); extent != head.shape.rend(); ++extent) {
    text = std::to_string(number % *extent) + (text.empty() ? "" : ", " + text);
    number /= *extent;
  }
  return "[" + text + "]";
}

std::string shapeText(const NpyHead& head) {
  std::string text;
  for (const std::uint64_t extent : head.shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (head.shape.size() == 1 ? ",)" : ")");
}

Result<void> readExactly(NpySource& source, std::span<std::byte> into) {
  const auto got = source.read(into);
  if (!got) return got.error();
  if (*got < into.size()) return source.refused(kCutShort);
  return {};
}

/// After the last value. A compressed entry is checked by its sum here.
Result<void> requireEnd(NpySource& source) {
  std::byte further{};
  const auto got = source.read({&further, 1});
  if (!got) return got.error();
  if (*got > 0) return source.refused("it has bytes after its values");
  return {};
}

template <typename T>
T loadNpyValue(const std::byte* from) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(loadLittleEndian<std::uint32_t>(from));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(loadLittleEndian<std::uint64_t>(from));
  } else {
    return loadLittleEndian<T>(from);
  }
}

template <typename To, typename From>
To convertedTo(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else {
    return static_cast<To>(value);
  }
}

/// Hands all values to `take`, which says of each whether it is right. Returns the number of the
/// first that is not, or that of all values.
template <typename T, typename To, typename Take>
Result<std::uint64_t> eachValueOf(NpySource& source, std::uint64_t count, Take take) {
  std::vector<std::byte> piece(kNpyPiece);
  for (std::uint64_t done = 0; done < count;) {
    const std::size_t size = std::min<std::uint64_t>(count - done, kNpyPiece / sizeof(T));
    if (auto read = readExactly(source, std::span(piece).first(size * sizeof(T))); !read)
      return read.error();
    for (std::size_t i = 0; i < size; ++i)
      if (!take(convertedTo<To>(loadNpyValue<T>(&piece[i * sizeof(T)])))) return done + i;
    done += size;
  }
  if (auto ended = requireEnd(source); !ended) return ended.error();
  return count;
}

/// As floats, or as integers.
template <typename To, typename Take>
Result<std::uint64_t> eachValue(NpySource& source, const NpyHead& head, Take take) {
  const std::uint64_t count = countOf(head);
  switch (head.type) {
    case NpyType::kU1: return eachValueOf<std::uint8_t, To>(source, count, take);
    case NpyType::kI4: return eachValueOf<std::int32_t, To>(source, count, take);
    case NpyType::kI8: return eachValueOf<std::int64_t, To>(source, count, take);
    case NpyType::kF4: return eachValueOf<float, To>(source, count, take);
    case NpyType::kF8: return eachValueOf<double, To>(source, count, take);
  }
  failCheck("a type is one of the enumerators", "");
}

Result<std::vector<std::uint8_t>> readPixels(NpySource& source, const NpyHead& head) {
  std::vector<std::uint8_t> pixels(countOf(head));
  if (auto read = readExactly(source, std::as_writable_bytes(std::span(pixels))); !read)
    return read.error();
  if (auto ended = requireEnd(source); !ended) return ended.error();
  return pixels;
}

Result<std::vector<float>> readFloats(NpySource& source, const NpyHead& head) {
  std::vector<float> values;
  values.reserve(countOf(head));
  const auto taken = eachValue<float>(source, head, [&values](float value) {
    values.push_back(value);
    return std::isfinite(value);
  });
  if (!taken) return taken.error();
  if (*taken == countOf(head)) return values;
  return source.refused("the value at " + indexText(head, *taken) +
                        " is not a finite float32; leave such samples out, or replace it: "
                        "np.nan_to_num(x)");
}

/// Reads the head of an array and leaves the source where its values begin. Fails with kInvalid
/// also when the source has not exactly the bytes of the values that the head tells.
Result<NpyHead> readHead(NpySource& source) {
  constexpr std::size_t kStart = 12;
  std::string text(std::min<std::uint64_t>(kStart, source.size()), '\0');
  const auto bytes = [&text](std::size_t from) {
    return std::as_writable_bytes(std::span(text).subspan(from));
  };
  if (auto read = readExactly(source, bytes(0)); !read) return read.error();
  const auto dictionary = findNpyDictionary(text);
  if (!dictionary) return source.refused(dictionary.error().message);
  const std::size_t end = dictionary->offset + dictionary->size;
  if (end > source.size()) return source.refused(kCutShort);
  text.resize(std::max(end, text.size()));
  if (auto read = readExactly(source, bytes(kStart)); !read) return read.error();
  auto head = parseNpyHead(std::string_view(text).substr(dictionary->offset, dictionary->size));
  if (!head) return source.refused(head.error().message);
  const std::uint64_t expected = countOf(*head) * sizeOf(head->type);
  if (source.size() - end == expected) return head;
  return source.refused("found " + std::to_string(source.size() - end) + " bytes of values, but " +
                        shapeText(*head) + " of " + std::string(toString(head->type)) + " are " +
                        std::to_string(expected) + "; write it again with np.save");
}

/// The values of samples whose shape is known: uint8 images as pixels, all else as floats.
Result<Samples> readSamples(NpySource& source, const NpyHead& head, model::Shape shape) {
  constexpr std::size_t kImageRank = 3;
  const bool are_pixels = head.type == NpyType::kU1 && shape.size() == kImageRank;
  Samples samples{.shape = std::move(shape)};
  if (are_pixels) {
    auto pixels = readPixels(source, head);
    if (!pixels) return pixels.error();
    samples.pixels = *std::move(pixels);
  } else {
    auto values = readFloats(source, head);
    if (!values) return values.error();
    samples.values = *std::move(values);
  }
  return samples;
}

/// Reads the samples that an array x of rank 2 or 4 has: uint8 of rank 4 as pixels, all else as
/// floats. Fails with kInvalid for other ranks and for what is not finite. They have no labels yet.
Result<Samples> readX(NpySource& source) {
  const auto head = readHead(source);
  if (!head) return head.error();
  const std::size_t rank = head->shape.size();
  if (rank != 2 && rank != 4) {
    return source.refused("found the shape " + shapeText(*head) +
                          ", expected (samples, features) or (samples, channels, rows, columns)" +
                          (rank == 3   ? "; images of one channel are x[:, np.newaxis]"
                           : rank == 1 ? "; samples of one feature are x[:, np.newaxis]"
                                       : ""));
  }
  return readSamples(source, *head, {head->shape.begin() + 1, head->shape.end()});
}

/// Reads the classes that an array y of rank 1 has: integers from 0 below kMaxClasses.
Result<std::vector<std::uint16_t>> readY(NpySource& source) {
  const auto head = readHead(source);
  if (!head) return head.error();
  if (head->shape.size() != 1) {
    return source.refused("found the shape " + shapeText(*head) +
                          ", expected one class of each sample: write y.ravel(), or of one-hot "
                          "rows y.argmax(axis=1)");
  }
  if (head->type == NpyType::kF4 || head->type == NpyType::kF8) {
    return source.refused("found " + std::string(toString(head->type)) +
                          ", but classes are integers; write y.astype('int64')");
  }
  std::vector<std::uint16_t> labels;
  labels.reserve(countOf(*head));
  std::int64_t last = 0;
  const auto taken = eachValue<std::int64_t>(source, *head, [&](std::int64_t value) {
    last = value;
    labels.push_back(static_cast<std::uint16_t>(last));
    return last >= 0 && last < kMaxClasses;
  });
  if (!taken) return taken.error();
  if (*taken == countOf(*head)) return labels;
  return source.refused(
      "found the class " + std::to_string(last) + " at " + indexText(*head, *taken) +
      ", expected 0 to 65,535; number the classes: " + "np.unique(y, return_inverse=True)[1]");
}

/// The labels first: they are small, and what is wrong with them is known before x is read.
Result<Samples> readSplit(NpySource& x, NpySource& y) {
  auto labels = readY(y);
  if (!labels) return labels.error();
  auto samples = readX(x);
  if (!samples) return samples.error();
  const std::size_t values = std::max(samples->pixels.size(), samples->values.size());
  const std::size_t count = values / static_cast<std::size_t>(model::count(samples->shape));
  if (count != labels->size()) {
    return y.refused("found " + std::to_string(labels->size()) + " classes, but " + x.name() +
                     " has " + std::to_string(count) + " samples; write one class for each");
  }
  samples->labels = *std::move(labels);
  return samples;
}

Result<void> checkTestClasses(const std::vector<std::uint16_t>& train,
                              const std::vector<std::uint16_t>& test, const NpySource& y_test) {
  std::vector<bool> is_known(kMaxClasses);
  for (const std::uint16_t label : train)
    is_known[label] = true;
  const auto unknown = std::ranges::find_if(test, [&](auto label) { return !is_known[label]; });
  if (unknown == test.end()) return {};
  return y_test.refused("found the class " + std::to_string(*unknown) + " at [" +
                        std::to_string(unknown - test.begin()) +
                        "], which no sample to train on has; leave such samples out: "
                        "np.isin(y_test, y_train)");
}

}  // namespace

Result<Images> loadNpy(const std::filesystem::path& folder) {
  const auto sources = openNpySources(folder);
  if (!sources) return sources.error();
  auto train = readSplit(*sources->x_train, *sources->y_train);
  if (!train) return train.error();
  const int classes = *std::ranges::max_element(train->labels) + 1;
  if (classes < 2)
    return sources->y_train->refused("all samples have the class 0; data to train on have two");
  auto test = readSplit(*sources->x_test, *sources->y_test);
  if (!test) return test.error();
  if (test->shape != train->shape || test->pixels.empty() != train->pixels.empty()) {
    return sources->x_test->refused(
        "found samples of " + model::toString(test->shape) +
        (test->pixels.empty() ? " values, expected " : " pixels (uint8), expected ") +
        model::toString(train->shape) + (train->pixels.empty() ? " values" : " pixels (uint8)") +
        " as in " + sources->x_train->name());
  }
  if (auto checked = checkTestClasses(train->labels, test->labels, *sources->y_test); !checked)
    return checked.error();
  return Images{.train = *std::move(train), .test = *std::move(test), .classes = classes};
}

Result<Samples> loadNpySamples(const std::filesystem::path& file, const model::Shape& shape) {
  const auto source = openNpyFile(file);
  if (!source) return source.error();
  const auto head = readHead(**source);
  if (!head) return head.error();
  NpyHead one{.shape = {shape.begin(), shape.end()}};
  const bool is_one = head->shape == one.shape;
  const bool are_several = head->shape.size() == one.shape.size() + 1 &&
                           std::equal(one.shape.begin(), one.shape.end(), head->shape.begin() + 1);
  if (!is_one && !are_several) {
    std::string several = "(samples";
    for (const std::uint64_t extent : one.shape)
      several += ", " + std::to_string(extent);
    return (*source)->refused("found the shape " + shapeText(*head) + ", the model takes " +
                              shapeText(one) + " or " + several + ")");
  }
  auto samples = readSamples(**source, *head, shape);
  if (samples) samples->labels.resize(is_one ? 1 : head->shape.front());
  return samples;
}

}  // namespace sumac::worker
