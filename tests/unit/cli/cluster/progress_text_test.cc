#include "cli/cluster/progress_text.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::progress_text_test {

namespace {

Progress progress(int percentage) {
  nlohmann::json object = jobObject();
  object["status"]["progress"] = progressObject(percentage);
  return *jobOf(object).status.progress;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(progress_text)

BOOST_AUTO_TEST_CASE(tells_how_far_how_fast_and_whether_checkpoints_are_skipped) {
  Progress trained = progress(20);
  BOOST_TEST(checkpointText(trained).empty());
  std::string text = progressText(trained, at("12:02:30"));
  trained.checkpoint = 60;
  text += "\n" + checkpointText(trained);
  trained.skipped = 80;
  text += "\n" + checkpointText(trained) + "\n";
  test::checkGolden("cli/cluster/progress.txt", text);
}

BOOST_AUTO_TEST_CASE(leaves_out_an_epoch_that_nobody_saw) {
  Progress unseen = progress(100);
  unseen.epoch = 0;

  BOOST_TEST(progressText(unseen, at("12:02:30")).find("epoch") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(never_has_less_than_nothing_left) {
  BOOST_TEST(remaining(progress(20), at("12:10:00"))->count() == 0);
  BOOST_TEST(remaining(progress(20), at("12:01:00"))->count() == 100);
  BOOST_TEST(!remaining(Progress(), at("12:00:00")).has_value());
}

BOOST_AUTO_TEST_CASE(shortens_decimals) {
  const std::pair<double, const char*> cases[] = {{0.43127, "0.4313"},
                                                  {12345.678, "12346"},
                                                  {1e-9, "1e-09"},
                                                  {999.94, "999.9"},
                                                  {1e300, "1e+300"}};

  for (const auto& [value, shown] : cases)
    BOOST_TEST(shortDecimal(value) == shown);
  BOOST_TEST(shortDecimal(std::nullopt).empty());
}

BOOST_AUTO_TEST_CASE(draws_a_bar_whatever_the_numbers) {
  BOOST_TEST(progressBar(50, 12) == "[#####.....]");
  BOOST_TEST(progressBar(-5, 4) == "[..]");
  BOOST_TEST(progressBar(200, 4) == "[##]");
  BOOST_TEST(progressBar(50, 0) == "[.]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::progress_text_test
