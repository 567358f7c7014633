#include "libsumac/state_input.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "libsumac/misuse.h"
#include "libsumac/sized.h"

namespace sumac::program {
namespace {

constexpr std::size_t kLongestName = 512;
constexpr int kMostExtents = 16;

/// The i-th tensor. The size of the program's struct may differ from ours.
sumac_tensor tensorAt(const sumac_state& given, std::size_t i) {
  const std::size_t stride = given.tensors->size;
  const auto* const bytes = reinterpret_cast<const std::byte*>(given.tensors) + i * stride;
  return copyIn<sumac_tensor>(bytes, stride, "sumac_state_is: a tensor");
}

std::span<const std::int64_t> shapeOf(const sumac_tensor& tensor) {
  return {tensor.shape, static_cast<std::size_t>(tensor.rank)};
}

[[noreturn]] void refuse(std::size_t i, const std::string& what) {
  throw Misuse("sumac_state_is: tensor " + std::to_string(i) + ": " + what);
}

std::uint64_t checkTensor(std::size_t i, const sumac_tensor& tensor, std::size_t stride) {
  if (tensor.size != stride) refuse(i, "its size is not that of the first one");
  if (tensor.name == nullptr || tensor.dtype == nullptr) refuse(i, "a null pointer");
  const std::size_t length = ::strnlen(tensor.name, kLongestName + 1);
  if (length == 0 || length > kLongestName) refuse(i, "its name has not 1 to 512 bytes");
  const std::string_view name(tensor.name, length);
  if (name == "__metadata__") refuse(i, "its name is taken by the file format");
  if (tensor.rank < 0 || tensor.rank > kMostExtents) refuse(i, "its rank is not 0 to 16");
  if (tensor.rank > 0 && tensor.shape == nullptr) refuse(i, "its shape is a null pointer");
  if (tensor.role != SUMAC_MODEL && tensor.role != SUMAC_OTHER) refuse(i, "it has no such role");
  const auto bytes = checkpoint::tensorBytes(tensor.dtype, shapeOf(tensor));
  if (!bytes || *bytes > checkpoint::kMostStateBytes)
    refuse(i, std::string(name) + ": there is no such type, or its shape is too large");
  if (*bytes > 0 && tensor.data == nullptr) refuse(i, std::string(name) + ": its data is null");
  return *bytes;
}

/// Of a tensor that was not checked: whether it is one that was. Bytes are compared up to the first
/// difference, so no name is read beyond its end.
bool isSame(const checkpoint::ProgramTensor& known, const sumac_tensor& tensor) {
  const checkpoint::TensorView& view = known.view;
  const bool has_rank =
      tensor.rank >= 0 && static_cast<std::size_t>(tensor.rank) == view.shape.size();
  if (!has_rank || (tensor.rank > 0 && tensor.shape == nullptr)) return false;
  if (tensor.name == nullptr || tensor.dtype == nullptr) return false;
  if (tensor.data == nullptr && !view.data.empty()) return false;
  return tensor.role == (known.is_model ? SUMAC_MODEL : SUMAC_OTHER) &&
         std::strcmp(view.name.c_str(), tensor.name) == 0 &&
         std::strcmp(view.dtype.c_str(), tensor.dtype) == 0 &&
         std::ranges::equal(view.shape, shapeOf(tensor));
}

BytesView dataOf(const sumac_tensor& tensor) {
  const auto bytes = checkpoint::tensorBytes(tensor.dtype, shapeOf(tensor));
  return {static_cast<const std::byte*>(tensor.data), bytes.value_or(0)};
}

bool isUtf8(const char* text) {
  using nlohmann::json;
  const json value(text);
  const auto printed = [&value](json::error_handler_t handler) {
    return value.dump(-1, ' ', /*ensure_ascii=*/false, handler);
  };
  return printed(json::error_handler_t::ignore) == printed(json::error_handler_t::replace);
}

/// Where other tensors than before have come.
std::vector<checkpoint::ProgramTensor> newTensors(const sumac_state& given) {
  std::vector<checkpoint::ProgramTensor> tensors;
  std::set<std::string> names;
  for (std::size_t i = 0; i < given.count; ++i) {
    const sumac_tensor from = tensorAt(given, i);
    if (!names.insert(from.name).second)
      refuse(i, "its name is there before: " + std::string(from.name));
    if (!isUtf8(from.name)) refuse(i, "its name is not UTF-8");
    const auto shape = shapeOf(from);
    tensors.push_back({{from.name, from.dtype, {shape.begin(), shape.end()}, dataOf(from)},
                       from.role == SUMAC_MODEL});
  }
  return tensors;
}

/// Whether they are the tensors of `state`, all of which were checked as they came.
bool areSame(const sumac_state& given, const checkpoint::ProgramState& state) {
  if (given.count != state.tensors.size()) return false;
  for (std::size_t i = 0; i < given.count; ++i) {
    const sumac_tensor tensor = tensorAt(given, i);
    if (tensor.size != given.tensors->size || !isSame(state.tensors[i], tensor)) return false;
  }
  return true;
}

void checkTensors(const sumac_state& given) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < given.count; ++i) {
    bytes += checkTensor(i, tensorAt(given, i), given.tensors->size);
    require(bytes <= checkpoint::kMostStateBytes, "sumac_state_is: more than 2^40 bytes");
  }
}

}  // namespace

void takeState(const sumac_state& given, checkpoint::ProgramState& state) {
  require(given.step >= 0, "sumac_state_is: the step is negative");
  require(given.count <= checkpoint::kMostTensors, "sumac_state_is: more than 65,536 tensors");
  require(given.tensors != nullptr || given.count == 0, "sumac_state_is: a null pointer");
  if (given.count > 0) requireStruct(given.tensors, "sumac_state_is: tensor 0");
  const char* const text = given.text == nullptr ? "{}" : given.text;
  const std::size_t length = ::strnlen(text, checkpoint::kMostStateText + 1);
  require(length <= checkpoint::kMostStateText, "sumac_state_is: the text has more than 1 MiB");
  const std::string_view json(text, length);
  const bool has_new_text = json != state.text;
  if (has_new_text) require(nlohmann::json::accept(json), "sumac_state_is: the text is not JSON");
  if (areSame(given, state)) {
    for (std::size_t i = 0; i < given.count; ++i) {
      BytesView& data = state.tensors[i].view.data;
      data = {static_cast<const std::byte*>(tensorAt(given, i).data), data.size()};
    }
  } else {
    checkTensors(given);
    state.tensors = newTensors(given);
  }
  if (has_new_text) state.text = json;
}

sumac_state TensorTable::stateOf(const checkpoint::ProgramState& state) {
  tensors_.clear();
  for (const checkpoint::ProgramTensor& from : state.tensors) {
    sumac_tensor tensor{};
    tensor.size = sizeof(sumac_tensor);
    tensor.name = from.view.name.c_str();
    tensor.dtype = from.view.dtype.c_str();
    tensor.shape = from.view.shape.data();
    // The program only reads it; the type serves both directions.
    tensor.data = const_cast<std::byte*>(from.view.data.data());
    tensor.rank = static_cast<std::int32_t>(from.view.shape.size());
    tensor.role = from.is_model ? SUMAC_MODEL : SUMAC_OTHER;
    tensors_.push_back(tensor);
  }
  sumac_state seen{};
  seen.size = sizeof(sumac_state);
  seen.step = state.step;
  seen.tensors = tensors_.data();
  seen.count = tensors_.size();
  seen.text = state.text.c_str();
  return seen;
}

}  // namespace sumac::program
