#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/node.h"
#include "job/document/pattern.h"

namespace sumac::job {

enum class Type {
  kObject,  // has `fields`
  kList,    // of values as its only field describes them
  kString,
  kInteger,
  kIntegerOrWord,  // an integer, or one of `choices`
  kBoolean,
  kDecimal,   // written as a string: "0.1"
  kChoice,    // one of `choices`
  kTime,      // RFC 3339
  kQuantity,  // Kubernetes' "10Gi" or an integer
  kStringMap,
  kAny,  // a map that Kubernetes defines; its content is not checked
};

struct Choice {
  std::string name;
  bool available = true;  // false: known, but this version cannot run it yet
};

/// A rule between the fields of one object, written twice: for the API server and for our reader.
struct Rule {
  std::string cel;  // over `self`, the object
  std::string message;
  /// The same rule on a document with schema defaults; true where another check reports the
  /// problem. Null for rules over `oldSelf`, which a file does not have.
  bool (*holds)(const yaml::Node& self) = nullptr;
  /// Path of the wrong field, "worker.replicas", which may be missing; empty: the object itself.
  std::string about = {};
  std::string limit = {};   // path of the field whose value is shown as the limit
  std::string advice = {};  // what to do, where the message alone does not say it
};

/// The field is only used if its sibling has one of these values.
struct OnlyWith {
  std::string sibling;
  std::vector<std::string> values;
};

/// Bounds of a decimal: above and below exclude the number itself.
struct DecimalRange {
  std::optional<std::string> above = std::nullopt;
  std::optional<std::string> at_least = std::nullopt;
  std::optional<std::string> below = std::nullopt;
};

enum class Change {
  kAlways,  // may change at any time
  kNever,   // immutable from creation
  kWhileSuspended,
};

/// One field of the TrainingJob. The tree of fields is the only source of parsing, defaults,
/// checks, `sumac explain`, docs/trainingjob.md and the CRD. A value type, made of data alone.
struct Field {
  std::string name;
  Type type = Type::kObject;
  std::string text;  // sentences for people
  bool required = false;
  bool available = true;  // false: rejected as "not available yet" when the job is to run
  std::optional<std::int64_t> minimum = std::nullopt;  // of a list: its fewest items
  std::optional<std::int64_t> maximum = std::nullopt;
  DecimalRange range = {};
  Pattern pattern = {};  // of a string; without an expression any string is allowed
  int max_length = 253;  // characters of a string, or items of a list
  std::vector<Choice> choices = {};
  std::vector<std::string> missing_choices = {};  // that others have: told as not available yet
  std::string schema_default = {};    // YAML; legal in every job, so the API server sets it
  std::string resolver_default = {};  // YAML; set when the job is resolved
  std::optional<OnlyWith> only_with = std::nullopt;
  Change change = Change::kAlways;
  bool ignored = false;  // set by the API server; skipped in a document
  bool open = false;     // unknown fields are kept: Kubernetes checks them
  std::vector<Rule> rules = {};
  std::vector<Field> fields = {};

  const Field* find(std::string_view child) const;
};

/// Whether a string may not be empty: it is required, or has a default.
bool mustHaveText(const Field& field);

/// The TrainingJob itself: its fields are apiVersion, kind, metadata, spec, status.
const Field& rootField();

/// The field at "spec.training.batchSize"; nullptr when there is none. "" is the root.
const Field* fieldAt(std::string_view path);

/// The same in another document's tree.
const Field* fieldAt(const Field& root, std::string_view path);

/// The names that a kChoice field may have: "sgd, nesterov, adam".
std::string choiceList(const Field& field);

namespace internal {

// The sections of the tree, one file each.

Field metadataSection();
Field modelSection();
Field programSection();
Field dataSection();
Field trainingSection();
Field strategySection();
Field workerSection();
Field serverSection();
Field autoscalingSection();
Field checkpointSection();
Field outputSection();
Field runPolicySection();
Field specSection();
Field statusSection();
Field podTemplate();
Field volume();

/// The rules of `spec` for a job that trains a program: what is left out then, and required
/// otherwise.
std::vector<Rule> programRules();

/// The fields of `spec` that a job with a program does not have, as paths: "training.loss".
std::vector<std::string> fieldsOfProgram();

/// The rules of `spec` for two sections that name the same folder, or one in the other's: only one
/// volume can be mounted there, and what is written for the other would be lost with the pod.
std::vector<Rule> sharedFolderRules();

}  // namespace internal

}  // namespace sumac::job
