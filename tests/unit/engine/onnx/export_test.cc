#include "engine/onnx/export.h"

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/yaml/reader.h"
#include "job/model/parse.h"
#include "tests/support/protobuf_fields.h"

namespace sumac::onnx::export_test {
namespace {

model::Network networkOf(const std::string& layers, const model::Shape& input, int vocabulary = 0) {
  const auto node = yaml::read(layers, "layers");
  const auto spec = model::parseLayers(node.value(), input);
  return model::resolve(spec.value(), {.vocabulary = vocabulary}).value();
}

/// A network whose parameters are 0, 1, 2, ... and its statistics likewise.
struct Exported {
  explicit Exported(model::Network the_network, Normalization normalization = {},
                    std::vector<std::string> names = {})
      : network(std::move(the_network)),
        weights(static_cast<std::size_t>(network.parameters)),
        statistics(static_cast<std::size_t>(network.statistics)) {
    std::iota(weights.begin(), weights.end(), 0.0F);
    std::iota(statistics.begin(), statistics.end(), 0.0F);
    bytes =
        exportNetwork({network, weights, statistics, std::move(normalization), std::move(names)})
            .value();
  }

  model::Network network;
  std::vector<float> weights;
  std::vector<float> statistics;
  Bytes bytes;

  ProtobufFields model() const { return ProtobufFields(bytes); }
  ProtobufFields graph() const { return ProtobufFields(model().only(7).bytes); }

  /// The names of the graph's inputs (11) or outputs (12).
  std::vector<std::string> values(int field) const {
    std::vector<std::string> names;
    for (const ProtobufField& value : graph().of(field))
      names.push_back(ProtobufFields(value.bytes).only(1).text());
    return names;
  }
  std::vector<std::string> operators() const {
    std::vector<std::string> types;
    for (const ProtobufField& node : graph().of(1))
      types.push_back(ProtobufFields(node.bytes).only(4).text());
    return types;
  }
  std::map<std::string, std::string> metadata() const {
    std::map<std::string, std::string> found;
    for (const ProtobufField& entry : model().of(14)) {
      const ProtobufFields fields(entry.bytes);
      found[fields.only(1).text()] = fields.only(2).text();
    }
    return found;
  }
  /// A constant tensor's values.
  std::vector<float> constant(const std::string& name) const {
    for (const ProtobufField& tensor : graph().of(5)) {
      const ProtobufFields fields(tensor.bytes);
      if (fields.only(8).text() != name) continue;
      const BytesView raw = fields.only(9).bytes;
      std::vector<float> values(raw.size() / sizeof(float));
      std::memcpy(values.data(), raw.data(), raw.size());
      return values;
    }
    throw std::runtime_error("no tensor " + name);
  }
  /// A list of numbers among the attributes of the node that gives a value.
  std::vector<std::uint64_t> numbers(const std::string& output, const std::string& name) const {
    std::vector<std::uint64_t> found;
    for (const ProtobufField& each : graph().of(1)) {
      const ProtobufFields node(each.bytes);
      if (node.of(2).front().text() != output) continue;
      for (const ProtobufField& attribute : node.of(5)) {
        const ProtobufFields fields(attribute.bytes);
        if (fields.only(1).text() != name) continue;
        for (const ProtobufField& number : fields.of(8))
          found.push_back(number.value);
      }
    }
    return found;
  }
};

/// The first name that a node takes before anything gives it, or that comes twice; else empty.
std::string firstUnknown(const Exported& exported) {
  std::set<std::string> known{""};
  for (const int field : {11})
    for (const std::string& name : exported.values(field))
      if (!known.insert(name).second) return name + " twice";
  for (const ProtobufField& tensor : exported.graph().of(5)) {
    const std::string name = ProtobufFields(tensor.bytes).only(8).text();
    if (!known.insert(name).second) return name + " twice";
  }
  for (const ProtobufField& each : exported.graph().of(1)) {
    const ProtobufFields node(each.bytes);
    for (const ProtobufField& input : node.of(1))
      if (!known.contains(input.text())) return input.text();
    for (const ProtobufField& output : node.of(2))
      if (!known.insert(output.text()).second) return output.text() + " twice";
  }
  for (const std::string& name : exported.values(12))
    if (!known.contains(name)) return name;
  return {};
}

using Names = std::vector<std::string>;

constexpr const char* kImageLayers = R"(
- {type: conv2d, outputs: 4, kernel: 3, padding: 1, bias: false}
- {type: batchNorm}
- {type: relu}
- type: residual
  layers: [{type: conv2d, outputs: 4, kernel: 1}, {type: tanh}]
  shortcut: [{type: conv2d, outputs: 4, kernel: 1, groups: 2}]
- {type: maxPool, kernel: 3, stride: 2, ceil: true}
- {type: averagePool, kernel: 4, stride: 2, padding: 1, ceil: true}
- {type: dropout}
- {type: globalAveragePool}
- {type: dense, outputs: 3, name: image}
- {type: softmaxCrossEntropy}
)";

constexpr const char* kTextLayers = R"(
- {type: embedding, outputs: 3}
- {type: lstm, outputs: 2, depth: 2}
- {type: dense}
- {type: softmaxCrossEntropy}
)";

}  // namespace

BOOST_AUTO_TEST_SUITE(onnx_export)

