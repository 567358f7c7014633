#include "cli/plan/plan.h"

#include <optional>
#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/document/document.h"
#include "cli/plan/completed_job.h"
#include "cli/plan/plan_command.h"
#include "cli/plan/plan_json.h"
#include "cli/plan/plan_question.h"
#include "cli/plan/plan_table.h"
#include "cli/profile/profile.h"
#include "common/base/bytes.h"
#include "common/base/file.h"
#include "common/base/version.h"
#include "common/job/job.h"
#include "common/job/yaml_writer.h"
#include "planner/advice/advise.h"
#include "planner/page/plan_page.h"

namespace sumac::cli {
namespace {

ExitCode complain(Streams streams, const std::string& message,
                  ExitCode code = ExitCode::kBadConfiguration) {
  streams.err << "error: " << message << std::endl;
  return code;
}

/// As `sumac profile` reads it: what is measured on this machine is not encrypted unless the job
/// says so.
job::Reading readPlanned(const PlanOptions& options, const std::string& text) {
  job::Overrides overrides;
  overrides.sets = options.sets;
  overrides.transport = "none";
  return job::readJob(text, options.file == "-" ? "<stdin>" : options.file, overrides,
                      /*needs_to_run=*/true);
}

Result<std::string> output(const PlanOptions& options, const job::Reading& reading,
                           const planner::Advice& advice) {
  if (options.is_applied && advice.recommended) return completedJob(reading, advice);
  constexpr int kIndent = 2;
  switch (options.format) {
    case PlanFormat::kTable: return planTable(advice);
    case PlanFormat::kJson: return planJson(advice).dump(kIndent) + "\n";
    case PlanFormat::kYaml: return job::toYaml(planJson(advice));
  }
  return std::string();
}

}  // namespace

ExitCode planJob(const PlanOptions& options, Streams streams) {
  const auto text = readDocument(options.file, streams.in);
  if (!text) return complain(streams, text.error().message, ExitCode::kUsage);
  const job::Reading reading = readPlanned(options, *text);
  if (!reading.job) {
    streams.err << job::problemList(reading.problems) << std::flush;
    return ExitCode::kBadConfiguration;
  }
  ProfileMachine machine;
  if (options.machine == "here") {
    const auto here = profileHere(options.programs, reading.resolved);
    if (!here) return complain(streams, here.error().message);
    machine = here->machine;
  }
  const auto question = questionOf(options, reading, machine);
  if (!question) return complain(streams, question.error().message);
  const auto advice = planner::advise(*question);
  if (!advice) return complain(streams, advice.error().message);
  if (options.is_applied && !advice->recommended)
    return complain(streams, advice->no_plan, ExitCode::kFailed);
  if (!options.page.empty()) {
    const std::string page = planPage(*advice, {kVersion, planCommand(options)});
    if (const auto written = replaceFile(options.page, asBytes(page)); !written)
      return complain(streams, written.error().message, ExitCode::kFailed);
  }
  const auto printed = output(options, reading, *advice);
  if (!printed) return complain(streams, printed.error().message);
  streams.out << *printed << std::flush;
  return advice->recommended ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace sumac::cli
