#pragma once

#include <vector>

#include "base/report/report.h"

#include "experiment/findings/findings.h"
#include "experiment/findings/verdict.h"
#include "experiment/report/experiment_report.h"

namespace sumac::experiment {

// Parts of an experiment's answer, in order; empty where there is nothing to say.

/// In one sentence whether cells differ, and which differ most; what changes cost comes first.
report::Findings verdictSentences(const Findings& findings, const Verdict& verdict);

/// Pairs of cells with the ratio of what they are compared by; `pairs` are those of a verdict.
report::Table pairTable(const Findings& findings, const std::vector<Comparison>& pairs);

/// A row for each number of workers of each run whose number of workers changes.
report::Table phaseTable(const Findings& findings);

/// Of one of these; `run` counts from 1.
report::Table phaseTable(const Cell& cell, int run, const ScaleRecord& record);

/// Numbers of servers by Zou et al.'s lemma, beside what was measured.
report::Table serversTable(const Findings& findings);

/// How accurate predictions are, and what there is to know of them.
void addPredictions(const Findings& findings, const PredictionBasis& basis,
                    ExperimentReport& answer);

/// Where it was measured, for results.json.
report::Value originJson(const Origin& origin);

/// How it was measured, where and by what, and the command that measures again.
report::Section methodSection(const Findings& findings, const Origin& origin);

}  // namespace sumac::experiment