BOOST_AUTO_TEST_CASE(an_image_network_is_a_chain_of_operators) {
  const Exported exported(networkOf(kImageLayers, {3, 10, 10}));

  BOOST_TEST(exported.model().only(1).value == 8U);
  const ProtobufFields opset(exported.model().only(8).bytes);
  BOOST_TEST(opset.only(1).text().empty());
  BOOST_TEST(opset.only(2).value == 17U);
  BOOST_TEST(exported.operators() ==
                 (Names{"Div", "Conv", "BatchNormalization", "Relu", "Conv", "Tanh", "Conv", "Add",
                        "MaxPool", "Pad", "AveragePool", "GlobalAveragePool", "Flatten", "Gemm",
                        "Identity", "Softmax"}),
             boost::test_tools::per_element());
  BOOST_TEST(exported.values(11) == (Names{"image"}), boost::test_tools::per_element());
  BOOST_TEST(exported.values(12) == (Names{"probabilities", "logits"}),
             boost::test_tools::per_element());
  BOOST_TEST(firstUnknown(exported) == "");
}

BOOST_AUTO_TEST_CASE(tensors_have_the_names_and_values_of_the_network) {
  const Exported exported(networkOf(kImageLayers, {3, 10, 10}));

  const auto values = exported.constant("residual1.conv1.bias");
  BOOST_TEST(values == (std::vector<float>{132, 133, 134, 135}), boost::test_tools::per_element());
  BOOST_TEST(exported.constant("norm1.running_mean") == (std::vector<float>{0, 1, 2, 3}),
             boost::test_tools::per_element());
  BOOST_TEST(exported.constant("norm1.running_var") == (std::vector<float>{4, 5, 6, 7}),
             boost::test_tools::per_element());
}

// Windows of 3 by 2 leave one of 10 rows, which `ceil` covers with one row behind the image.
// Windows of 4 by 2 leave the last of the 5 that remain and of a row of zeros on each side.
BOOST_AUTO_TEST_CASE(windows_of_ceil_are_explicit_paddings) {
  using Numbers = std::vector<std::uint64_t>;
  const Exported exported(networkOf(kImageLayers, {3, 10, 10}));
  BOOST_TEST(exported.numbers("pool1.out", "pads") == (Numbers{0, 0, 1, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(exported.numbers("averagePool1.out", "pads") == (Numbers{0, 0, 1, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(raw_values_are_normalized_inside) {
  const char* const layers =
      "[{type: flatten}, {type: dense, outputs: 2}, {type: softmaxCrossEntropy}]";
  const Exported plain(networkOf(layers, {2, 2, 2}));
  BOOST_TEST(plain.operators().front() == "Div");
  BOOST_TEST(plain.constant("input.divisor") == (std::vector<float>{255}),
             boost::test_tools::per_element());
  const Exported normalized(networkOf(layers, {2, 2, 2}),
                            {.mean = {0.25F, 0.5F}, .deviation = {2, 4}});
  BOOST_TEST(normalized.operators() ==
                 (Names{"Div", "Sub", "Div", "Flatten", "Gemm", "Identity", "Softmax"}),
             boost::test_tools::per_element());
  BOOST_TEST(normalized.constant("input.mean") == (std::vector<float>{0.25F, 0.5F}),
             boost::test_tools::per_element());
  BOOST_TEST(normalized.constant("input.deviation") == (std::vector<float>{2, 4}),
             boost::test_tools::per_element());
  BOOST_TEST(firstUnknown(normalized) == "");
}

BOOST_AUTO_TEST_CASE(a_text_network_takes_and_gives_its_state) {
  const Exported exported(networkOf(kTextLayers, {5}, 7));

  BOOST_TEST(exported.values(11) == (Names{"tokens", "lstm1.h", "lstm1.c"}),
             boost::test_tools::per_element());
  BOOST_TEST(
      exported.values(12) == (Names{"probabilities", "logits", "lstm1.next_h", "lstm1.next_c"}),
      boost::test_tools::per_element());
  BOOST_TEST(firstUnknown(exported) == "");
}

// The first tensor of the lstm begins behind the embedding's 21 values; each of its gates has 6.
BOOST_AUTO_TEST_CASE(the_gates_of_an_lstm_are_input_output_forget_candidate) {
  const Exported exported(networkOf(kTextLayers, {5}, 7));

  const auto weight = exported.constant("lstm1.weight_ih_l0");
  BOOST_TEST(weight.size() == 24U);
  for (const auto& [at, value] :
       {std::pair<std::size_t, float>{0, 21}, {6, 33}, {12, 27}, {18, 39}})
    BOOST_TEST(weight.at(at) == value);
  // The bias is that of the input; ONNX's second one is zero.
  const auto& tensors = exported.network.tensors;
  const auto first = static_cast<float>(tensors.at(3).offset);
  BOOST_TEST(tensors.at(3).name == "lstm1.bias_l0");
  const std::vector<float> expected{
      first, first + 1, first + 4, first + 5, first + 2, first + 3, first + 6, first + 7,
      0,     0,         0,         0,         0,         0,         0,         0};
  BOOST_TEST(exported.constant("lstm1.bias_l0") == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_are_metadata) {
  const char* const layers = "[{type: dense, outputs: 2}, {type: softmaxCrossEntropy}]";
  const Exported exported(networkOf(layers, {4}), {}, {"cat", "dog \"x\""});
  BOOST_TEST(exported.metadata().at("classes") == R"(["cat","dog \"x\""])");
  BOOST_TEST(exported.metadata().at("network") == "custom");
  BOOST_TEST(exported.values(11) == (Names{"features"}), boost::test_tools::per_element());
  const Exported text(networkOf(kTextLayers, {5}, 2), {}, {"a", "b"});
  BOOST_TEST(text.metadata().at("vocabulary") == R"(["a","b"])");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::onnx::export_test
