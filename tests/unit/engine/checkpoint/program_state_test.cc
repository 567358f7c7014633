#include "engine/checkpoint/program_state.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/checkpoint/folders.h"
#include "tests/support/temporary_folder.h"

namespace sumac::checkpoint::program_state_test {
namespace {

constexpr std::size_t kValue = 4;

/// A state of tensors of several types and sizes, none of them among them.
struct Program {
  std::array<float, 3> weights{1, -2, 3};
  std::array<std::uint8_t, 5> mask{1, 0, 1, 1, 7};
  std::array<std::int64_t, 1> count{9};

  ProgramState state(Step step = 4) const {
    ProgramState made;
    made.step = step;
    made.tensors = {{{"layer.weight", "F32", {3}, std::as_bytes(std::span(weights))}, true},
                    {{"mask", "U8", {5, 1}, std::as_bytes(std::span(mask))}, false},
                    {{"empty", "BF16", {0, 7}, {}}, false},
                    {{"count", "I64", {}, std::as_bytes(std::span(count))}, false}};
    made.text = R"({"epoch": 2})";
    return made;
  }
};

Bytes bytesOf(const ProgramState& state) {
  Bytes bytes = headOf(state);
  for (const auto& tensor : state.tensors)
    bytes.insert(bytes.end(), tensor.view.data.begin(), tensor.view.data.end());
  return bytes;
}

const ProgramTensor& tensorOf(const ProgramState& state, const std::string& name) {
  for (const auto& tensor : state.tensors)
    if (tensor.view.name == name) return tensor;
  throw std::logic_error("no tensor " + name);
}

void checkSame(const ProgramState& found, const ProgramState& wanted) {
  BOOST_TEST(found.step == wanted.step);
  BOOST_TEST(found.text == wanted.text);
  BOOST_TEST_REQUIRE(found.tensors.size() == wanted.tensors.size());
  for (const auto& one : wanted.tensors) {
    const ProgramTensor& other = tensorOf(found, one.view.name);
    BOOST_TEST(other.view.dtype == one.view.dtype);
    BOOST_TEST(other.is_model == one.is_model);
    BOOST_TEST((other.view.shape == one.view.shape));
    BOOST_TEST_REQUIRE(other.view.data.size() == one.view.data.size());
    BOOST_TEST(std::ranges::equal(other.view.data, one.view.data));
  }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(program_state, Program)

BOOST_AUTO_TEST_CASE(comes_back_from_its_bytes_filled_up_to_a_whole_value) {
  Bytes bytes = bytesOf(state());
  for (std::size_t padding = 0; padding < kValue; ++padding) {
    const auto found = programStateFrom(bytes, kValue - 1);
    BOOST_REQUIRE(found);
    checkSame(*found, state());
    bytes.push_back({});
  }
  BOOST_TEST(!programStateFrom(bytes, kValue - 1).has_value());
}

BOOST_AUTO_TEST_CASE(of_bytes_that_are_cut_anywhere_is_refused) {
  const Bytes bytes = bytesOf(state());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    BOOST_TEST(!programStateFrom(BytesView(bytes).first(size)).has_value(), size << " bytes");
}

BOOST_AUTO_TEST_CASE(without_what_it_says_of_itself_is_refused) {
  BOOST_TEST(!programStateFrom(encodeTensorFile(state().views(true), {})).has_value());
  for (const auto& [step, others] :
       {std::pair("-1", "[]"), std::pair("x", "[]"), std::pair("1", "{}"), std::pair("1", "[1]")}) {
    const auto bytes =
        encodeTensorFile({}, {{"step", step}, {"program", "{}"}, {"others", others}});
    BOOST_TEST(!programStateFrom(bytes).has_value(), step << ' ' << others);
  }
}

BOOST_AUTO_TEST_CASE(is_kept_in_a_checkpoint_and_read_again) {
  const TemporaryFolder folder;
  ProgramOrigin of;
  of.origin.plan_hash = "abc";
  of.origin.numerics = "baseline/1";
  of.origin.plan_lines = "seed=1\n";
  for (const Step step : {4, 8}) {
    auto draft = Draft::make(folder.path(), contentOf(state(step), of), {.writer = 7});
    BOOST_REQUIRE(draft);
    BOOST_REQUIRE(draft->complete());
  }
  std::vector<std::string> warnings;
  const auto newest = checkpoint::newest(folder.path(), warnings, "abc");
  BOOST_REQUIRE(newest);
  BOOST_TEST((*newest == std::optional<Step>(8)));
  const auto found = restoreProgram(folder.path(), 8, nullptr, "abc");
  BOOST_REQUIRE(found);
  checkSame(*found, state(8));
  const auto origin = originOf(folder.path(), 8, "abc");
  BOOST_REQUIRE(origin);
  BOOST_TEST(origin->plan_lines == "seed=1\n");
}

BOOST_AUTO_TEST_CASE(is_no_network_s_checkpoint) {
  const TemporaryFolder folder;
  auto draft = Draft::make(folder.path(), contentOf(state(), {}), {.writer = 7});
  BOOST_REQUIRE(draft);
  BOOST_REQUIRE(draft->complete());
  const auto found = restore(folder.path(), model::Network(), 4);
  BOOST_REQUIRE(!found);
  BOOST_TEST((found.error().code == ErrorCode::kInvalid));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tensor_file)

BOOST_AUTO_TEST_CASE(knows_how_many_bytes_a_tensor_has) {
  const std::vector<std::int64_t> none;
  const std::vector<std::int64_t> shape{2, 3};
  const std::vector<std::int64_t> negative{2, -1};
  const std::vector<std::int64_t> large{std::int64_t{1} << 40U, std::int64_t{1} << 40U};
  const std::vector<std::int64_t> deep(17, 1);
  BOOST_TEST((tensorBytes("F32", none) == 4U));
  BOOST_TEST((tensorBytes("I64", shape) == 48U));
  BOOST_TEST((tensorBytes("BOOL", shape) == 6U));
  BOOST_TEST(!tensorBytes("F8", shape).has_value());
  BOOST_TEST(!tensorBytes("F32", negative).has_value());
  BOOST_TEST(!tensorBytes("F32", large).has_value());
  BOOST_TEST(!tensorBytes("F32", deep).has_value());
}

BOOST_AUTO_TEST_CASE(with_tensors_that_overlap_or_leave_a_gap_is_refused) {
  const auto fileOf = [](const std::string& second) {
    const std::string head =
        R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":)" + second + "}";
    Bytes file(8);
    storeLittleEndian<std::uint64_t>(file.data(), head.size());
    const BytesView text = asBytes(head);
    file.insert(file.end(), text.begin(), text.end());
    file.resize(file.size() + 4);
    return file;
  };
  const auto second = [](const std::string& offsets) {
    return R"({"dtype":"U8","shape":[2],"data_offsets":)" + offsets + "}";
  };
  BOOST_TEST(decodeTensorFile(fileOf(second("[2,4]"))).has_value());
  for (const char* const offsets : {"[1,3]", "[0,2]", "[3,5]", "[4,2]", "[2]", "[2,3]"})
    BOOST_TEST(!decodeTensorFile(fileOf(second(offsets))).has_value(), offsets);
  for (const char* const entry : {"1", "{}", R"({"dtype":1,"shape":[2],"data_offsets":[2,4]})",
                                  R"({"dtype":"U8","shape":[-2],"data_offsets":[2,4]})"})
    BOOST_TEST(!decodeTensorFile(fileOf(entry)).has_value(), entry);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::program_state_test
