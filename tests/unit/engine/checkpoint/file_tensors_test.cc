#include "engine/checkpoint/file_tensors.h"

#include <cmath>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/check.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/content.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace sumac::checkpoint::file_tensors_test {
namespace {

constexpr int kUnits = 2;

/// An embedding of 5 words, two LSTM layers of 2 units, a dense layer.
model::Network textNetwork() {
  model::NetworkSpec spec{"text", {3}, {}, /*vocabulary=*/5};
  for (const model::LayerKind& kind :
       {model::LayerKind(model::Embedding{3}), model::LayerKind(model::Lstm{kUnits, 2}),
        model::LayerKind(model::Dense{}), model::LayerKind(model::SoftmaxCrossEntropy{})})
    spec.layers.push_back({{}, kind, {}});
  model::nameLayers(spec.layers);
  return model::resolve(spec).value();
}

/// No two values are the same, none is zero.
std::vector<float> valuesOf(const model::Network& network, float first = 1) {
  std::vector<float> values(static_cast<std::size_t>(network.parameters));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = first + static_cast<float>(i);
  return values;
}

std::span<float> tensorIn(const model::Network& network, std::vector<float>& values,
                          const std::string& name) {
  for (const model::Tensor& tensor : network.tensors) {
    if (tensor.name != name) continue;
    return std::span(values).subspan(static_cast<std::size_t>(tensor.offset),
                                     static_cast<std::size_t>(tensor.count()));
  }
  BOOST_FAIL("no tensor " << name);
  return {};
}

std::vector<float> copyOf(std::span<const float> values) {
  return {values.begin(), values.end()};
}

/// A quarter of a tensor: the values of one gate.
std::vector<float> gate(std::span<const float> tensor, std::size_t index) {
  const std::size_t size = tensor.size() / 4;
  return copyOf(tensor.subspan(index * size, size));
}

State stateOf(const model::Network& network) {
  State state;
  state.step = 7;
  state.weights = valuesOf(network);
  state.optimizer["m"] = valuesOf(network, 1000);
  state.optimizer["v"] = valuesOf(network, 2000);
  state.recurrent = {1, 2, 3};
  return state;
}

/// Writes `state` as versions did whose files had an LSTM's tensors in plan order.
void writeFormat2(const std::filesystem::path& folder, const model::Network& network,
                  const State& state) {
  model::Network plain = network;
  plain.layers.clear();  // then there is no LSTM to convert
  Content content = contentOf(plain, state);
  content.manifest.format = 2;
  const auto path = folder / "step-7-1";
  std::filesystem::create_directories(path);
  BOOST_REQUIRE(replaceFile(path / kModelFile, content.model));
  BOOST_REQUIRE(replaceFile(path / kOptimizerFile, content.optimizer));
  BOOST_REQUIRE(replaceFile(path / kStateFile, content.state));
  BOOST_REQUIRE(replaceFile(path / kManifestFile, asBytes(content.manifest.text())));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(file_tensors)

BOOST_AUTO_TEST_CASE(have_the_names_and_shapes_of_pytorch) {
  const model::Network file = fileTensors(textNetwork());

  std::vector<std::string> found;
  for (const model::Tensor& tensor : file.tensors)
    found.push_back(tensor.name + " " + model::toString(tensor.shape));
  const std::vector<std::string> expected{
      "embedding1.weight 5x3",  "lstm1.weight_ih_l0 8x3", "lstm1.weight_hh_l0 8x2",
      "lstm1.bias_ih_l0 8",     "lstm1.bias_hh_l0 8",     "lstm1.weight_ih_l1 8x2",
      "lstm1.weight_hh_l1 8x2", "lstm1.bias_ih_l1 8",     "lstm1.bias_hh_l1 8",
      "dense1.weight 5x2",      "dense1.bias 5"};
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(lie_without_gaps_and_have_one_more_bias_a_layer_than_the_network) {
  const model::Network network = textNetwork();
  const model::Network file = fileTensors(network);

  std::int64_t end = 0;
  for (const model::Tensor& tensor : file.tensors) {
    BOOST_TEST(tensor.offset == end, tensor.name);
    end += tensor.count();
  }
  BOOST_TEST(file.parameters == end);
  BOOST_TEST(file.parameters == network.parameters + 2 * 4 * kUnits);
}

BOOST_AUTO_TEST_CASE(swap_output_and_candidate_and_leave_the_second_bias_zero) {
  const model::Network network = textNetwork();
  const model::Network file = fileTensors(network);
  auto plan = valuesOf(network);
  auto written = toFile(network, plan);

  for (const auto& [ours, theirs] : {std::pair("lstm1.weight_ih_l0", "lstm1.weight_ih_l0"),
                                     std::pair("lstm1.weight_hh_l1", "lstm1.weight_hh_l1"),
                                     std::pair("lstm1.bias_l1", "lstm1.bias_ih_l1")}) {
    BOOST_TEST_CONTEXT(ours) {
      const auto before = tensorIn(network, plan, ours);
      const auto after = tensorIn(file, written, theirs);
      BOOST_TEST((gate(after, 0) == gate(before, 0)));  // input
      BOOST_TEST((gate(after, 1) == gate(before, 1)));  // forget
      BOOST_TEST((gate(after, 2) == gate(before, 3)));  // candidate
      BOOST_TEST((gate(after, 3) == gate(before, 2)));  // output
    }
  }
  BOOST_TEST((copyOf(tensorIn(file, written, "lstm1.bias_hh_l0")) == std::vector<float>(8)));
  BOOST_TEST((copyOf(tensorIn(file, written, "dense1.bias")) ==
              copyOf(tensorIn(network, plan, "dense1.bias"))));
}

BOOST_AUTO_TEST_CASE(come_back_with_the_same_bits) {
  const model::Network network = textNetwork();
  auto values = valuesOf(network);
  auto bias = tensorIn(network, values, "lstm1.bias_l0");
  bias[0] = -0.0F;
  bias[5] = -0.0F;
  bias[7] = std::nanf("3");

  const auto back = fromFile(network, toFile(network, values));

  BOOST_TEST(sha256Hex(std::as_bytes(std::span(back))) ==
             sha256Hex(std::as_bytes(std::span(values))));
}

BOOST_AUTO_TEST_CASE(add_the_two_biases_that_another_program_trained) {
  const model::Network network = textNetwork();
  const model::Network file = fileTensors(network);
  auto theirs = std::vector<float>(static_cast<std::size_t>(file.parameters));
  for (int i = 0; i < 8; ++i) {
    tensorIn(file, theirs, "lstm1.bias_ih_l1")[static_cast<std::size_t>(i)] = static_cast<float>(i);
    tensorIn(file, theirs, "lstm1.bias_hh_l1")[static_cast<std::size_t>(i)] =
        10.0F * static_cast<float>(i);
  }

  auto ours = fromFile(network, theirs);

  const std::vector<float> expected{0, 11, 22, 33, 66, 77, 44, 55};
  BOOST_TEST(copyOf(tensorIn(network, ours, "lstm1.bias_l1")) == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_another_number_are_a_broken_invariant) {
  const model::Network network = textNetwork();
  const auto file = static_cast<std::size_t>(fileTensors(network).parameters);

  for (const std::size_t size : {file - 1, file + 1, std::size_t{0}})
    BOOST_CHECK_THROW(fromFile(network, std::vector<float>(size)), InvariantViolation);
  BOOST_CHECK_THROW(toFile(network, std::vector<float>(file)), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(are_all_required_of_a_file) {
  const model::Network network = textNetwork();
  const model::Network file = fileTensors(network);
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    model::Network less = file;
    less.tensors.erase(less.tensors.begin() + static_cast<std::ptrdiff_t>(i));
    less.parameters = 0;
    for (model::Tensor& tensor : less.tensors) {
      tensor.offset = less.parameters;
      less.parameters += tensor.count();
    }
    const auto decoded = decodeSafetensors(file, encodeSafetensors(less, valuesOf(less), {}));
    BOOST_TEST_REQUIRE(!decoded.has_value());
    BOOST_TEST(decoded.error().message.find(file.tensors[i].name) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(stand_in_checkpoints_and_come_back_from_there) {
  const model::Network network = textNetwork();
  const TemporaryFolder folder;
  const State state = stateOf(network);
  const auto written = write(folder.path(), network, state, {.keep = 1});
  BOOST_REQUIRE(written.has_value());

  const auto model = readFile(*written / kModelFile, 1 << 20);
  const auto decoded = decodeSafetensors(fileTensors(network), *model);
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST(decoded->values == toFile(network, state.weights), boost::test_tools::per_element());

  const auto restored = restore(folder.path(), network, 7);
  BOOST_REQUIRE(restored.has_value());
  BOOST_TEST(restored->weights == state.weights, boost::test_tools::per_element());
  BOOST_TEST((restored->optimizer == state.optimizer));
}

BOOST_AUTO_TEST_CASE(of_older_checkpoints_are_read_in_the_order_they_have) {
  const model::Network network = textNetwork();
  const TemporaryFolder folder;
  const State state = stateOf(network);
  writeFormat2(folder.path(), network, state);

  const auto restored = restore(folder.path(), network, 7);

  const std::string why = restored ? "" : restored.error().message;
  BOOST_REQUIRE_MESSAGE(restored.has_value(), why);
  BOOST_TEST(restored->weights == state.weights, boost::test_tools::per_element());
  BOOST_TEST((restored->optimizer == state.optimizer));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::file_tensors_test
