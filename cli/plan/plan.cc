#include "cli/plan/plan.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/bytes.h"
#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/version.h"
#include "base/report/html.h"
#include "base/report/text.h"
#include "cli/document/document.h"
#include "cli/plan/completed_job.h"
#include "cli/plan/kept_profile.h"
#include "cli/plan/plan_question.h"
#include "cli/plan/this_machine.h"
#include "job/document/job.h"
#include "job/document/yaml_writer.h"
#include "planner/advice/advise.h"
#include "planner/report/plan_report.h"
#include "planner/report/sentences.h"

namespace sumac::cli {
namespace {

/// As `sumac profile` reads it: what is measured on this machine is not encrypted unless the job
/// says so.
job::Reading readPlanned(const PlanOptions& options, const std::string& text) {
  job::Overrides overrides;
  overrides.sets = options.sets;
  overrides.transport = "none";
  return job::readJob(text, options.file == "-" ? "<stdin>" : options.file, overrides,
                      /*needs_to_run=*/true);
}

planner::PlanOrigin originOf(const PlanOptions& options) {
  return {kVersion, options.command};
}

Result<std::string> output(const PlanOptions& options, const job::Reading& reading,
                           const planner::AdviceQuestion& question, const planner::Advice& advice) {
  if (options.is_applied && advice.recommended)
    return completedJob(reading, question, advice, options.command);
  constexpr int kIndent = 2;
  if (options.format == PlanFormat::kJson)
    return planJson(advice).dump(kIndent, ' ', false, report::Value::error_handler_t::replace) +
           "\n";
  if (options.format == PlanFormat::kYaml) return job::toYaml(planJson(advice));
  const bool is_wide = options.format == PlanFormat::kWide;
  report::TextStyle style = options.style;
  style.is_wide = is_wide;
  const std::string text = toText(planReport(advice, originOf(options)), style);
  return is_wide ? text : text + report::wrapped(planner::kMore, style.columns) + "\n";
}

/// What the options cannot mean together; empty: they can.
std::string wrongOptions(const PlanOptions& options) {
  std::error_code ignored;
  if (options.page == "-" || std::filesystem::is_directory(options.page, ignored))
    return "--page needs the name of a file, found " + options.page.string();
  if (options.machine == "here" && !options.machines.empty())
    return "--machine here is this machine, of which " + options.machines.string() +
           " tells nothing: leave --machines out, or name one of its types with --machine";
  return {};
}

Result<planner::Advice> adviceFor(AskedPlan& asked) {
  auto advice = planner::advise(asked.question);
  if (!advice) return advice;
  std::ranges::move(asked.notes, std::back_inserter(advice->notes));
  return advice;
}

/// The question with its profiles, or the exit code where there is none: then the reason was said.
std::variant<AskedPlan, ExitCode> askedPlan(const PlanOptions& options, const job::Reading& reading,
                                            const ThisMachine& machine, Streams streams) {
  constexpr ExitCode kWrong = ExitCode::kBadConfiguration;
  auto asked = questionOf(options, reading, machine.count);
  if (!asked) return complain(streams.err, asked.error(), kWrong);
  const bool is_here = asked->question.place == planner::Placement::kHere;
  Result<JobProfile> here = JobProfile();  // what one of this machine would be of
  if (is_here || options.profiles.empty()) here = machine.look(reading.resolved.text());
  if (!here) return complain(streams.err, here.error(), kWrong);
  std::vector<std::filesystem::path> files = options.profiles;
  if (files.empty()) {
    auto kept = keptProfile(options, reading, *here, machine, streams);
    if (const auto* const code = std::get_if<ExitCode>(&kept)) return *code;
    files.push_back(std::get<std::filesystem::path>(std::move(kept)));
  }
  if (const auto added = addProfiles(files, here->machine, *asked); !added)
    return complain(streams.err, added.error(), kWrong);
  return *std::move(asked);
}

}  // namespace

ExitCode planJob(const PlanOptions& options, const ThisMachine& machine, Streams streams) {
  if (const auto wrong = wrongOptions(options); !wrong.empty())
    return complain(streams.err, wrong, ExitCode::kUsage);
  const auto text = readDocument(options.file, streams.in);
  if (!text) return complain(streams.err, text.error(), ExitCode::kUsage);
  const job::Reading reading = readPlanned(options, *text);
  if (!reading.job) {
    streams.err << job::problemList(reading.problems) << std::flush;
    return ExitCode::kBadConfiguration;
  }
  auto answer = askedPlan(options, reading, machine, streams);
  if (const auto* const code = std::get_if<ExitCode>(&answer)) return *code;
  auto& asked = std::get<AskedPlan>(answer);
  const auto advice = adviceFor(asked);
  if (!advice) return complain(streams.err, advice.error(), ExitCode::kBadConfiguration);
  if (options.is_applied && !advice->recommended)
    return complain(streams.err, noPlanText(*advice), ExitCode::kFailed);
  const auto printed = output(options, reading, asked.question, *advice);
  if (!printed) return complain(streams.err, printed.error(), ExitCode::kBadConfiguration);
  streams.out << *printed << std::flush;
  if (!options.page.empty()) {
    const std::string page = toPage(planReport(*advice, originOf(options)));
    if (const auto written = replaceFile(options.page, asBytes(page)); !written)
      return complain(streams.err, written.error(), ExitCode::kUsage);
  }
  return advice->recommended ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace sumac::cli
