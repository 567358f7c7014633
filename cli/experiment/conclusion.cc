#include "cli/experiment/conclusion.h"

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

}  // namespace sumac::cli
