#include "cli/cluster/submit.h"

#include <istream>
#include <ostream>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/code_map.h"
#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/progress_text.h"
#include "cli/cluster/story.h"
#include "cli/cluster/submission.h"
#include "cli/document/document.h"
#include "kube/api/objects.h"
#include "kube/client/config.h"

namespace sumac::cli {
namespace {

/// The last line of a terminal, drawn again and again; nothing where there is no terminal.
class LiveLine {
 public:
  explicit LiveLine(const Console& console) : console_(console) {}

  void draw(const std::string& text) {
    if (!console_.is_err_tty) return;
    const auto width =
        static_cast<std::size_t>(console_.style.columns > 1 ? console_.style.columns - 1 : 79);
    console_.err << "\r\x1b[K" << text.substr(0, width) << std::flush;
  }
  void clear() {
    if (console_.is_err_tty) console_.err << "\r\x1b[K" << std::flush;
  }

 private:
  const Console& console_;  // outlives us
};

/// Reports on standard error what a job does until it has ended, and returns the ExitCode of its
/// result (endOf); kFailed if it was deleted, kInterrupted after Ctrl-C: the job then continues.
/// `uid` tells this job from a later one with the same name.
int followToEnd(const Cluster& cluster, const api::ObjectKey& key, const std::string& uid,
                bool has_progress, const Console& console) {
  Inbox<Change> inbox;
  WatchedList list;
  list.name_space = key.name_space;
  list.field_selector = "metadata.name=" + key.name;
  const auto watch = cluster.watch(list, [&inbox](Change change) { inbox.put(std::move(change)); });
  // On a terminal the live line tells the progress.
  Story story(has_progress && !console.is_err_tty, cluster.wall_clock.now());
  LiveLine live(console);
  while (const auto change = inbox.take(cluster.stop)) {
    const auto fetched = readJob(change->object);
    if (!fetched || fetched->job.meta.uid != uid) continue;
    const api::TrainingJob& job = fetched->job;
    const WallTime now = cluster.wall_clock.now();
    live.clear();
    for (const std::string& line : story.onState(job, now))
      console.err << line << std::endl;
    if (const auto end = endOf(job.status)) {
      if (job.status.result) console.out << resultText(*job.status.result) << std::endl;
      return toInt(*end);
    }
    if (change->is_removed) {
      console.err << "error: the job was deleted before it had ended" << std::endl;
      return toInt(ExitCode::kFailed);
    }
    if (has_progress && job.status.progress) live.draw(progressText(*job.status.progress, now));
  }
  live.clear();
  console.err << "The job continues; `sumac get " << key.name << " -n " << key.name_space
              << " -w` follows it, `sumac delete` ends it." << std::endl;
  return toInt(ExitCode::kInterrupted);
}

using Json = nlohmann::json;

constexpr Duration kTimeout = std::chrono::seconds(30);

/// POST with what the client's verbs lack: dry runs, and unknown fields as errors.
kube::Response post(const Cluster& cluster, const Submission& submission,
                    const std::string& name_space, DryRun dry_run) {
  kube::Request request;
  request.method = kube::Method::kPost;
  request.path = kube::pathOf(kube::kTrainingJobs, name_space);
  request.query = {{"fieldManager", "sumac"}, {"fieldValidation", "Strict"}};
  if (dry_run == DryRun::kServer) request.query.emplace_back("dryRun", "All");
  request.body = submission.object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return cluster.transport.send(request, kTimeout, cluster.stop);
}

/// What the job with the name of `submission` is that exists already; null: it is another one, or
/// cannot be read. A submit that ended halfway has left one without its sources.
std::shared_ptr<const Json> jobWithoutCode(const Cluster& cluster, const Submission& submission,
                                           const std::string& name_space) {
  const kube::Reply reply = cluster.client.get(kube::kTrainingJobs, {name_space, submission.name});
  const Json::json_pointer sha256("/spec/program/code/sha256");
  const bool is_same = reply && reply.object->contains(sha256) &&
                       reply.object->at(sha256) == submission.code->sha256;
  return is_same ? reply.object : nullptr;
}

std::string refusal(const kube::Failure& failure, const Submission& submission,
                    const std::string& name_space, const Cluster& cluster) {
  const std::string key = name_space + "/" + submission.name;
  if (failure.alreadyExists()) {
    return "TrainingJob " + key + " already exists; `sumac get " + submission.name + " -n " +
           name_space +
           "` shows it. Delete it first, or choose another name with --set metadata.name=NAME.";
  }
  std::string text =
      inWords(failure, {.verb = "create", .name_space = name_space, .name = {}}, cluster.server);
  if (failure.is_unsent) {
    text += "\nNothing was sent: no job was created.";
  } else if (failure.status == 0) {
    text += "\nThe job may have been created anyway: check with `sumac get " + submission.name +
            " -n " + name_space + "`.";
  }
  if (failure.isNotFound() && !isUnknownType(failure)) {
    text = "the namespace " + name_space + " does not exist; `kubectl create namespace " +
           name_space + "` creates it.";
  }
  return text;
}

void printCreated(const Json& object, const std::string& name, const SubmitOptions& options,
                  const Console& console) {
  switch (options.form) {
    case Form::kName: console.out << nameText(name) << "\n"; break;
    case Form::kJson:
    case Form::kYaml: console.out << objectText(object, options.form); break;
    case Form::kTable:
    case Form::kWide: {
      const char* const how = options.dry_run == DryRun::kNone     ? " created"
                              : options.dry_run == DryRun::kClient ? " created (client dry run)"
                                                                   : " created (server dry run)";
      console.out << nameText(name) << how << "\n";
    }
  }
  console.out.flush();
}

int fail(const Console& console, const std::string& message, ExitCode code) {
  return toInt(complain(console.err, message, code));
}

constexpr const char* kNoUid = "the server's answer has no metadata.uid";

std::string jobUid(const Json& job) {
  const Json::json_pointer uid("/metadata/uid");
  return job.is_object() && job.contains(uid) && job.at(uid).is_string()
             ? job.at(uid).get<std::string>()
             : std::string();
}

/// Sends the sources of a job that exists. Fails with what the user does about it.
Result<Sent> complete(const Cluster& cluster, const Submission& submission,
                      const std::string& name_space, const Json& job) {
  const std::string uid = jobUid(job);
  if (uid.empty()) return Error{ErrorCode::kInvalid, kNoUid};
  const api::ObjectKey key{name_space, submission.name};
  auto sent = sendCode(cluster, *submission.code, key, uid);
  if (sent) return sent;
  return Error{sent.error().code, "the job " + key.text() +
                                      " was created and waits for its sources, which could not "
                                      "be sent: " +
                                      sent.error().message +
                                      "\nThe same command sends them; `sumac delete " + key.name +
                                      " -n " + name_space + "` deletes the job."};
}

/// Creates the job and its sources, or sends the sources that an earlier submit did not send.
/// Returns the job.
Result<Json> create(const Cluster& cluster, const SubmitOptions& options,
                    const Submission& submission, const std::string& name_space) {
  const kube::Response response = post(cluster, submission, name_space, options.dry_run);
  const bool sends_code = submission.code && options.dry_run == DryRun::kNone;
  Json job;
  if (response.status == 200 || response.status == 201) {
    job = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  } else {
    const auto failure = kube::failureOf("create TrainingJob", response);
    const Error refused{ErrorCode::kInvalid, refusal(failure, submission, name_space, cluster)};
    const auto begun = sends_code && failure.alreadyExists()
                           ? jobWithoutCode(cluster, submission, name_space)
                           : nullptr;
    if (begun == nullptr) return refused;
    const auto sent = complete(cluster, submission, name_space, *begun);
    if (!sent) return sent.error();
    if (*sent == Sent::kBefore) return refused;
    return *begun;
  }
  if (!sends_code) return job;
  if (const auto sent = complete(cluster, submission, name_space, job); !sent) return sent.error();
  return job;
}

int send(const Cluster& cluster, const SubmitOptions& options, const Submission& submission,
         const Console& console) {
  if (cluster.has_namespace_option && !submission.name_space.empty() &&
      submission.name_space != cluster.name_space) {
    return fail(console,
                "the document is for the namespace " + submission.name_space +
                    ", --namespace says " + cluster.name_space + "; leave out one of them",
                ExitCode::kUsage);
  }
  const std::string name_space =
      submission.name_space.empty() ? cluster.name_space : submission.name_space;
  if (!kube::isNamespaceName(name_space)) {
    return fail(console, "metadata.namespace: `" + oneLine(name_space) + "` is not a valid name",
                ExitCode::kBadConfiguration);
  }
  if (submission.code) {
    if (const auto asked = askForCode(cluster, *submission.code, {name_space, submission.name});
        !asked) {
      return fail(console, "--code: " + asked.error().message + "\nNo job was created.",
                  ExitCode::kFailed);
    }
  }
  const auto created = create(cluster, options, submission, name_space);
  if (!created) return fail(console, created.error().message, ExitCode::kFailed);
  printCreated(*created, submission.name, options, console);
  if (options.dry_run != DryRun::kNone || !(options.wait || options.watch)) {
    return toInt(ExitCode::kDone);
  }
  const std::string uid = jobUid(*created);
  if (uid.empty()) return fail(console, kNoUid, ExitCode::kFailed);
  return followToEnd(cluster, {name_space, submission.name}, uid, options.watch, console);
}

}  // namespace

int submit(const Cluster* cluster, const SubmitOptions& options, const Console& console) {
  const auto text = readDocument(options.file, console.in);
  if (!text) return fail(console, text.error().message, ExitCode::kUsage);
  const std::string file = options.file == "-" ? "<stdin>" : options.file;
  auto submission = readSubmission(*text, file, options.sets);
  if (!submission) {
    console.err << submission.error().message;
    if (!submission.error().message.ends_with('\n')) console.err << "\n";
    return fail(console, "nothing was submitted", ExitCode::kBadConfiguration);
  }
  for (const std::string& warning : submission->warnings)
    console.err << "warning: " << warning << "\n";
  if (const auto added = addCode(options.code, *submission, console.err); !added) {
    const bool is_bad = added.error().code == ErrorCode::kInvalid;
    return fail(console, added.error().message + "\nnothing was submitted",
                is_bad ? ExitCode::kBadConfiguration : ExitCode::kUsage);
  }
  if (options.dry_run == DryRun::kClient) {
    printCreated(submission->object, submission->name, options, console);
    return toInt(ExitCode::kDone);
  }
  return send(*cluster, options, *submission, console);
}

}  // namespace sumac::cli
