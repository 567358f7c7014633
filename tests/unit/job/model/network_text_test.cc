#include "job/model/network_text.h"

#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::model::network_text_test {
namespace {

std::string canonical(const NetworkSpec& spec) {
  const auto network = resolve(spec, {.vocabulary = spec.isText() ? 50 : 0, .unroll = 0});
  return network ? network->name + "\n" + canonicalText(*network) : network.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_text)

BOOST_DATA_TEST_CASE(every_network_of_the_zoo_reads_back, zooNames(), name) {
  const auto spec = fromZoo(name);
  const std::string text = networkText(*spec);

  const auto read = networkFromText(text);
  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  BOOST_TEST(canonical(*read) == canonical(*spec));
  BOOST_TEST(networkText(*read) == text);
}

BOOST_AUTO_TEST_CASE(keeps_names_decimals_and_shortcuts) {
  NetworkSpec spec{.name = "custom", .input = {2, 4, 4}, .layers = {}, .vocabulary = 0};
  const Residual residual{
      .layers = {{"inner", Conv2d{.outputs = 3, .kernel = 1, .bias = false}, {}},
                 {"norm", BatchNorm{.epsilon = 1e-3, .momentum = 0.25}, {}}},
      .shortcut = {{"side", Conv2d{.outputs = 3, .kernel = 1}, {}}}};
  spec.layers = {{"block", residual, {}},
                 {"half", AveragePool{.kernel = 2, .stride = 1, .padding = 1, .ceil = true}, {}},
                 {"drop", Dropout{.rate = 0.1}, {}},
                 {"flat", Flatten{}, {}},
                 {"fc", Dense{.outputs = 7, .bias = false}, {}},
                 {"loss", SoftmaxCrossEntropy{}, {}}};

  const auto read = networkFromText(networkText(spec));
  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  BOOST_TEST(canonical(*read) == canonical(spec));
}

BOOST_AUTO_TEST_CASE(keeps_the_vocabulary) {
  NetworkSpec spec = *fromZoo("ptb-lstm-small");
  spec.vocabulary = 123;
  BOOST_TEST(networkFromText(networkText(spec))->vocabulary == 123);
}

const std::string kRefused[] = {
    "",
    "[",
    "7",
    "{}",
    R"({"name":"a","input":[1]})",
    R"({"name":"a b","input":[1],"layers":[{"type":"softmaxCrossEntropy"}]})",
    R"({"name":"a","input":[0],"layers":[{"type":"softmaxCrossEntropy"}]})",
    R"({"name":"a","input":[-3],"layers":[{"type":"softmaxCrossEntropy"}]})",
    R"({"name":"a","input":[1,2,3,4],"layers":[{"type":"softmaxCrossEntropy"}]})",
    R"({"name":"a","input":["1"],"layers":[{"type":"softmaxCrossEntropy"}]})",
    R"({"name":"a","input":[99999999999999999999],"layers":[{"type":"softmaxCrossEntropy"}]})",
    R"({"name":"a","input":[1],"layers":[{"type":"attention"}]})",
    R"({"name":"a","input":[1],"vocabulary":0,"layers":[{"type":"softmaxCrossEntropy"}]})",
};

BOOST_DATA_TEST_CASE(refuses_what_is_no_network, kRefused, text) {
  const auto read = networkFromText(text);
  BOOST_REQUIRE(!read);
  BOOST_TEST((read.error().code == ErrorCode::kInvalid));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::network_text_test
