#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"
#include "tests/unit/engine/checkpoint/two_tensors.h"

namespace sumac::checkpoint::safetensors_test {
namespace {

/// A file with this header and so many bytes of data.
Bytes fileOf(const std::string& header, std::size_t data_bytes) {
  Bytes file(8 + header.size() + data_bytes);
  storeLittleEndian<std::uint64_t>(file.data(), header.size());
  std::ranges::copy(asBytes(header), file.begin() + 8);
  return file;
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
         "}";
}

const std::string kWeight = entry("fc.weight", "[2,3]", "[0,24]");
const std::string kBias = entry("fc.bias", "[2]", "[24,32]");

struct Refused {
  const char* name;
  std::string header;
  std::size_t data_bytes = 32;
};

std::string twoEntries(const std::string& one, const std::string& other) {
  return "{" + one + "," + other + "}";
}

const Refused kRefused[] = {
    {"not json", "{\"fc"},
    {"a list", "[]"},
    {"leading space", " " + twoEntries(kWeight, kBias)},
    {"empty", ""},
    {"missing", "{" + kWeight + "}"},
    {"unknown", twoEntries(kWeight, kBias + "," + entry("x\\u001b", "[0]", "[32,32]"))},
    {"twice", twoEntries(kWeight, kBias + "," + kBias)},
    {"gap", twoEntries(kWeight, entry("fc.bias", "[2]", "[28,36]")), 36},
    {"overlap", twoEntries(kWeight, entry("fc.bias", "[2]", "[20,28]")), 28},
    {"bytes at the end", twoEntries(kWeight, kBias), 33},
    {"too little data", twoEntries(kWeight, kBias), 31},
    {"swapped offsets", twoEntries(kWeight, entry("fc.bias", "[2]", "[32,24]"))},
    {"shape and bytes differ", twoEntries(kWeight, entry("fc.bias", "[3]", "[24,32]"))},
    {"another shape", twoEntries(entry("fc.weight", "[3,2]", "[0,24]"), kBias)},
    {"another rank", twoEntries(entry("fc.weight", "[6]", "[0,24]"), kBias)},
    {"shape overflows", twoEntries(entry("fc.weight", "[4294967296,4294967296]", "[0,24]"), kBias)},
    {"negative extent", twoEntries(entry("fc.weight", "[-2,-3]", "[0,24]"), kBias)},
    {"fraction", twoEntries(entry("fc.weight", "[2.0,3]", "[0,24]"), kBias)},
    {"huge offset", twoEntries(kWeight, entry("fc.bias", "[2]", "[24,99999999999999999999]"))},
    {"three offsets", twoEntries(kWeight, entry("fc.bias", "[2]", "[24,32,32]"))},
    {"entry not a map", twoEntries(kWeight, "\"fc.bias\":7")},
    {"other type",
     twoEntries(kWeight, R"("fc.bias":{"dtype":"F16","shape":[2],"data_offsets":[24,32]})")},
    {"metadata not text", twoEntries(R"("__metadata__":{"a":1})", kWeight + "," + kBias)},
    {"metadata not a map", twoEntries(R"("__metadata__":[])", kWeight + "," + kBias)},
    {"deep", "{\"a\":[[[[1]]]]}"},
    {"very deep", "{\"a\":" + std::string(100'000, '[')},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(safetensors)

BOOST_AUTO_TEST_CASE(gives_back_every_bit) {
  const auto network = twoTensors();
  auto values = countingFrom(-3);
  values[0] = -0.0F;
  values[1] = std::numeric_limits<float>::denorm_min();
  values[2] = std::bit_cast<float>(0x7FC12345U);  // a NaN with a payload

  const auto decoded =
      decodeSafetensors(network, encodeSafetensors(network, values, {{"step", "12"}}));

  BOOST_REQUIRE(decoded);
  BOOST_REQUIRE(decoded->values.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    BOOST_TEST(std::bit_cast<std::uint32_t>(decoded->values[i]) ==
               std::bit_cast<std::uint32_t>(values[i]));
  }
  BOOST_TEST(decoded->metadata.at("step") == "12");
}

BOOST_AUTO_TEST_CASE(writes_the_published_layout) {
  const auto file = encodeSafetensors(twoTensors(), countingFrom(1), {});

  const std::string header = "{" + kWeight + "," + kBias + "}";
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  BOOST_TEST(loadLittleEndian<std::uint64_t>(file.data()) == padded);
  BOOST_TEST(file.size() == 8 + padded + 32);
  const std::string text(asText(BytesView(file).subspan(8, padded)));
  BOOST_TEST(text == header + std::string(padded - header.size(), ' '));
  BOOST_TEST(loadLittleEndian<std::uint32_t>(file.data() + 8 + padded) == 0x3F800000U);
}

BOOST_AUTO_TEST_CASE(takes_tensors_in_another_order) {
  auto file = fileOf(
      "{" + entry("fc.bias", "[2]", "[0,8]") + "," + entry("fc.weight", "[2,3]", "[8,32]") + "}",
      32);
  storeLittleEndian(file.data() + file.size() - 32, std::bit_cast<std::uint32_t>(5.0F));

  const auto decoded = decodeSafetensors(twoTensors(), file);

  BOOST_REQUIRE(decoded);
  BOOST_TEST(decoded->values[6] == 5.0F);  // the bias lies behind the weights in plan order
}

BOOST_AUTO_TEST_CASE(refuses_a_file_cut_at_any_length) {
  const auto network = twoTensors();
  const auto file = encodeSafetensors(network, countingFrom(1), {{"a", "b"}});

  for (std::size_t length = 0; length < file.size(); ++length) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    BOOST_TEST(!decodeSafetensors(network, cut).has_value(), "length " << length);
  }
  BOOST_TEST(decodeSafetensors(network, file).has_value());
}

BOOST_AUTO_TEST_CASE(refuses_a_header_longer_than_the_file_or_the_limit) {
  for (const std::uint64_t length :
       {std::uint64_t{1}, std::uint64_t{100'000'001}, std::numeric_limits<std::uint64_t>::max()}) {
    Bytes file(8);
    storeLittleEndian(file.data(), length);
    BOOST_TEST(!decodeSafetensors(twoTensors(), file).has_value());
  }
}

BOOST_AUTO_TEST_CASE(refuses_and_says_why) {
  test::Refusals refusals;
  for (const auto& [name, header, data_bytes] : kRefused)
    refusals.add(name, decodeSafetensors(twoTensors(), fileOf(header, data_bytes)));
  refusals.compareWith("engine/checkpoint/safetensors.txt");
}

BOOST_AUTO_TEST_CASE(holds_a_network_without_tensors) {
  const model::Network none;

  const auto decoded = decodeSafetensors(none, encodeSafetensors(none, {}, {}));

  BOOST_REQUIRE(decoded);
  BOOST_TEST(decoded->values.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::safetensors_test
