#include "base/trace/part_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::trace::part_file_test {
namespace {

using std::chrono_literals::operator""us;
using std::chrono_literals::operator""h;

constexpr Slot kWorker1{Role::kWorker, 1};
constexpr TimePoint kStart{1h};

Recorder::Content someContent() {
  Recorder::Content content;
  content.steps = {3, 9};
  content.spans = {{Activity::kStep, 3, kStart, kStart + 50us, 0, 0},
                   {Activity::kPush, 3, kStart + 10us, kStart + 12us, 4, 4000},
                   {Activity::kStep, 4, kStart + 60us, kStart + 90us, 0, 0}};
  content.dropped = 7;
  content.offset = ClockAlignment::Offset{2h, 3us, 8};
  return content;
}

std::string diskFull() {
  return std::generic_category().message(ENOSPC);
}

struct Fixture {
  TemporaryFolder folder;
  std::filesystem::path file = partFile(folder.path(), kWorker1);
  std::vector<std::string> events;

  Part read() {
    events.clear();
    auto part = readPart(file, [this](const std::string& event) { events.push_back(event); });
    BOOST_TEST_REQUIRE(part.has_value());
    return *part;
  }
  std::string text() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(file) << text; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(part_file, Fixture)

BOOST_AUTO_TEST_CASE(is_a_trace_by_itself_in_the_coordinators_time) {
  BOOST_TEST_REQUIRE(writePart(file, kWorker1, someContent()).has_value());

  BOOST_TEST(file.filename() == "worker-1.trace");
  const auto trace = nlohmann::json::parse(text());
  std::vector<nlohmann::json> spans;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") spans.push_back(event);
  BOOST_TEST_REQUIRE(spans.size() == 3U);
  const auto& push = spans[1];
  BOOST_TEST(push.at("name") == "push");
  BOOST_TEST(push.at("ts").get<double>() == 3 * 3600e6 + 10);
  BOOST_TEST(push.at("dur").get<double>() == 2.0);
  BOOST_TEST(push.at("args") == (nlohmann::json{{"step", 3}, {"range", 4}, {"bytes", 4000}}));
  BOOST_TEST(trace.at("otherData").at("uncertaintyUs").get<double>() == 3.0);
}

BOOST_AUTO_TEST_CASE(names_the_process_and_its_rows) {
  BOOST_TEST_REQUIRE(writePart(file, kWorker1, someContent()).has_value());

  const std::string written = text();
  for (const char* const name : {"worker 1", "steps", "range 4"})
    BOOST_TEST(written.find(R"("args":{"name":")" + std::string(name) + "\"}") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_what_it_has_and_lacks) {
  BOOST_TEST_REQUIRE(writePart(file, kWorker1, someContent()).has_value());

  const Part part = read();

  BOOST_TEST(part.is_complete);
  BOOST_TEST(part.is_aligned);
  BOOST_TEST(part.dropped == 7U);
  BOOST_TEST((part.steps == StepRange{3, 4}));
  BOOST_TEST(events.size() == 2U + 4U + 3U);
}

BOOST_AUTO_TEST_CASE(one_without_spans_or_an_aligned_clock_says_so) {
  BOOST_TEST_REQUIRE(writePart(file, kWorker1, {{3, 9}, {}, 0, {}}).has_value());

  const Part part = read();

  BOOST_TEST(part.is_complete);
  BOOST_TEST(!part.is_aligned);
  BOOST_TEST(!part.steps.has_value());
}

BOOST_AUTO_TEST_CASE(cut_off_anywhere_is_noticed_and_gives_whole_events_only) {
  BOOST_TEST_REQUIRE(writePart(file, kWorker1, someContent()).has_value());
  const std::string whole = text();
  const std::size_t first = whole.find('\n') + 1;

  for (std::size_t size = first; size + 2 < whole.size(); ++size) {
    write(whole.substr(0, size));
    BOOST_TEST(!read().is_complete, size);
    for (const std::string& event : events)
      BOOST_TEST(nlohmann::json::accept(event), event);
  }
}

BOOST_AUTO_TEST_CASE(no_more_of_a_line_is_read_than_an_event_may_have) {
  BOOST_TEST_REQUIRE(writePart(file, kWorker1, someContent()).has_value());
  const std::string whole = text();
  const std::size_t second = whole.find('\n', whole.find('\n') + 1) + 1;
  constexpr std::size_t kLongestEvent = 4096;
  const auto eventOfSize = [](std::size_t size) {
    return "{\"a\":\"" + std::string(size - 8, 'a') + "\"}";
  };

  write(whole.substr(0, second) + eventOfSize(kLongestEvent) + ",\n" + whole.substr(second));
  BOOST_TEST(read().is_complete);
  BOOST_TEST(events.size() == 10U);

  write(whole.substr(0, second) + eventOfSize(kLongestEvent + 1) + ",\n" + whole.substr(second));
  BOOST_TEST(!read().is_complete);
  BOOST_TEST(events.size() == 1U);
}

BOOST_AUTO_TEST_CASE(other_files_are_rejected) {
  const auto nothing = [](const std::string& /*event*/) {};
  const auto missing = readPart(file, nothing);
  BOOST_TEST((!missing && missing.error().code == ErrorCode::kNotFound));
  for (const char* const text : {"", "{}", "\x7f"}) {
    write(text);
    const auto foreign = readPart(file, nothing);
    BOOST_TEST((!foreign && foreign.error().code == ErrorCode::kInvalid));
  }
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_named_and_leaves_no_file) {
  std::filesystem::create_symlink("/dev/full", file);

  const auto written = writePart(file, kWorker1, someContent());

  BOOST_TEST_REQUIRE(!written.has_value());
  const std::string& message = written.error().message;
  BOOST_TEST(message.find(file.string() + ": " + diskFull()) != message.npos, message);
  BOOST_TEST(!std::filesystem::exists(std::filesystem::symlink_status(file)));
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_long_before_the_end_is_named_too) {
  std::filesystem::create_symlink("/dev/full", file);
  Recorder::Content content = someContent();
  content.spans.resize(10'000, content.spans.front());

  const auto written = writePart(file, kWorker1, content);

  BOOST_TEST_REQUIRE(!written.has_value());
  BOOST_TEST(written.error().message.find(diskFull()) != std::string::npos,
             written.error().message);
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there_is_named) {
  const auto written = writePart(folder / "none" / "x.trace", kWorker1, someContent());

  BOOST_TEST((!written && written.error().code == ErrorCode::kUnavailable));
  BOOST_TEST(written.error().message.find("No such file or directory") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trace::part_file_test
