#include "engine/data/packed_description.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/checked.h"
#include "engine/data/inputs_json.h"

namespace sumac::worker {
namespace {

using nlohmann::json;

json rangeJson(const ValueRange& range) {
  return {range.least, range.largest, range.mean};
}

/// Reads fields of an object; remembers whether one broke a rule.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}

  const json& at(const char* name) {
    static const json kNone;
    const auto found = object_.find(name);
    return found == object_.end() ? kNone : *found;
  }

  std::uint64_t number(const char* name, std::uint64_t least, std::uint64_t most) {
    const json& node = at(name);
    const std::uint64_t number = node.is_number_unsigned() ? node.get<std::uint64_t>() : most + 1;
    if (number >= least && number <= most) return number;
    return refuse(name, least);
  }

  template <typename T>
  std::vector<T> numbers(const char* name) {
    const json& node = at(name);
    std::vector<T> numbers;
    if (!node.is_array()) return refuse(name, numbers);
    for (const json& one : node) {
      const bool is_right = std::is_integral_v<T> ? one.is_number_unsigned() : one.is_number();
      if (!is_right) return refuse(name, numbers);
      numbers.push_back(one.get<T>());
      if (!std::isfinite(static_cast<double>(numbers.back()))) return refuse(name, numbers);
    }
    return numbers;
  }

  ValueRange range(const char* name) {
    const auto values = numbers<double>(name);
    if (values.size() != 3) return refuse(name, ValueRange{});
    return {values[0], values[1], values[2]};
  }

  /// What was read, unless it is nothing.
  template <typename T>
  T given(const char* name, std::optional<T> read) {
    return read ? *std::move(read) : refuse(name, T());
  }

  template <typename T>
  T refuse(const char* name, T value) {
    if (wrong_.empty()) wrong_ = name;
    return value;
  }

  void require(bool holds, const char* name) {
    if (!holds) refuse(name, 0);
  }

  const std::string& wrong() const { return wrong_; }

 private:
  const json& object_;  // outlives us
  std::string wrong_;   // the first
};

model::Shape shapeIn(Fields& fields) {
  constexpr std::size_t kMostExtents = 3;
  model::Shape shape;
  std::int64_t count = 1;
  for (const std::uint64_t extent : fields.numbers<std::uint64_t>("shape")) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    const auto one = static_cast<std::int64_t>(std::min(extent, kMost + 1));
    const auto product = checkedMultiply(count, one);
    if (one == 0 || !product || *product > static_cast<std::int64_t>(kMost))
      return fields.refuse("shape", model::Shape{1});
    count = *product;
    shape.push_back(one);
  }
  const bool is_possible = !shape.empty() && shape.size() <= kMostExtents;
  return is_possible ? shape : fields.refuse("shape", model::Shape{1});
}

/// What depends on the number of channels, or of features.
void readStatistics(Fields& fields, PackedDescription& description) {
  const auto channels = static_cast<std::size_t>(description.shape.front());
  Normalization& normalization = description.normalization;
  normalization.mean = fields.numbers<float>("mean");
  normalization.deviation = fields.numbers<float>("deviation");
  fields.require(normalization.mean.size() == channels, "mean");
  const auto isAbove = [](float value) { return value > 0; };
  fields.require(normalization.deviation.size() == channels &&
                     std::ranges::all_of(normalization.deviation, isAbove),
                 "deviation");
  description.train = fields.range("train");
  description.test = fields.range("test");
  if (!description.are_pixels) return;
  description.sums.pixels = fields.numbers<std::uint64_t>("sums");
  description.sums.squares = fields.numbers<std::uint64_t>("squares");
  fields.require(description.sums.pixels.size() == channels, "sums");
  fields.require(description.sums.squares.size() == channels, "squares");
}

}  // namespace

std::uint64_t PackedDescription::sampleBytes() const {
  return static_cast<std::uint64_t>(model::count(shape)) * (are_pixels ? 1 : sizeof(float));
}

std::string toText(const PackedDescription& description) {
  json text{{"shape", description.shape},
            {"values", description.are_pixels ? "pixels" : "float32"},
            {"classes", description.classes},
            {"fingerprint", description.fingerprint},
            {"mean", description.normalization.mean},
            {"deviation", description.normalization.deviation},
            {"train", rangeJson(description.train)},
            {"test", rangeJson(description.test)}};
  if (!description.class_names.empty()) text["classNames"] = namesJson(description.class_names);
  if (!description.columns.columns.empty()) text["columns"] = columnsJson(description.columns);
  if (json pictures = picturesJson(description.pictures); !pictures.empty())
    text["pictures"] = std::move(pictures);
  if (description.are_pixels) {
    text["sums"] = description.sums.pixels;
    text["squares"] = description.sums.squares;
  }
  if (!description.source.empty()) text["source"] = description.source;
  return text.dump();
}

std::uint64_t longestText(const PackedDescription& description) {
  constexpr std::uint64_t kNumber = 26;  // digits, sign, exponent and comma
  constexpr std::uint64_t kNumbersAlone = 8;
  const auto channels = static_cast<std::uint64_t>(description.shape.front());
  return toText(description).size() + (4 * channels + kNumbersAlone) * kNumber;
}

Result<PackedDescription> readPackedDescription(std::string_view text) {
  const json node = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!node.is_object()) return Error{ErrorCode::kInvalid, "its description is no JSON object"};
  Fields fields(node);
  PackedDescription description;
  description.shape = shapeIn(fields);
  const json& values = fields.at("values");
  fields.require(values == "pixels" || values == "float32", "values");
  description.are_pixels = values == "pixels";
  description.classes = static_cast<int>(fields.number("classes", 2, kMaxClasses));
  description.fingerprint =
      static_cast<std::uint32_t>(fields.number("fingerprint", 0, 0xFFFF'FFFFU));
  readStatistics(fields, description);
  if (const json& names = fields.at("classNames"); !names.is_null()) {
    description.class_names = fields.given("classNames", namesIn(names));
    fields.require(std::ssize(description.class_names) == description.classes, "classNames");
  }
  if (const json& columns = fields.at("columns"); !columns.is_null()) {
    description.columns = fields.given("columns", columnsIn(columns));
    const auto features = static_cast<std::int64_t>(description.columns.features());
    fields.require(description.shape == model::Shape{features}, "columns");
  }
  if (const json& pictures = fields.at("pictures"); !pictures.is_null())
    description.pictures = fields.given("pictures", picturesIn(pictures));
  if (const json& source = fields.at("source"); source.is_string())
    description.source = source.get<std::string>();
  if (fields.wrong().empty()) return description;
  return Error{ErrorCode::kInvalid, "its description has a wrong or missing \"" + fields.wrong() +
                                        "\"; pack it again with `sumac data pack`"};
}

}  // namespace sumac::worker
