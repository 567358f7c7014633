#include "engine/onnx/graph.h"

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "base/core/check.h"

namespace sumac::onnx {
namespace {

using protobuf::Message;

// Elements of tensors: TensorProto.DataType.
constexpr int kFloat = 1;
constexpr int kInt64 = 7;

// GraphProto.
constexpr int kNode = 1;
constexpr int kInitializer = 5;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

int elementOf(ElementType type) {
  return type == ElementType::kFloat ? kFloat : kInt64;
}

/// AttributeProto.
Message attributeOf(const Attribute& attribute) {
  constexpr int kType = 20;
  Message message;
  message.addText(1, attribute.name);
  if (const auto* const number = std::get_if<std::int64_t>(&attribute.value)) {
    message.addNumber(3, *number);
    message.addNumber(kType, 2);
  } else if (const auto* const real = std::get_if<float>(&attribute.value)) {
    message.addFloat(2, *real);
    message.addNumber(kType, 1);
  } else {
    for (const std::int64_t each : std::get<std::vector<std::int64_t>>(attribute.value))
      message.addNumber(8, each);
    message.addNumber(kType, 7);
  }
  return message;
}

/// TensorProto without its values, which come as raw_data.
Message tensorOf(const std::string& name, const model::Shape& shape, int element) {
  Message message;
  for (const std::int64_t extent : shape)
    message.addNumber(1, extent);
  message.addNumber(2, element);
  message.addText(8, name);
  return message;
}
constexpr int kRawData = 9;

/// ValueInfoProto.
Message valueOf(const std::string& name, ElementType type, const std::vector<Extent>& extents,
                std::string_view meaning) {
  Message shape;
  for (const Extent& extent : extents) {
    Message dimension;
    if (const auto* const number = std::get_if<std::int64_t>(&extent)) {
      dimension.addNumber(1, *number);
    } else {
      dimension.addText(2, std::get<std::string_view>(extent));
    }
    shape.addMessage(1, dimension);
  }
  Message tensor;
  tensor.addNumber(1, elementOf(type));
  tensor.addMessage(2, shape);
  Message kind;
  kind.addMessage(1, tensor);
  Message value;
  value.addText(1, name);
  value.addMessage(2, kind);
  value.addText(3, meaning);
  return value;
}

}  // namespace

std::string Graph::add(std::string_view type, const std::vector<std::string>& inputs,
                       const std::string& output, const std::vector<Attribute>& attributes) {
  addMany(type, inputs, {output}, attributes);
  return output;
}

void Graph::addMany(std::string_view type, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs,
                    const std::vector<Attribute>& attributes) {
  Message node;
  for (const std::string& input : inputs)
    node.addText(1, input);
  for (const std::string& output : outputs)
    node.addText(2, output);
  node.addText(3, outputs.front());
  node.addText(4, type);
  for (const Attribute& attribute : attributes)
    node.addMessage(5, attributeOf(attribute));
  nodes_and_tensors_.addMessage(kNode, node);
}

std::string Graph::constant(const std::string& name, const model::Shape& shape,
                            std::span<const float> values) {
  SUMAC_CHECK(std::ssize(values) == model::count(shape), name, values.size());
  Message tensor = tensorOf(name, shape, kFloat);
  tensor.addBytes(kRawData, std::as_bytes(values));
  nodes_and_tensors_.addMessage(kInitializer, tensor);
  return name;
}

std::string Graph::constant(const std::string& name, const std::vector<std::int64_t>& values) {
  Message tensor = tensorOf(name, {std::ssize(values)}, kInt64);
  tensor.addBytes(kRawData, std::as_bytes(std::span(values)));
  nodes_and_tensors_.addMessage(kInitializer, tensor);
  return name;
}

std::string Graph::constantView(const std::string& name, const model::Shape& shape,
                                std::span<const float> values) {
  SUMAC_CHECK(std::ssize(values) == model::count(shape), name, values.size());
  Message tensor = tensorOf(name, shape, kFloat);
  tensor.addView(kRawData, std::as_bytes(values));
  nodes_and_tensors_.addMessage(kInitializer, tensor);
  return name;
}

void Graph::input(const std::string& name, ElementType type, const std::vector<Extent>& extents,
                  std::string_view meaning) {
  inputs_.push_back(valueOf(name, type, extents, meaning));
}

void Graph::output(const std::string& name, ElementType type, const std::vector<Extent>& extents,
                   std::string_view meaning) {
  outputs_.push_back(valueOf(name, type, extents, meaning));
}

Message Graph::message(const std::string& name) const {
  Message graph = nodes_and_tensors_;
  graph.addText(2, name);
  for (const Message& input : inputs_)
    graph.addMessage(11, input);
  for (const Message& output : outputs_)
    graph.addMessage(12, output);
  return graph;
}

}  // namespace sumac::onnx
