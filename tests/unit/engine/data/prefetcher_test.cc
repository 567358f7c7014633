#include "engine/data/prefetcher.h"

#include <memory>
#include <optional>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "base/core/rng.h"
#include "tests/unit/engine/data/allocations.h"
#include "tests/unit/engine/data/datasets.h"

namespace sumac::worker::prefetcher_test {
namespace {

constexpr int kParts = 6;
constexpr TrainingBatches::Options kOptions{
    .batch_size = 12, .parts = kParts, .unroll = 3, .seed = 5};

struct Fixture {
  explicit Fixture(Dataset data = numberedImages(60, 1))
      : dataset(std::move(data)),
        direct(dataset, kOptions),
        buffers(direct.makeBuffers(direct.largestPart())),
        prefetcher(TrainingBatches(dataset, kOptions), clock) {}

  /// Whether every part of the block is what a direct fill gives.
  bool isRight(TreeNode block, Step step) {
    for (int part = block.begin; part < block.end; ++part) {
      const Batch fetched = copyOf(prefetcher.part(step, part));
      if (fetched != copyOf(direct.fill(step, part, buffers))) return false;
    }
    return true;
  }

  SystemClock clock;
  Dataset dataset;
  TrainingBatches direct;
  BatchBuffers buffers;
  Prefetcher prefetcher;
};

/// Every call is a second later than the last.
class StepwiseClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(std::chrono::seconds(calls_++)); }

 private:
  mutable int calls_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(prefetch, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(gives_what_a_direct_fill_gives) {
  for (Dataset dataset : {numberedImages(60, 1), numberedText(300, 0)}) {
    Fixture fixture(std::move(dataset));
    const TreeNode block{1, 5};
    fixture.prefetcher.setBlock(block, 1);

    for (Step step = 1; step <= 3 * fixture.direct.stepsPerEpoch(); ++step)
      BOOST_TEST(fixture.isRight(block, step), step);
  }
}

BOOST_AUTO_TEST_CASE(gives_it_after_any_change_of_block_and_step) {
  Fixture fixture;
  const Rng rng(/*seed=*/7, /*stream=*/0);
  std::uint64_t drawn = 0;
  const auto draw = [&](int bound) {
    return static_cast<int>(rng.below(drawn++, static_cast<std::uint64_t>(bound)));
  };
  TreeNode block;
  Step step = 1;
  for (int round = 0; round < 3000; ++round) {
    if (round == 0 || draw(8) == 0) {
      block.begin = draw(kParts);
      block.end = block.begin + 1 + draw(kParts - block.begin);
      fixture.prefetcher.setBlock(block, 1 + draw(20));
    }
    if (draw(4) == 0) step = 1 + draw(20);
    if (draw(3) == 0) {
      // One part, and on at once: what is under way belongs to no step any more.
      fixture.prefetcher.part(step, block.begin + draw(block.size()));
    } else {
      BOOST_REQUIRE(fixture.isRight(block, step));
    }
    ++step;
  }
}

BOOST_AUTO_TEST_CASE(keeps_a_part_until_another_step_is_asked_for) {
  Fixture fixture;
  fixture.prefetcher.setBlock({0, 2}, 1);
  const auto view = fixture.prefetcher.part(1, 0);
  const Batch before = copyOf(view);

  fixture.prefetcher.part(1, 1);
  fixture.prefetcher.part(1, 0);

  BOOST_TEST((copyOf(view) == before));
}

BOOST_AUTO_TEST_CASE(stops_whatever_it_does) {
  for (int round = 0; round < 50; ++round) {
    Fixture idle;
    Fixture busy;
    busy.prefetcher.setBlock({0, kParts}, 1);
    Fixture used;
    used.prefetcher.setBlock({0, kParts}, 1);
    used.prefetcher.part(3, kParts - 1);
  }
}

BOOST_AUTO_TEST_CASE(allocates_nothing_between_changes_of_the_block) {
  Fixture fixture;
  fixture.prefetcher.setBlock({0, kParts}, 1);
  fixture.prefetcher.part(1, 0);
  const auto before = allocations();

  for (Step step = 1; step <= 3 * fixture.direct.stepsPerEpoch(); ++step) {
    for (int part = 0; part < kParts; ++part)
      fixture.prefetcher.part(step, part);
  }

  BOOST_TEST(allocations() == before);
}

BOOST_AUTO_TEST_CASE(measures_only_the_time_that_it_waits) {
  const Dataset dataset = numberedImages(60, 1);
  const StepwiseClock clock;
  Prefetcher prefetcher(TrainingBatches(dataset, kOptions), clock);
  BOOST_TEST(prefetcher.secondsWaited() == 0.0);
  prefetcher.setBlock({0, kParts}, 1);
  prefetcher.part(1, kParts - 1);
  const double first = prefetcher.secondsWaited();

  for (int part = 0; part < kParts; ++part)
    prefetcher.part(1, part);  // there already

  BOOST_TEST((first == 0.0 || first == 1.0));  // as the threads run
  BOOST_TEST(prefetcher.secondsWaited() == first);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_in_the_block) {
  Fixture fixture;
  BOOST_CHECK_THROW(fixture.prefetcher.part(1, 0), InvariantViolation);
  BOOST_CHECK_THROW(fixture.prefetcher.setBlock({0, kParts + 1}, 1), InvariantViolation);
  BOOST_CHECK_THROW(fixture.prefetcher.setBlock({2, 2}, 1), InvariantViolation);
  BOOST_CHECK_THROW(fixture.prefetcher.setBlock({0, 2}, 0), InvariantViolation);
  fixture.prefetcher.setBlock({1, 3}, 1);
  BOOST_CHECK_THROW(fixture.prefetcher.part(1, 0), InvariantViolation);
  BOOST_CHECK_THROW(fixture.prefetcher.part(1, 3), InvariantViolation);
  BOOST_CHECK_THROW(fixture.prefetcher.part(0, 1), InvariantViolation);
  BOOST_TEST(fixture.isRight({1, 3}, 1));
}

BOOST_AUTO_TEST_CASE(throws_what_the_thread_threw) {
  Fixture fixture;
  fixture.dataset.images.train.labels.resize(1);  // not so in real life: data do not change
  fixture.prefetcher.setBlock({0, kParts}, 1);

  BOOST_CHECK_THROW(fixture.prefetcher.part(1, 0), InvariantViolation);
  BOOST_CHECK_THROW(fixture.prefetcher.part(2, 0), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::prefetcher_test
