#include "cli/experiment/conclusion.h"

#include "base/core/units.h"

#include "experiment/report/ranking.h"
#include "experiment/report/scale.h"
#include "experiment/report/servers_check.h"
#include "experiment/report/tables.h"
#include "experiment/report/verdict.h"

namespace sumac::cli {

std::string conclusion(const experiment::Findings& findings, const std::string& prediction_notes) {
  const auto& [experiment, cells, outcomes, summaries] = findings;
  const std::string scale = scaleTable(cells, outcomes);
  std::string text = resultTable(experiment, cells, summaries) + "\n" + scale +
                     (scale.empty() ? "" : "\n") + toText(verdictOf(experiment, cells, summaries)) +
                     "\n";
  for (const auto& check : serversChecks(experiment, cells, summaries))
    text += toText(check) + "\n";
  text += uncertaintyNote(experiment, summaries) + prediction_notes + predictionNote(summaries);
  const std::string ranking = toText(rankingOf(cells, summaries));
  text += ranking + (ranking.empty() ? "" : "\n");
  return text + (hasIntervals(summaries) ? "Means with their 95 % intervals. " : "");
}

std::string keptText(int used, int there) {
  std::string text;
  if (used > 0) text = "; " + counted(used, "run") + " of an earlier start kept";
  if (there > used) {
    const int beyond = there - used;
    text += "; " + counted(beyond, "run") + " beyond the repetitions " +
            (beyond == 1 ? "is" : "are") + " kept and not used; raise spec.repetitions to use " +
            (beyond == 1 ? "it" : "them");
  }
  return text;
}

std::string nothingMeasuredText(std::int64_t failed) {
  std::string text = "no run was measured yet";
  if (failed > 0) text += ", and " + counted(failed, "cell") + " failed, with the causes above";
  return text;
}

std::string failureText(std::int64_t failed) {
  return "error: " + counted(failed, "cell") +
         " failed; once the cause is gone, the same command tries " +
         (failed == 1 ? "it" : "them") + " again";
}

}  // namespace sumac::cli
