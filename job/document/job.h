#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/json_tree.h"
#include "base/core/result.h"
#include "base/yaml/node.h"
#include "job/document/training_job.h"

namespace sumac::job {

/// One problem of a document.
struct Problem {
  std::string file;
  int line = 0;  // from 1; 0 when it came from a flag
  int column = 0;
  std::string path;     // "spec.worker.replicas"
  std::string message;  // what was found, what is allowed, the nearest name
  /// A field or a choice that this version does not know, and a later one may.
  bool is_unknown = false;

  /// "job.yaml:17:5 spec.worker.replicas: found 0, must be >= 1"; control characters that came from
  /// the document are shown as "\x1b".
  std::string text() const;
};

/// The command line's changes to a document. V is resolved after `sets` and before `workers` and
/// `servers`, so that runs of one file with different numbers of workers give the same bits.
struct Overrides {
  std::vector<std::string> sets;  // "path=value", path with or without "spec."
  std::optional<int> workers;
  std::optional<int> servers;
  /// security.transport for documents that do not set it; empty: the schema's default, curve.
  std::string transport = {};
  /// spec.checkpoint.everySeconds for documents that say neither after how many steps nor after how
  /// many seconds a checkpoint is made, or have no such section; nothing: it stays as it is.
  std::optional<int> checkpoint_seconds = {};
  /// The folder that a relative data.path is made absolute with; empty: it stays as it is.
  std::filesystem::path base = {};
};

/// The outcome of reading a document: the job, or all its problems.
struct Reading {
  std::optional<TrainingJob> job;  // present exactly when `problems` is empty
  std::vector<Problem> problems;
  /// Valid, but this version cannot run it: "not available yet". Empty with `needs_to_run`.
  std::vector<Problem> unavailable;
  /// Fine for `sumac run`, but a cluster refuses it.
  std::vector<Problem> only_local;
  /// Legal, but slow (docs/design/exchange.md#choosing-v), or of no effect in a pod template.
  std::vector<std::string> warnings;
  /// The first decimal that has no quotes in the file, which `kubectl apply` refuses; empty: none.
  std::string unquoted;
  /// The field that V comes from: "spec.training.logicalWorkers", or a number of workers.
  std::string parts_from;
  JsonTree document;  // with `sets` applied and without defaults
  /// The document with all defaults and V: reads back to the same job. Empty without a job.
  JsonTree resolved;
};

/// Reads, resolves and checks `text`, semantic checks (layers, zoo, shapes, size of known data)
/// included; `file` is for the messages. `needs_to_run`: what this version cannot run yet is a
/// problem. Plain numbers are taken for decimals (quoteDecimals()).
Reading readJob(std::string_view text, std::string_view file, const Overrides& overrides,
                bool needs_to_run);

/// The same of a document that has been parsed. Positions number its keys and values.
Reading readJob(const JsonTree& document, std::string_view file, const Overrides& overrides,
                bool needs_to_run);

/// The same of a map.
Reading readJob(yaml::Node document, std::string_view file, const Overrides& overrides,
                bool needs_to_run);

/// All problems, one per line.
std::string problemList(const std::vector<Problem>& problems);

}  // namespace sumac::job
