#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "job/model/network.h"

namespace sumac::model::internal {

/// How a key's value is written.
enum class Form { kInteger, kDecimal, kBoolean };

/// A key of a layer: its range if it is an integer (resolve() checks decimals), and its default
/// (none: the key is required).
struct Key {
  std::string_view name;
  Form form = Form::kInteger;
  int lowest = 0;
  int highest = 0;
  std::optional<double> otherwise;
};

/// The values of a type's keys, in their order.
class Values {
 public:
  void add(double value) { values_.push_back(value); }
  int whole(std::size_t index) const { return static_cast<int>(values_.at(index)); }
  bool flag(std::size_t index) const { return values_.at(index) != 0; }
  double operator[](std::size_t index) const { return values_.at(index); }

 private:
  std::vector<double> values_;
};

/// A type of layer: its keys, and the function that makes a layer from their values.
struct Type {
  LayerKind kind;  // for its name
  std::span<const Key> keys = {};
  LayerKind (*make)(const Values& values) = nullptr;  // none: `kind` itself
};

/// All types that a job document may use.
std::span<const Type> layerTypes();

}  // namespace sumac::model::internal
