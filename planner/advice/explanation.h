#pragma once

#include <string>

#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::planner {

// Sentences about an answer whose ways are there and ranked.

/// What a step waits for most, with its time: "computing (447 us of 773 us)".
std::string mostText(const StepTime& step);

/// Adds why the recommended way is it. Requires one.
void addReasons(const AdviceQuestion& question, Advice& advice);

/// Adds what to know before relying on the answer.
void addNotes(const AdviceQuestion& question, Advice& advice);

}  // namespace sumac::planner
