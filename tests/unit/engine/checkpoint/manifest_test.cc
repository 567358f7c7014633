#include "engine/checkpoint/manifest.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::checkpoint::manifest_test {
namespace {

Manifest aManifest() {
  Manifest manifest;
  manifest.step = 1200;
  manifest.term = 3;
  manifest.plan_hash = "abc";
  manifest.numerics = "avx2";
  manifest.optimizer = {"momentum"};
  manifest.model = {"model.safetensors", 100, 7};
  manifest.optimizer_file = {"optimizer.safetensors", 50, 8};
  return manifest;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(manifest)

BOOST_AUTO_TEST_CASE(reads_back_what_was_written) {
  const auto read = Manifest::parse(aManifest().text());

  BOOST_REQUIRE(read);
  BOOST_TEST(read->step == 1200);
  BOOST_TEST(read->term == 3U);
  BOOST_TEST(read->plan_hash == "abc");
  BOOST_TEST(read->numerics == "avx2");
  BOOST_TEST(read->optimizer == std::vector<std::string>{"momentum"},
             boost::test_tools::per_element());
  BOOST_TEST(read->model.length == 100U);
  BOOST_TEST(read->optimizer_file.crc == 8U);
}

BOOST_AUTO_TEST_CASE(names_the_file_of_part_state_and_its_size_only_where_there_is_any) {
  auto manifest = aManifest();
  BOOST_TEST(manifest.files().size() == 2U);
  BOOST_TEST(manifest.text().find("partState") == std::string::npos);
  manifest.recurrent = 16'000;
  manifest.state_file = {"state.safetensors", 64'200, 9};

  const auto read = Manifest::parse(manifest.text());

  BOOST_REQUIRE(read);
  BOOST_TEST(read->recurrent == 16'000);
  BOOST_TEST(read->statistics == 0);
  BOOST_TEST(read->files().back().crc == 9U);
  manifest.recurrent = -1;
  manifest.statistics = 5;
  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());
}

BOOST_AUTO_TEST_CASE(says_what_algorithm_was_chosen_in_a_format_of_its_own) {
  auto manifest = aManifest();
  manifest.format = kAlgorithmFormat;
  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());
  manifest.algorithm = "direct";
  manifest.workers = 3;
  const auto read = Manifest::parse(manifest.text());
  BOOST_REQUIRE(read);
  BOOST_TEST(read->algorithm == "direct");
  BOOST_TEST(read->workers == 3);
  manifest.format = kFormat;
  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());
}

BOOST_AUTO_TEST_CASE(of_a_program_has_a_format_and_a_file_of_its_own) {
  auto manifest = aManifest();
  manifest.format = kProgramFormat;
  manifest.optimizer = {};
  manifest.recurrent = manifest.statistics = 0;
  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());
  manifest.program_file = FileEntry::of(kProgramFile, asBytes("{}"));
  const auto read = Manifest::parse(manifest.text());
  BOOST_REQUIRE(read);
  BOOST_TEST(read->isOfProgram());
  BOOST_TEST(read->files().size() == 3U);
  BOOST_TEST(read->program_file.matches(asBytes("{}")));
  manifest.optimizer = {"momentum"};
  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());
}

BOOST_AUTO_TEST_CASE(reads_the_formats_of_earlier_versions_but_of_no_later_one) {
  auto manifest = aManifest();
  BOOST_TEST(!Manifest::parse(manifest.text())->isInPlanOrder());
  for (const int format : {1, 2}) {
    manifest.format = format;
    const auto read = Manifest::parse(manifest.text());
    BOOST_REQUIRE(read);
    BOOST_TEST(read->isInPlanOrder());
  }
  for (const int format : {-1, 0, 6}) {
    manifest.format = format;
    const auto refused = Manifest::parse(manifest.text());
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == ErrorCode::kUnsupported));
  }
}

BOOST_AUTO_TEST_CASE(refuses_one_flipped_bit_anywhere) {
  const std::string text = aManifest().text();

  for (std::size_t i = 0; i < text.size() * 8; ++i) {
    std::string flipped = text;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    BOOST_TEST(!Manifest::parse(flipped).has_value(), "bit " << i);
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_text_cut_at_any_length) {
  const std::string text = aManifest().text();

  for (std::size_t length = 0; length < text.size(); ++length) {
    BOOST_TEST(!Manifest::parse(text.substr(0, length)).has_value(), "length " << length);
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_format_of_lists_however_deep) {
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  const auto refused = Manifest::parse(R"({"checkpoint":{"format":)" + deep + R"(},"crc32c":0})");
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == ErrorCode::kInvalid));
}

BOOST_AUTO_TEST_CASE(refuses_a_step_below_zero) {
  auto manifest = aManifest();
  manifest.step = -1;
  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());
}

// What a conversion to an integer makes of them is undefined.
BOOST_AUTO_TEST_CASE(refuses_numbers_that_are_too_large_or_not_whole) {
  auto manifest = aManifest();
  manifest.model.length = 123'456'789;
  for (const char* other : {"9223372036854775807876", "1e300", "123456789.5", "-1", "true"}) {
    std::string text = manifest.text();
    text.replace(text.find("123456789"), 9, other);
    BOOST_TEST(!Manifest::parse(text).has_value(), other);
  }
}

BOOST_AUTO_TEST_CASE(refuses_files_of_other_names) {
  auto manifest = aManifest();
  manifest.model.name = "../../etc/passwd";

  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());

  manifest = aManifest();
  manifest.statistics = 4;
  manifest.state_file.name = "../state.safetensors";
  BOOST_TEST(!Manifest::parse(manifest.text()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::manifest_test
