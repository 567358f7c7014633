#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "job/document/job.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::cli {

// The output formats of `sumac plan`, one source file each. planner/page makes the page.

/// The answer for people: what is recommended and why, the best ways, the best by number of
/// workers, strategies, rules, what would change it, and where its figures are from.
std::string planTable(const planner::Advice& advice);

/// The whole answer for programs: times in seconds, memory in bytes, shares from 0 to 1, money in
/// `currency`, each said by its field's name.
nlohmann::ordered_json planJson(const planner::Advice& advice);

/// The job of `reading` with the recommended way written into it, as YAML: batch size and steps, V,
/// threads, replicas, strategy, and requests of CPU and memory where the job does not set them.
/// What `command` it is the answer to, and what the plan assumes and notes, stands in comments at
/// its beginning; comments of the job are lost. Fails where the document cannot hold it. Requires
/// an answer with a recommended way.
Result<std::string> completedJob(const job::Reading& reading,
                                 const planner::AdviceQuestion& question,
                                 const planner::Advice& advice, const std::string& command);

}  // namespace sumac::cli
