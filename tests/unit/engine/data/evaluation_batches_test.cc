#include "engine/data/evaluation_batches.h"

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/unit/engine/data/allocations.h"
#include "tests/unit/engine/data/datasets.h"

namespace sumac::worker::evaluation_batches_test {
namespace {

using Numbers = std::vector<std::int32_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(evaluation_batches)

BOOST_AUTO_TEST_CASE(shows_every_image_once_in_order) {
  const Dataset dataset = numberedImages(1, 23);
  for (const std::int64_t most : {1, 5, 22, 23, 24}) {
    EvaluationBatches batches(dataset.images.test, {.max_samples = most});
    std::vector<float> inputs;
    Numbers labels;
    for (std::int64_t piece = 0; piece < batches.count(); ++piece) {
      const auto view = batches.batch(piece);
      BOOST_TEST(view.count >= 1);
      BOOST_TEST(view.count <= std::min<std::int64_t>(most, batches.largest()));
      BOOST_TEST(std::ssize(view.labels) == view.count);
      inputs.insert(inputs.end(), view.inputs.begin(), view.inputs.end());
      labels.insert(labels.end(), view.labels.begin(), view.labels.end());
    }

    BOOST_TEST(batches.labels() == 23);
    BOOST_REQUIRE(labels.size() == 23U);
    BOOST_REQUIRE(inputs.size() == 46U);
    for (std::size_t i = 0; i < 46; ++i)
      BOOST_TEST(inputs[i] == static_cast<float>(i) / 255.0F);
    for (std::size_t i = 0; i < 23; ++i)
      BOOST_TEST(labels[i] == static_cast<std::int32_t>(i % 10));
  }
}

BOOST_AUTO_TEST_CASE(reads_the_streams_of_a_text_to_their_end_one_group_after_another) {
  // As for training: 0-6, 7-13, 14-20, three tokens at a time. Two streams fit, then the third.
  const Dataset dataset = numberedText(1, 23);
  EvaluationBatches batches(dataset.text.valid, {.max_samples = 2, .batch_size = 3, .unroll = 3});
  std::vector<Batch> pieces;
  for (std::int64_t piece = 0; piece < batches.count(); ++piece)
    pieces.push_back(copyOf(batches.batch(piece)));

  BOOST_TEST(batches.labels() == 18);
  BOOST_TEST(batches.largest() == 2);
  BOOST_REQUIRE(pieces.size() == 4U);
  BOOST_TEST((pieces[0] == Batch{2, {}, {0, 1, 2, 7, 8, 9}, {1, 2, 3, 8, 9, 10}}));
  BOOST_TEST((pieces[1] == Batch{2, {}, {3, 4, 5, 10, 11, 12}, {4, 5, 6, 11, 12, 13}}));
  BOOST_TEST((pieces[2] == Batch{1, {}, {14, 15, 16}, {15, 16, 17}}));
  BOOST_TEST((pieces[3] == Batch{1, {}, {17, 18, 19}, {18, 19, 20}}));
  BOOST_TEST(batches.startsAtZero(0));
  BOOST_TEST(!batches.startsAtZero(1));
  BOOST_TEST(batches.startsAtZero(2));
  BOOST_TEST(!batches.startsAtZero(3));
}

BOOST_AUTO_TEST_CASE(is_the_epoch_of_a_text_when_all_streams_fit) {
  const Dataset dataset = numberedText(500, 500);
  TrainingBatches training(dataset, {.batch_size = 12, .unroll = 7});
  EvaluationBatches batches(dataset.text.valid, {.max_samples = 50, .batch_size = 12, .unroll = 7});

  BOOST_REQUIRE(batches.count() == training.stepsPerEpoch());
  for (std::int64_t piece = 0; piece < batches.count(); ++piece)
    BOOST_TEST((copyOf(batches.batch(piece)) == wholeOf(training, piece + 1)));
}

BOOST_AUTO_TEST_CASE(makes_fewer_streams_of_a_short_text) {
  const Dataset dataset = numberedText(1, 9);
  const EvaluationBatches::Options options{.max_samples = 8, .batch_size = 20, .unroll = 3};
  EvaluationBatches batches(dataset.text.valid, options);

  BOOST_TEST(batches.count() == 1);
  BOOST_TEST((copyOf(batches.batch(0)) == Batch{2, {}, {0, 1, 2, 4, 5, 6}, {1, 2, 3, 5, 6, 7}}));
}

BOOST_AUTO_TEST_CASE(knows_what_is_too_short) {
  const Numbers four{0, 1, 2, 3};
  const EvaluationBatches::Options options{.max_samples = 8, .batch_size = 20, .unroll = 3};

  BOOST_TEST(EvaluationBatches::isEnough(four, options));
  BOOST_TEST(!EvaluationBatches::isEnough(std::span(four).first(3), options));
  BOOST_TEST(!EvaluationBatches::isEnough({}, options));
  BOOST_TEST(EvaluationBatches(four, options).labels() == 3);
  BOOST_CHECK_THROW(EvaluationBatches(std::span(four).first(3), options), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(has_no_piece_outside) {
  const Dataset dataset = numberedImages(1, 4);
  EvaluationBatches batches(dataset.images.test, {.max_samples = 2});

  BOOST_CHECK_THROW(batches.batch(-1), InvariantViolation);
  BOOST_CHECK_THROW(batches.batch(2), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(allocates_nothing) {
  const Dataset dataset = numberedText(1, 500);
  EvaluationBatches batches(dataset.text.valid, {.max_samples = 5, .batch_size = 12, .unroll = 7});
  const auto before = allocations();

  for (std::int64_t piece = 0; piece < batches.count(); ++piece)
    batches.batch(piece);

  BOOST_TEST(allocations() == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::evaluation_batches_test
