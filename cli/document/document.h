#pragma once

#include <iosfwd>
#include <string>

#include "base/core/result.h"
#include "cli/models/worker_memory.h"
#include "job/document/job.h"

namespace sumac::cli {

/// The text of a job document; "-" reads `in`. Returns at most one byte more than a document may
/// have, so that its reader rejects a longer one. Fails with kUnavailable or kNotFound.
Result<std::string> readDocument(const std::string& file, std::istream& in);

/// Whether the operator can use the pod templates of a document that has been read. Fails with
/// kInvalid, naming the field.
Result<void> checkTemplates(const job::Reading& reading);

/// Of a job that chooses its number of workers: that worker.replicas has another number than it
/// begins with, a line; empty where it has not. Requires a job.
std::string noteOnReplicas(const job::Reading& reading);

/// `sumac validate FILE`: all problems of the document, or one line that says it is valid, with V;
/// then, where `ask_memory` knows it, the memory that a worker needs. MachineTypes are checked as
/// what they are. "-" reads `in`. Returns an
/// ExitCode: kDone, kBadConfiguration when the document is wrong or this version cannot run it, or
/// kUsage when the file cannot be read.
int validate(const std::string& file, const job::Overrides& overrides, std::istream& in,
             std::ostream& out, std::ostream& err, const AskMemory& ask_memory = {});

/// The same of a document that has been read; `file` is for the messages.
int validateText(const std::string& text, const std::string& file, const job::Overrides& overrides,
                 std::ostream& out, std::ostream& err, const AskMemory& ask_memory = {});

/// `sumac explain PATH`: the field of the TrainingJob at `path`, "" for the whole, of an
/// Experiment at "experiment.PATH", or of MachineTypes at "machines.PATH". Returns kDone or kUsage.
int explain(const std::string& path, std::ostream& out, std::ostream& err);

/// `sumac explain --markdown`: docs/trainingjob.md. Returns kDone.
int explainAsMarkdown(std::ostream& out);

/// `sumac crd`: the CustomResourceDefinition. Returns kDone.
int crd(std::ostream& out);

}  // namespace sumac::cli
