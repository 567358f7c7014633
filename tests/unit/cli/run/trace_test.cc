#include "cli/run/trace.h"

#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/trace/part_file.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::trace_test {
namespace {

using trace::Activity;
using std::chrono_literals::operator""us;

constexpr Slot kServer0{Role::kServer, 0};
constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};
constexpr trace::StepRange kWanted{3, 5};

struct Fixture {
  TemporaryFolder root;
  RunFolder folder{root.path()};
  std::vector<Slot> members = slotsOf(/*servers=*/1, /*workers=*/2);

  /// A part whose process did these steps.
  void write(Slot slot, Step from, Step to, std::uint64_t dropped = 0) const {
    trace::Recorder::Content content{kWanted, {}, dropped, trace::ClockAlignment::Offset{}};
    const bool is_worker = slot.role == Role::kWorker;
    for (Step step = from; step <= to; ++step) {
      const TimePoint begin{step * 10us};
      content.spans.push_back(
          {is_worker ? Activity::kStep : Activity::kSum, step, begin, begin + 5us, 0, 0});
    }
    BOOST_TEST_REQUIRE(
        trace::writePart(trace::partFile(root.path(), slot), slot, content).has_value());
  }
  void writeAll() const {
    for (const Slot slot : members)
      write(slot, kWanted.from, kWanted.to);
  }
  std::string problems() const {
    std::string text;
    for (const std::string& problem : joinTrace(folder, members, kWanted))
      text += problem + "\n";
    return text;
  }
  nlohmann::json trace() const {
    return nlohmann::json::parse(readTextFile(folder.trace(), 1'000'000).value());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_trace, Fixture)

BOOST_AUTO_TEST_CASE(joins_the_parts_of_all_members_and_removes_them) {
  writeAll();

  BOOST_TEST(problems() == "");

  const auto joined = trace();
  int spans = 0;
  std::set<int> processes;
  for (const auto& event : joined.at("traceEvents")) {
    spans += event.at("ph") == "X" ? 1 : 0;
    processes.insert(event.at("pid").get<int>());
  }
  BOOST_TEST(spans == 9);
  BOOST_TEST(processes.size() == 3U);
  BOOST_TEST(joined.at("otherData").at("steps") == "3:5");
  BOOST_TEST(joined.at("otherData").at("processes").at(2).at("process") == "worker 1");
  for (const Slot slot : members)
    BOOST_TEST(!std::filesystem::exists(trace::partFile(root.path(), slot)));
}

BOOST_AUTO_TEST_CASE(says_what_is_missing_and_takes_what_there_is) {
  test::Transcript said;
  const auto join = [&](const char* name) {
    said.add(name, test::replaced(problems(), root.path().string(), "FOLDER"));
    BOOST_TEST(trace().is_object(), name);
  };
  write(kServer0, 3, 5);
  write(kWorker0, 3, 5);
  join("no part of worker 1");
  for (const auto& [name, from, to] :
       {std::tuple("ends early", 3, 4), std::tuple("begins late", 5, 5),
        std::tuple("does none of the steps", 1, 0)}) {
    for (const Slot slot : members)
      write(slot, static_cast<Step>(from), static_cast<Step>(to));
    join(name);
  }
  writeAll();
  write(kWorker0, 3, 5, /*dropped=*/12);
  join("more spans than room");
  writeAll();
  const auto part = trace::partFile(root.path(), kWorker1);
  std::filesystem::resize_file(part, std::filesystem::file_size(part) - 100);
  join("a part that is cut short");
  writeAll();
  BOOST_TEST_REQUIRE(
      trace::writePart(trace::partFile(root.path(), kServer0), kServer0, {kWanted, {}, 0, {}})
          .has_value());
  join("a clock that is not aligned");
  test::checkGolden("cli/run/trace_problems.txt", said.text());
}

BOOST_AUTO_TEST_CASE(keeps_the_parts_where_the_disk_has_no_room_for_all) {
  writeAll();
  std::filesystem::create_symlink("/dev/full", folder.trace());

  const std::string said = problems();

  BOOST_TEST(said.find("cannot write " + folder.trace().string()) != std::string::npos, said);
  BOOST_TEST(std::filesystem::exists(trace::partFile(root.path(), kWorker1)));
}

BOOST_AUTO_TEST_CASE(an_earlier_trace_is_removed) {
  writeAll();
  std::ofstream(folder.trace()) << "old";

  removeTrace(folder, members);

  BOOST_TEST(std::filesystem::is_empty(root.path()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::trace_test
