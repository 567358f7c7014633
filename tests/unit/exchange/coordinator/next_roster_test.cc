#include "exchange/coordinator/next_roster.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/coordinator/changing_fixture.h"

namespace sumac::next_roster_test {
namespace {

using Workers = std::vector<std::optional<Step>>;
using Sources = std::map<int, int>;  // of worker from worker

struct Case {
  const char* name = "";
  Workers halted = {};             // of worker 0 on: the step whose state it has
  std::set<int> volumes = {};      // workers that have one
  int writer = 0;                  // of the roster before
  Step checkpoint = 0;             // that the coordinator knows of
  Step own_checkpoint = 0;         // that each worker knows of
  std::map<int, Step> newer = {};  // that this worker knows of instead
  // What is decided
  Step start_step = 0;
  int next_writer = 0;
  Sources sources = {};
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.name;
}

const std::vector<Case> kCases{
    {.name = "a chain behind each that has the state, the writer last",
     .halted = {8, 8, 7, {}, 6},
     .start_step = 8,
     .sources = {{2, 1}, {3, 0}, {4, 2}}},
    {.name = "the lowest that has the state writes if the writer is gone",
     .halted = {{}, 3, 3},
     .writer = 5,
     .start_step = 3,
     .next_writer = 1,
     .sources = {{0, 2}}},
    {.name = "a worker with a volume writes in place of one without",
     .halted = {8, 8, {}},
     .volumes = {1, 2},
     .start_step = 8,
     .next_writer = 1,
     .sources = {{2, 0}}},
    {.name = "also one that lacks the state",
     .halted = {8, 8, {}},
     .volumes = {2},
     .start_step = 8,
     .next_writer = 2,
     .sources = {{2, 0}}},
    {.name = "nobody has a state: the writer reads the checkpoint",
     .halted = {{}, {}, {}},
     .writer = 1,
     .checkpoint = 6,
     .own_checkpoint = 4,
     .start_step = 6,
     .next_writer = 1,
     .sources = {{0, 1}, {2, 0}}},
    {.name = "the same with a checkpoint that only the workers know",
     .halted = {{}, {}},
     .own_checkpoint = 4,
     .start_step = 4,
     .sources = {{1, 0}}},
    {.name = "the writer reads a newer checkpoint than any state",
     .halted = {3, 2, {}},
     .checkpoint = 6,
     .start_step = 6,
     .sources = {{1, 0}, {2, 1}}},
    {.name = "also one that only the workers know",
     .halted = {3, {}},
     .own_checkpoint = 4,
     .start_step = 4,
     .sources = {{1, 0}}},
    {.name = "who has seen the newest checkpoint reads it and writes",
     .halted = {{}, {}, {}},
     .own_checkpoint = 4,
     .newer = {{1, 8}, {2, 6}},
     .start_step = 8,
     .next_writer = 1,
     .sources = {{0, 1}, {2, 0}}},
    {.name = "of those alone that have a volume",
     .halted = {{}, {}, {}},
     .volumes = {0, 2},
     .newer = {{1, 8}, {2, 6}},
     .start_step = 6,
     .next_writer = 2,
     .sources = {{0, 2}, {1, 0}}},
    {.name = "a state that is as new as the checkpoint is sent",
     .halted = {{}, 6},
     .checkpoint = 6,
     .start_step = 6,
     .sources = {{0, 1}}},
    {.name = "without any state or checkpoint", .halted = {{}, {}}},
};

Slot worker(int index) {
  return {Role::kWorker, index};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(next_roster)

BOOST_DATA_TEST_CASE(decides_the_start_the_writer_and_the_sources, kCases, one) {
  Admission admission(ChangingFixture::options({}).admission);
  KnownStates known{.halted = {}, .writer = worker(one.writer), .checkpoint = one.checkpoint};
  for (int i = 0; i < std::ssize(one.halted); ++i) {
    JoinRequest request = ChangingFixture::request();
    request.newest_checkpoint = one.newer.contains(i) ? one.newer.at(i) : one.own_checkpoint;
    if (one.volumes.contains(i)) request.volume = RosterOrder{};
    admission.join({worker(i), 10U + static_cast<unsigned>(i)}, planHash(""), toJson(request));
    known.halted[worker(i)] = one.halted[static_cast<std::size_t>(i)];
  }

  const Admission::Next next = nextRoster(admission, known);

  BOOST_TEST(next.start_step == one.start_step);
  BOOST_TEST(next.writer.index == one.next_writer);
  Sources sources;
  for (const auto& [receiver, source] : next.sources)
    sources[receiver.index] = source.index;
  BOOST_TEST((sources == one.sources));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::next_roster_test
