#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/model/network.h"

namespace sumac::model::internal {

/// How a key's value is written.
enum class Form { kInteger, kDecimal, kBoolean };

/// A key: its range where it is an integer (resolve() knows those of decimals), and its value when
/// it is left out (none: it must be there).
struct Key {
  std::string_view name;
  Form form = Form::kInteger;
  int lowest = 0;
  int highest = 0;
  std::optional<double> otherwise;
};

/// Values of keys, in the order of a type's.
class Values {
 public:
  void add(double value) { values_.push_back(value); }
  int whole(std::size_t index) const { return static_cast<int>(values_.at(index)); }
  bool flag(std::size_t index) const { return values_.at(index) != 0; }
  double operator[](std::size_t index) const { return values_.at(index); }

 private:
  std::vector<double> values_;
};

/// A layer's type with the keys it has, and how their values make a layer.
struct Type {
  LayerKind kind;  // for its name
  std::span<const Key> keys = {};
  LayerKind (*make)(const Values& values) = nullptr;  // none: `kind` itself
};

/// All types that can be written.
std::span<const Type> layerTypes();

}  // namespace sumac::model::internal
