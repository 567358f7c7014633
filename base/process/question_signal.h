#pragma once

#include "base/core/descriptor.h"
#include "base/core/result.h"

namespace sumac {

/// Blocks SIGUSR1, "who waits for whom?", for the caller and for every thread that it starts from
/// now on, and makes it readable from a descriptor (a signalfd) that does not block. Call it before
/// any other thread exists; without it SIGUSR1 would end the process.
Result<Descriptor> openQuestions();

/// Takes what can be read from such a descriptor; returns whether there was a question.
bool takeQuestion(int fd);

}  // namespace sumac
