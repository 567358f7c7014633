#include "engine/data/batches.h"

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/refusals.h"
#include "tests/unit/engine/data/allocations.h"
#include "tests/unit/engine/data/datasets.h"

namespace sumac::worker::batches_test {
namespace {

using Options = TrainingBatches::Options;
using Numbers = std::vector<std::int32_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(training_batches)

BOOST_AUTO_TEST_CASE(gives_images_in_the_order_of_the_sampler) {
  const Dataset dataset = numberedImages(50, 1);
  TrainingBatches batches(dataset, {.batch_size = 12, .parts = 3, .seed = 5});
  Sampler sampler(5, 50, 12, 3);
  auto buffers = batches.makeBuffers(batches.largestPart());

  for (const Step step : {1, 4, 5, 9}) {
    for (int part = 0; part < 3; ++part) {
      const auto view = batches.fill(step, part, buffers);

      const auto indices = sampler.indices(step, part);
      BOOST_TEST(view.count == std::ssize(indices));
      BOOST_TEST(view.tokens.empty());
      BOOST_REQUIRE(view.inputs.size() == 2 * indices.size());
      BOOST_REQUIRE(view.labels.size() == indices.size());
      for (std::size_t i = 0; i < indices.size(); ++i) {
        BOOST_TEST(view.inputs[2 * i + 1] == static_cast<float>(2 * indices[i] + 1) / 255.0F);
        BOOST_TEST(view.labels[i] == indices[i] % 10);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(changes_images_by_their_number_and_epoch_then_normalizes) {
  Dataset dataset;
  dataset.images.train = {.shape = {1, 2, 2}, .normalization = {.mean = {0.5F}, .deviation = {2}}};
  for (int i = 0; i < 200; ++i) {
    dataset.images.train.pixels.push_back(static_cast<std::uint8_t>(i));
    if (i % 4 == 3) dataset.images.train.labels.push_back(static_cast<std::uint16_t>(i / 4));
  }
  const job::AugmentSpec spec{.flip = true, .crop = 1, .rotate = 20};
  TrainingBatches batches(dataset, {.batch_size = 12, .parts = 3, .seed = 5, .augment = spec});
  Sampler sampler(5, 50, 12, 3);
  Augmenter augmenter(spec, {1, 2, 2}, 5);
  auto buffers = batches.makeBuffers(batches.largestPart());

  for (const Step step : {1, 4, 5, 9}) {
    const auto view = batches.fill(step, 1, buffers);
    const auto indices = sampler.indices(step, 1);
    BOOST_REQUIRE(view.inputs.size() == 4 * indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      std::vector<std::uint8_t> pixels(4);
      std::vector<std::uint8_t> room(4);
      const auto image = pixelsOf(dataset.images.train, indices[i], room);
      augmenter.change(image, (step - 1) / 4, indices[i], pixels);
      for (std::size_t at = 0; at < 4; ++at) {
        const float expected = (static_cast<float>(pixels[at]) / 255.0F - 0.5F) / 2.0F;
        BOOST_TEST(view.inputs[4 * i + at] == expected);
      }
      BOOST_TEST(view.labels[i] == indices[i]);
    }
  }
}

BOOST_AUTO_TEST_CASE(cuts_a_text_into_streams) {
  // 23 tokens, 3 streams of 7: 0-6, 7-13, 14-20; 3 at a time: floor(6 / 3) steps.
  const Dataset dataset = numberedText(23, 0);
  TrainingBatches batches(dataset, {.batch_size = 3, .unroll = 3});

  const Batch first = wholeOf(batches, 1);
  const Batch second = wholeOf(batches, 2);
  const Batch next_epoch = wholeOf(batches, 3);

  BOOST_TEST(batches.stepsPerEpoch() == 2);
  BOOST_TEST(batches.labelsPerSample() == 3);
  BOOST_TEST(first.count == 3);
  BOOST_TEST(first.inputs.empty());
  BOOST_TEST(first.tokens == (Numbers{0, 1, 2, 7, 8, 9, 14, 15, 16}),
             boost::test_tools::per_element());
  BOOST_TEST(first.labels == (Numbers{1, 2, 3, 8, 9, 10, 15, 16, 17}),
             boost::test_tools::per_element());
  BOOST_TEST(second.tokens == (Numbers{3, 4, 5, 10, 11, 12, 17, 18, 19}),
             boost::test_tools::per_element());
  BOOST_TEST(second.labels == (Numbers{4, 5, 6, 11, 12, 13, 18, 19, 20}),
             boost::test_tools::per_element());
  BOOST_TEST((next_epoch == first));
}

BOOST_AUTO_TEST_CASE(makes_the_same_batch_of_any_number_of_parts) {
  for (const Dataset& dataset : {numberedImages(50, 1), numberedText(500, 0)}) {
    TrainingBatches whole(dataset, {.batch_size = 12, .parts = 1, .unroll = 7, .seed = 5});
    for (int parts = 1; parts <= 12; ++parts) {
      TrainingBatches batches(dataset, {.batch_size = 12, .parts = parts, .unroll = 7, .seed = 5});
      for (const Step step : {1, 3, 4, 5, 9})
        BOOST_TEST((wholeOf(batches, step) == wholeOf(whole, step)), parts << " " << step);
    }
  }
}

BOOST_AUTO_TEST_CASE(says_where_parts_begin_in_the_mini_batch) {
  const Dataset dataset = numberedImages(50, 1);
  const TrainingBatches batches(dataset, {.batch_size = 10, .parts = 4});

  BOOST_TEST(batches.firstSample(0) == 0);
  BOOST_TEST(batches.firstSample(1) == 2);
  BOOST_TEST(batches.firstSample(2) == 5);
  BOOST_TEST(batches.firstSample(3) == 7);
  BOOST_TEST(batches.firstSample(4) == 10);
  BOOST_TEST(batches.samplesOf(1) == 3);
  BOOST_TEST(batches.largestPart() == 3);
}

BOOST_AUTO_TEST_CASE(needs_enough_for_one_step) {
  const Options text{.batch_size = 3, .unroll = 3};
  const Dataset enough = numberedText(12, 0);
  const Dataset few = numberedText(11, 0);
  const Dataset images = numberedImages(10, 1);

  BOOST_TEST(TrainingBatches::check(enough, text).has_value());
  BOOST_TEST(TrainingBatches(enough, text).stepsPerEpoch() == 1);
  BOOST_CHECK_THROW(TrainingBatches(few, text), InvariantViolation);
  BOOST_TEST(TrainingBatches::check(images, {.batch_size = 10}).has_value());
  test::Refusals refusals;
  refusals.add("a word too few", TrainingBatches::check(few, text), "spec.training.batchSize");
  refusals.add("an image too few", TrainingBatches::check(images, {.batch_size = 11}),
               "spec.training.batchSize");
  refusals.compareWith("engine/data/batches.txt");
}

BOOST_AUTO_TEST_CASE(fills_no_buffers_that_are_too_small) {
  const Dataset dataset = numberedImages(50, 1);
  TrainingBatches batches(dataset, {.batch_size = 10, .parts = 4});
  auto buffers = batches.makeBuffers(2);

  BOOST_CHECK_NO_THROW(batches.fill(1, 0, buffers));
  BOOST_CHECK_THROW(batches.fill(1, 1, buffers), InvariantViolation);
  BOOST_CHECK_THROW(batches.fill(0, 0, buffers), InvariantViolation);
  BOOST_CHECK_THROW(batches.fill(1, 4, buffers), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(allocates_nothing_while_filling) {
  for (const Dataset& dataset : {numberedImages(50, 1), numberedText(500, 0)}) {
    TrainingBatches batches(dataset, {.batch_size = 12, .parts = 5, .unroll = 7});
    auto buffers = batches.makeBuffers(batches.largestPart());
    const auto before = allocations();

    for (Step step = 1; step <= 3 * batches.stepsPerEpoch(); ++step) {
      for (int part = 0; part < 5; ++part)
        batches.fill(step, part, buffers);
    }

    BOOST_TEST(allocations() == before);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::batches_test
