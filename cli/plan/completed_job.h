#pragma once

#include <string>

#include "base/core/result.h"
#include "job/document/job.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::cli {

/// The job of `reading` with the recommended configuration written into it, as YAML: batch size and
/// steps, V, threads, replicas, strategy, and requests of CPU and memory where the job does not set
/// them. What `command` it is the answer to, and what the plan assumes and notes, stands in
/// comments at its beginning; comments of the job are lost. Fails where the document cannot hold
/// it. Requires an answer with a recommended configuration.
Result<std::string> completedJob(const job::Reading& reading,
                                 const planner::AdviceQuestion& question,
                                 const planner::Advice& advice, const std::string& command);

}  // namespace sumac::cli
