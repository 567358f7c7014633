#include "tests/integration/simulation/sim_checks.h"

#include <cstdlib>
#include <numeric>
#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac {

std::uint64_t simSetting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return text == nullptr ? otherwise : std::stoull(text);
}

void checkEnds(const SimJob& job, const SimOptions& options, ExitCode code) {
  BOOST_TEST(job.ends().size() == static_cast<std::size_t>(options.processes()));
  for (const auto& [slot, end] : job.ends())
    BOOST_TEST(toInt(end.code) == toInt(code), slot << " ended otherwise: " << end.reason);
}

void checkBits(const SimJob& job, const SimOptions& options, Step steps) {
  const std::vector<float> reference = simReference(options, steps);
  for (int i = 0; i < options.workers; ++i) {
    BOOST_TEST(job.lastStep(i) == steps);
    BOOST_TEST((job.weights(i) == reference), "weights of worker " << i << " differ");
  }
}

void checkCheckpoint(const SimJob& job, const SimOptions& options) {
  if (!job.checkpoint()) return;
  BOOST_TEST((job.files().states.at(*job.checkpoint()).weights ==
              simReference(options, *job.checkpoint())),
             "the checkpoint of step " << *job.checkpoint() << " has other weights");
}

void checkNothingRejected(const SimJob& job, const SimOptions& options) {
  for (int i = 0; i < options.sums(); ++i) {
    const MemberView view = job.server(i).view();
    const auto rejected =
        std::accumulate(view.rejected.begin(), view.rejected.end(), std::uint64_t{0});
    BOOST_TEST(rejected == 0U, options.sum(i) << " rejected " << rejected << " pushes");
  }
}

void checkComplete(const SimJob& job, const SimOptions& options) {
  checkEnds(job, options, ExitCode::kDone);
  checkBits(job, options, options.steps);
  checkCheckpoint(job, options);
  checkNothingRejected(job, options);
  BOOST_TEST(job.checkpoint().value_or(0) == options.steps);
  BOOST_TEST(job.files().result.has_value());
}

void runToTheEnd(SimJob& job, const SimOptions& options) {
  job.run();
  checkComplete(job, options);
}

}  // namespace sumac
