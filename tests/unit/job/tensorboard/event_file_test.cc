#include "job/tensorboard/event_file.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"
#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::tensorboard::event_file_test {
namespace {

class HeldWallClock final : public WallClock {
 public:
  WallTime now() const override { return at; }
  WallTime at{std::chrono::seconds(1'700'000'000)};
};

struct Fixture {
  EventFile fileFrom(Step last) const { return {folder.path(), last, clock}; }

  static void append(EventFile& file, Step step, double loss) {
    const Scalar scalar{"loss/train", loss};
    const auto written = file.append(step, std::span(&scalar, 1));
    BOOST_TEST_REQUIRE(written.has_value());
  }

  /// "1:0.5 2:0.25" of a tag, in the order of the files' names.
  std::string curve(const std::string& tag = "loss/train") const {
    std::string text;
    for (const auto& name : names()) {
      const auto bytes = readFile(folder.path() / name, 1 << 20);
      for (const auto& event : eventsOf(*bytes)) {
        if (event.is_start) text += "from" + std::to_string(event.step) + " ";
        for (const auto& [found, value] : event.scalars) {
          if (found == tag)
            text += std::to_string(event.step) + ":" + std::to_string(value).substr(0, 4) + " ";
        }
      }
    }
    return text;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  TemporaryFolder folder;
  HeldWallClock clock;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tensorboard_event_file, Fixture)

// As TensorBoard's own reader expects them: written by hand from the format.
BOOST_AUTO_TEST_CASE(has_the_bytes_of_the_format) {
  auto file = fileFrom(0);
  append(file, 3, 0.5);
  BOOST_TEST_REQUIRE(names().size() == 1U);
  BOOST_TEST(names()[0] == "events.out.tfevents.1700000000.sumac");
  const auto bytes = readFile(folder.path() / names()[0], 1 << 20);
  BOOST_TEST_REQUIRE(bytes.has_value());
  const auto text = [](const std::string& hex) {
    std::string out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
      out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return out;
  };
  // wall_time 1.7e9, step 0, file_version.
  const std::string version = text("0900000040fc54d9411000") + "\x1a\x0d" + "brain.Event:2";
  // wall_time, step 3, summary { value { tag, simple_value 0.5 } }.
  const std::string scalar = text("0900000040fc54d9411003") + "\x2a\x13\x0a\x11\x0a\x0a" +
                             "loss/train" + std::string("\x15\x00\x00\x00\x3f", 5);
  const std::string all(asText(*bytes));
  constexpr std::size_t kHead = 12;
  BOOST_TEST(all.substr(kHead, version.size()) == version);
  BOOST_TEST(all.substr(kHead + version.size() + 4 + kHead, scalar.size()) == scalar);
  BOOST_TEST(all.size() == 2 * (kHead + 4) + version.size() + scalar.size());
  // The length 26, and its checksum masked: turned right by 15, plus a constant.
  const std::string length = text("1a00000000000000");
  const std::uint32_t crc = crc32c(asBytes(length));
  const std::uint32_t masked = ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
  BOOST_TEST(all.substr(0, 8) == length);
  BOOST_TEST(loadLittleEndian<std::uint32_t>(bytes->data() + 8) == masked);
}

BOOST_AUTO_TEST_CASE(makes_no_file_before_the_first_value) {
  auto file = fileFrom(0);
  BOOST_TEST(names().empty());
  append(file, 1, 0.5);
  append(file, 2, 0.25);
  BOOST_TEST(curve() == "1:0.50 2:0.25 ");
}

BOOST_AUTO_TEST_CASE(training_that_goes_on_takes_later_steps_away_and_repeats_none) {
  auto first = fileFrom(0);
  for (const Step step : {10, 20, 30, 40})
    append(first, step, 0.5);

  auto second = fileFrom(20);
  append(second, 20, 0.75);  // measured again
  append(second, 30, 0.25);

  BOOST_TEST(curve() == "10:0.50 20:0.50 from21 30:0.25 ");
  BOOST_TEST(names().back() == "events.out.tfevents.1700000001.sumac");  // within the same second
}

BOOST_AUTO_TEST_CASE(training_that_begins_again_takes_all_away) {
  auto first = fileFrom(0);
  append(first, 10, 0.5);
  auto second = fileFrom(0);
  append(second, 10, 0.25);
  BOOST_TEST(curve() == "from1 10:0.25 ");
}

BOOST_AUTO_TEST_CASE(a_record_that_was_cut_short_or_damaged_goes_with_all_after_it) {
  auto first = fileFrom(0);
  append(first, 10, 0.5);
  append(first, 20, 0.5);
  const auto path = folder.path() / names()[0];
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  auto second = fileFrom(20);
  append(second, 30, 0.25);
  BOOST_TEST(curve() == "10:0.50 from21 30:0.25 ");

  auto bytes = readFile(path, 1 << 20).value();
  bytes.at(20) ^= std::byte{1};
  BOOST_TEST(replaceFile(path, bytes).has_value());
  auto third = fileFrom(30);
  append(third, 40, 0.125);
  BOOST_TEST(curve() == "from21 30:0.25 from31 40:0.12 ");
}

BOOST_AUTO_TEST_CASE(files_of_others_stay) {
  const auto other = folder.path() / "events.out.tfevents.1700000005.host.42.0";
  BOOST_TEST(createFile(other, asBytes("theirs")).has_value());
  BOOST_TEST(!EventFile::isOne(other));
  BOOST_TEST(!EventFile::isOne("events.out.tfevents..sumac"));
  BOOST_TEST(EventFile::isOne("run/events.out.tfevents.1700000000.sumac"));
  auto file = fileFrom(0);
  append(file, 1, 0.5);
  BOOST_TEST(readTextFile(other, 100).value() == "theirs");
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there_is_tried_again) {
  EventFile file(folder.path() / "later", 0, clock);
  const Scalar scalar{"loss/train", 0.5};
  BOOST_TEST(!file.append(1, std::span(&scalar, 1)));
  std::filesystem::create_directory(folder.path() / "later");
  BOOST_TEST(file.append(2, std::span(&scalar, 1)).has_value());
}

BOOST_AUTO_TEST_CASE(of_progress_and_scores_has_what_is_known_and_finite) {
  Progress progress;
  progress.loss = 0.5;
  progress.perplexity = std::numeric_limits<double>::infinity();
  progress.samples_per_second = 100;
  std::string tags;
  const auto list = [&](const Scalars& scalars) {
    for (const auto& scalar : scalars.all())
      tags += std::string(scalar.tag) + " ";
  };
  list(Scalars::of(progress));
  BOOST_TEST(tags == "loss/train samples_per_second ");

  tags.clear();
  const Evaluated all{1, 1, 0.5, 0.5, 2, 3, 0.25, 0.125};
  list(Scalars::of(all));
  BOOST_TEST(tags ==
             "loss/validation loss/test accuracy/validation accuracy/test "
             "perplexity/validation perplexity/test ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::tensorboard::event_file_test
