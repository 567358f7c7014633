#include "cli/profile/profile_report.h"

#include <boost/test/unit_test.hpp>

#include "base/report/text.h"
#include "job/model/network.h"
#include "tests/support/golden.h"
#include "tests/support/synthetic_profile.h"

namespace sumac::cli::profile_report_test {

BOOST_AUTO_TEST_SUITE(profile_report)

BOOST_AUTO_TEST_CASE(a_profile_in_terminals_and_files) {
  job::TrainingJob job;
  job.training.batch_size = 64;
  job.training.logical_workers = 2;
  JobProfile profile = syntheticProfile(job, model::resolve(*model::fromZoo("lenet5"), {}).value());
  profile.batches.resize(4);
  profile.batches.front().forward = {1, 0.5, 1.5};  // disturbed
  test::Transcript shown;
  shown.add("a file", toText(profileReport(profile), {}));
  shown.add("40 columns", toText(profileReport(profile), {.columns = 40}));
  profile.batches.clear();
  profile.links.clear();
  shown.add("nothing measured", toText(profileReport(profile), {}));
  test::checkGolden("cli/profile/profile.txt", shown.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::profile_report_test
