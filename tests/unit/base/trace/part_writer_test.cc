#include "base/trace/part_writer.h"

#include <cerrno>
#include <system_error>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "base/trace/part_file.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace sumac::trace::part_writer_test {
namespace {

constexpr Slot kServer0{Role::kServer, 0};

bool isComplete(const std::filesystem::path& folder) {
  const auto part = readPart(partFile(folder, kServer0), [](const std::string& /*event*/) {});
  return part && part->is_complete;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(part_writer)

BOOST_AUTO_TEST_CASE(writes_when_the_steps_are_over, *boost::unit_test::timeout(60)) {
  const TemporaryFolder folder;
  const ManualClock clock;
  PartWriter writer({1, 2}, kServer0, folder.path(), clock, Log::discarding());

  writer.recorder().add({Activity::kSum, 1, {}, {}, 0, 8});
  BOOST_TEST(!writer.recorder().covers(4));

  while (!isComplete(folder.path()))
    std::this_thread::yield();
}

BOOST_AUTO_TEST_CASE(writes_at_the_end_of_a_process_where_they_never_are) {
  const TemporaryFolder folder;
  const ManualClock clock;
  { const PartWriter writer({100, 200}, kServer0, folder.path(), clock, Log::discarding()); }

  BOOST_TEST(isComplete(folder.path()));
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_is_a_warning_and_no_more) {
  const TemporaryFolder folder;
  const ManualClock clock;
  std::filesystem::create_symlink("/dev/full", partFile(folder.path(), kServer0));
  const auto log = Log::toFile(folder / "log", LogLevel::kInfo);
  BOOST_TEST_REQUIRE(log.has_value());
  { const PartWriter writer({1, 2}, kServer0, folder.path(), clock, *log); }

  const std::string lines = readTextFile(folder / "log", 10'000).value();
  BOOST_TEST(lines.find("warn \"trace not written\"") != std::string::npos, lines);
  BOOST_TEST(lines.find(std::generic_category().message(ENOSPC)) != std::string::npos, lines);
}

BOOST_AUTO_TEST_CASE(nothing_is_recorded_unless_it_is_asked_for) {
  const ManualClock clock;

  const auto writer = PartWriter::start({}, kServer0, clock, Log::discarding());

  BOOST_TEST(recorderOf(writer) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trace::part_writer_test
