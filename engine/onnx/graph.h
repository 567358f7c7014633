#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/bytes.h"
#include "base/protobuf/message.h"
#include "job/model/network.h"

namespace sumac::onnx {

/// What a tensor of a graph's inputs and outputs holds.
enum class ElementType { kFloat, kInt64 };

/// An extent: a number, or the name of one that is left open.
using Extent = std::variant<std::int64_t, std::string_view>;

/// An attribute of a node.
struct Attribute {
  std::string_view name;
  std::variant<std::int64_t, float, std::vector<std::int64_t>> value;
};

/// A graph of ONNX while it is built: nodes in the order in which they compute, constant tensors,
/// inputs and outputs. Field numbers are those of onnx.proto3.
///
/// Values are known by their names. Long tensors are not copied, see constantView().
class Graph {
 public:
  /// Adds a node with one output and returns its name. An empty input is one left out.
  std::string add(std::string_view type, const std::vector<std::string>& inputs,
                  const std::string& output, const std::vector<Attribute>& attributes = {});
  /// Adds a node with several outputs.
  void addMany(std::string_view type, const std::vector<std::string>& inputs,
               const std::vector<std::string>& outputs,
               const std::vector<Attribute>& attributes = {});

  /// Adds a constant tensor and returns its name.
  std::string constant(const std::string& name, const model::Shape& shape,
                       std::span<const float> values);
  std::string constant(const std::string& name, const std::vector<std::int64_t>& values);
  /// The same without a copy: `values` outlive the graph and the model made of it.
  std::string constantView(const std::string& name, const model::Shape& shape,
                           std::span<const float> values);

  /// Adds an input or an output; `meaning` says for people what it holds.
  void input(const std::string& name, ElementType type, const std::vector<Extent>& extents,
             std::string_view meaning);
  void output(const std::string& name, ElementType type, const std::vector<Extent>& extents,
              std::string_view meaning);

  /// The whole as a GraphProto.
  protobuf::Message message(const std::string& name) const;

 private:
  protobuf::Message nodes_and_tensors_;
  std::vector<protobuf::Message> inputs_;
  std::vector<protobuf::Message> outputs_;
};

}  // namespace sumac::onnx
