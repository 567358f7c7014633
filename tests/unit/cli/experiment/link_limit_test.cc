#include "cli/experiment/link_limit.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::cli::link_limit_test {
namespace {

/// A hundred steps in ten seconds, of so many bytes each.
experiment::RunFigures figuresOf(double bytes) {
  experiment::RunFigures figures;
  figures.steps = 100;
  figures.seconds = 10;
  figures.bytes = {bytes / 2, bytes};
  return figures;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(link_limit)

BOOST_AUTO_TEST_CASE(a_link_that_carried_more_than_its_rate_had_no_limit) {
  const LinkLimit limit{100'000'000, 1};
  BOOST_TEST(brokenLimit(limit, figuresOf(1'250'000)) == "");
  test::checkGolden("cli/experiment/broken_limit.txt",
                    brokenLimit(limit, figuresOf(2'500'000)) + "\n");
}

BOOST_AUTO_TEST_CASE(a_servers_link_carries_what_all_its_workers_send) {
  experiment::Cell cell;
  cell.conditions.link_bits_per_second = 100'000'000;
  cell.job.worker.replicas = 4;
  cell.job.server.replicas = 2;
  BOOST_TEST(LinkLimit::of(cell).workersPerServer() == 2);
  BOOST_TEST(brokenLimit(LinkLimit::of(cell), figuresOf(1'250'000)) != "");
  cell.job.strategy.method = std::nullopt;
  BOOST_TEST(LinkLimit::of(cell).workersPerServer() == 1);
}

/// 100 steps of one worker in 5 s, a change of 3 s, 100 of two in ten; and what worker 0 said then.
struct Grown {
  Grown() {
    record.points = {
        {0, 1, 1, {}, {}}, {5, 1, 100, {}, {}}, {8, 2, 101, {}, {}}, {18, 2, 200, {}, {}}};
    record.changes = {{5, 100, 1, 2, 3}};
  }
  experiment::ScaleRecord record;
  const std::string said =
      R"({"event":"result","steps":200,"epochs":1,"sentBytes":12500000,"receivedBytes":12500000})";
};

// All bytes are of the last 100 steps: worker 0 began again before them.
BOOST_FIXTURE_TEST_CASE(after_a_restart_the_last_number_of_workers_is_checked, Grown) {
  record.restarts = 1;
  BOOST_TEST(brokenLimit({10'000'000, 1, 0}, record, said) == "");
  BOOST_TEST(brokenLimit({7'000'000, 1, 0}, record, said) != "");
  BOOST_TEST(brokenLimit({10'000'000, 1, 1}, record, said) != "");
  BOOST_TEST(brokenLimit({7'000'000, 1, 0}, record, "killed") == "");
}

// Where a worker is alone it may send nothing, so that the last number tells nothing by itself.
BOOST_FIXTURE_TEST_CASE(where_members_changed_in_place_the_whole_run_is_checked, Grown) {
  BOOST_TEST(brokenLimit({5'000'000, 1, 0}, record, said) == "");
  BOOST_TEST(brokenLimit({4'200'000, 1, 0}, record, said) != "");
  BOOST_TEST(brokenLimit({5'000'000, 1, 1}, record, said) != "");  // 1.5 workers send to it
  record.points = {
      {0, 2, 1, {}, {}}, {10, 2, 100, {}, {}}, {13, 1, 101, {}, {}}, {14, 1, 200, {}, {}}};
  BOOST_TEST(brokenLimit({7'000'000, 1, 0}, record, said) == "");
}

BOOST_AUTO_TEST_CASE(without_a_rate_or_bytes_nothing_is_told) {
  BOOST_TEST(brokenLimit({}, figuresOf(1e9)) == "");
  auto figures = figuresOf(1e9);
  figures.bytes.reset();
  BOOST_TEST(brokenLimit({1'000'000, 1}, figures) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::link_limit_test
