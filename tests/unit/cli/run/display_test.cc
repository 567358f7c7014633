#include "cli/run/display.h"

#include <sstream>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/support/progress_of.h"

namespace sumac::cli::display_test {
namespace {

using std::chrono::milliseconds;

Progress at(Step step) {
  Progress progress;
  progress.step = step;
  progress.loss = 0.5;
  return progress;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(display)

BOOST_AUTO_TEST_CASE(says_where_the_job_is_and_what_it_is_worth) {
  Progress progress = progressOf(120, 2400, 2, 0.4312);
  std::string said = progressLine(Progress{}, 200) + "\n";
  progress.samples_per_second = 12345.4;
  progress.batches_per_second = 120;
  said += progressLine(progress, 200) + "\n";
  BOOST_TEST(progressLine(progress, 10) == "step 120/");
  progress.perplexity = 148.413;
  said += progressLine(progress, 200) + "\n";

  Evaluated text;
  text.epoch = 2;
  text.step = 240;
  text.test_loss = 5.4;
  text.valid_perplexity = 223.512;
  said += evaluationLine(text) + "\n";
  text.test_perplexity = 219.1;
  said += evaluationLine(text) + "\n";

  Evaluated images;
  images.step = 240;
  images.valid_accuracy = 0.5;
  images.valid_loss = 0.7;
  said += evaluationLine(images) + "\n";
  images.test_accuracy = 0.25;
  images.test_loss = 0.8;
  said += evaluationLine(images) + "\n";
  test::checkGolden("cli/run/progress_lines.txt", said);
}

BOOST_AUTO_TEST_CASE(says_how_members_changed) {
  MembersChanged change{
      .step = 124, .workers = 3, .servers = 1, .cause = "worker 2 joined", .pause_seconds = 0.041};
  std::string said = changeLine(change) + "\n";
  change.servers = 0;
  change.workers = 1;
  change.cause = "lost worker 1 (\x1b[2J)\n";
  change.redone = 1;
  change.bytes = 1'200'000;
  said += changeLine(change) + "\n";
  change.pause_seconds = 0;
  said += changeLine(change) + "\n";
  test::checkGolden("cli/run/change_lines.txt", said);
}

BOOST_AUTO_TEST_CASE(prints_a_plain_line_every_two_seconds) {
  std::ostringstream out;
  Display display(out, Terminal{});

  display.show(at(1), TimePoint{});
  display.show(at(2), TimePoint{} + milliseconds(1));
  display.show(at(3), TimePoint{} + milliseconds(1999));
  display.show(at(4), TimePoint{} + milliseconds(2000));
  display.show(at(5), TimePoint{} + milliseconds(2001));
  display.finish();

  BOOST_TEST(out.str() == "step 1   loss 0.5000\nstep 4   loss 0.5000\nstep 5   loss 0.5000\n");
}

BOOST_AUTO_TEST_CASE(redraws_one_line_on_a_terminal_ten_times_a_second) {
  std::ostringstream out;
  Display display(out, Terminal{true, false, 80});

  display.show(at(1), TimePoint{});
  display.show(at(2), TimePoint{} + milliseconds(99));
  BOOST_TEST((display.deadline() == TimePoint{} + milliseconds(100)));
  display.tick(TimePoint{} + milliseconds(100));
  display.finish();

  BOOST_TEST(out.str() == "step 1   loss 0.5000\r\x1b[Kstep 2   loss 0.5000\n");
}

BOOST_AUTO_TEST_CASE(uses_color_only_where_it_may) {
  std::ostringstream out;
  Display display(out, Terminal{true, true, 80});

  display.show(at(1), TimePoint{});

  BOOST_TEST(out.str() == "\x1b[36mstep 1   loss 0.5000\x1b[0m");
}

BOOST_AUTO_TEST_CASE(keeps_evaluations_above_the_live_line) {
  std::ostringstream out;
  Display display(out, Terminal{true, false, 80});
  display.show(at(1), TimePoint{});

  Evaluated evaluation;
  evaluation.step = 240;
  evaluation.epoch = 2;
  evaluation.test_accuracy = 0.812;
  evaluation.test_loss = 0.521;
  display.show(evaluation, TimePoint{});

  BOOST_TEST(out.str() ==
             "step 1   loss 0.5000\r\x1b[K"
             "epoch 2   step 240   test accuracy 81.20 %   test loss 0.5210\n"
             "step 1   loss 0.5000");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::display_test
