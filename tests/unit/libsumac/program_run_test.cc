#include "libsumac/program_run.h"

#include <array>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"
#include "tests/support/temporary_folder.h"

#include "libsumac/alone.h"

namespace sumac::program::program_run_test {
namespace {

/// The only worker of a job in which, once the result is written, the others go.
class Left final : public Alone {
 public:
  using Alone::Alone;
  void finished(const std::string& /*result*/) override { is_finished_ = true; }
  worker::EndEvent awaitEndOrHalt(TimePoint until) override {
    if (!is_finished_) return Alone::awaitEndOrHalt(until);
    return ProcessEnd{how, "as a test wants"};
  }

  ExitCode how = ExitCode::kStopped;

 private:
  bool is_finished_ = false;
};

/// One step of one value, by a program that does what it is asked to.
ProcessEnd endOf(ExitCode how) {
  const TemporaryFolder folder;
  const Log log = Log::discarding();
  Options options;
  options.batch_size = 4;
  options.steps = 1;
  options.output = (folder / "out").string();
  auto settings =
      readSettings(options, [](const char* /*name*/) -> const char* { return nullptr; });
  BOOST_REQUIRE(settings);
  auto setup = prepareProgram(*std::move(settings), {1, 4, {}}, log);
  BOOST_REQUIRE(setup);
  const Kernels kernels = everyVariant().front();
  const Member self{{Role::kWorker, 0}, 1};
  Left others(setup->plan, self, 0);
  others.how = how;
  const SystemClock clock;
  worker::WorkerStatus status(clock);
  const checkpoint::ProgramState state;
  ProgramRun run(*setup, others, kernels, self, {log, status.trainer(), state});
  const float value = 1;
  const std::array<Piece, 1> values{{{&value, 1}}};
  for (Next next = run.next(kNever); next == Next::kTurn; next = run.next(kNever)) {
    if (run.turn().task == Ask::kCompute) run.add(1, 0, values, 1);
    if (run.turn().task == Ask::kUpdate) run.onState(1);
  }
  BOOST_REQUIRE(run.end());
  return *run.end();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(program_run)

BOOST_AUTO_TEST_CASE(a_program_that_stops_after_it_wrote_the_result_has_completed_the_job) {
  BOOST_TEST(toInt(endOf(ExitCode::kStopped).code) == toInt(ExitCode::kDone));
  BOOST_TEST(toInt(endOf(ExitCode::kLostPeers).code) == toInt(ExitCode::kDone));
  BOOST_TEST(toInt(endOf(ExitCode::kFailed).code) == toInt(ExitCode::kFailed));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::program::program_run_test
