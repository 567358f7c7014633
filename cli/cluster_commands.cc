#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include <unistd.h>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/slot.h"
#include "base/process/stop_signal.h"
#include "base/terminal/terminal.h"
#include "cli/cluster/change.h"
#include "cli/cluster/connect.h"
#include "cli/cluster/describe.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/get.h"
#include "cli/cluster/logs.h"
#include "cli/cluster/submit.h"
#include "cli/cluster/time_text.h"
#include "cli/cluster/top.h"
#include "cli/commands.h"
#include "cli/run/scale_run.h"
#include "cli/set_option.h"

namespace sumac::cli {
namespace {

constexpr const char* kGroup = "On a cluster";

using Act = std::function<int(const Cluster&, const Console&)>;

/// The parsed options of all commands. Shared by the App's callbacks, which keep it alive.
struct Line {
  kube::ConfigOptions config;
  std::vector<std::string> names;
  GetOptions get;
  SubmitOptions submit;
  LogsOptions logs;
  RemoveOptions remove;
  TopOptions top;
  int workers = 0;
  std::string job, member, role;
  std::optional<std::string> since;
};

using SharedLine = std::shared_ptr<Line>;

Console console() {
  Console console{std::cin, std::cout, std::cerr};
  console.is_tty = isTerminal(STDOUT_FILENO);
  console.is_err_tty = isTerminal(STDERR_FILENO);
  console.has_color = hasColor(STDOUT_FILENO);
  console.style = textStyleOf(STDOUT_FILENO);
  return console;
}

/// Connects and calls `act`. Ctrl-C requests a stop; a second Ctrl-C exits immediately.
int onCluster(const kube::ConfigOptions& options, const Act& act) {
  blockStopSignals();
  std::stop_source stop;
  const StopSignal signal([&stop] {
    if (!stop.request_stop()) std::_Exit(toInt(ExitCode::kInterrupted));
  });
  const Console terminal = console();
  const auto connection = connect(options, stop.get_token(), Log::toStderr(LogLevel::kWarn));
  if (!connection) return toInt(complain(terminal.err, connection.error(), ExitCode::kUsage));
  const int code = act((*connection)->cluster(), terminal);
  return stop.stop_requested() ? toInt(ExitCode::kInterrupted) : code;
}

/// The options that choose the cluster, named as in kubectl.
void addConfig(CLI::App& app, kube::ConfigOptions& config) {
  const auto add = [&app](const char* option, std::string& to, const char* what, const char* type) {
    app.add_option(option, to, what)->type_name(type)->group("Which cluster");
  };
  add("-n,--namespace", config.name_space, "Namespace of the jobs [the context's]", "NAMESPACE");
  add("--kubeconfig", config.kubeconfig, "Where clusters are listed [$KUBECONFIG, ~/.kube/config]",
      "FILE");
  add("--context", config.context, "Context of the kubeconfig [its current one]", "NAME");
  add("--cluster", config.cluster, "Cluster of the kubeconfig [the context's]", "NAME");
  add("--user", config.user, "User of the kubeconfig [the context's]", "NAME");
}

CLI::App* addCommand(CLI::App& app, const char* name, const char* text, Line& line) {
  auto* const command = app.add_subcommand(name, text)->group(kGroup);
  addConfig(*command, line.config);
  return command;
}

/// An option whose value is one of the keys of `words`.
template <typename Value>
CLI::Option* addChoice(CLI::App& command, const char* option, Value& to,
                       const std::map<std::string, Value>& words, const char* what) {
  const auto set = [&to, &words](const std::string& word) { to = words.at(word); };
  std::vector<std::string> known;
  for (const auto& [word, value] : words)
    known.push_back(word);
  return command.add_option_function<std::string>(option, set, what)->check(CLI::IsMember(known));
}

void addForm(CLI::App& command, Form& form) {
  static const std::map<std::string, Form> kForms = {{"table", Form::kTable},
                                                     {"wide", Form::kWide},
                                                     {"name", Form::kName},
                                                     {"json", Form::kJson},
                                                     {"yaml", Form::kYaml}};
  addChoice(command, "-o,--output", form, kForms, "How to print it [table]")->type_name("FORM");
}

CLI::Option* addNames(CLI::App& command, std::vector<std::string>& names) {
  return command.add_option("JOB", names, "Names of jobs")->type_name("");
}

CLI::Option* addName(CLI::App& command, std::string& name) {
  return command.add_option("JOB", name, "Name of the job")->type_name("");
}

/// Sets `then` to what the command does, once the command line has been parsed.
void setAct(CLI::App& command, std::function<int()>& then, const SharedLine& line, const Act& act) {
  command.callback(
      [&then, line, act] { then = [line, act] { return onCluster(line->config, act); }; });
}

void addSubmit(CLI::App& app, const SharedLine& line, std::function<int()>& then) {
  auto* const command = addCommand(app, "submit", "Check a document and create the job", *line);
  SubmitOptions& options = line->submit;
  auto* const file =
      command->add_option("FILE", options.file, "The TrainingJob; - reads standard input")
          ->type_name("");
  command->add_option("-f,--filename", options.file, "The same, as kubectl writes it")
      ->type_name("FILE")
      ->excludes(file);
  addSet(*command, options.sets);
  command
      ->add_option("--code", options.code,
                   "Folder with the sources of spec.program, at most 700 KiB, which the job brings "
                   "along; the command runs in it")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  static const std::map<std::string, DryRun> kDryRuns = {
      {"none", DryRun::kNone}, {"client", DryRun::kClient}, {"server", DryRun::kServer}};
  addChoice(*command, "--dry-run", options.dry_run, kDryRuns,
            "Only check: client checks here, server also asks the API server")
      ->type_name("WHERE");
  command->add_flag("--wait", options.wait,
                    "Wait until the job has ended, and exit with its result");
  command->add_flag("-w,--watch", options.watch, "Like --wait, and show progress");
  addForm(*command, options.form);
  command->footer(R"(
Examples:
  sumac submit job.yaml
  sumac submit job.yaml --set metadata.name=second --set training.seed=2 --watch
  sumac submit job.yaml --dry-run server
  sumac submit job.yaml --code src

Exit codes: 0 created (with --wait: succeeded), 1 rejected or failed, 2 usage, 78 the job cannot
be run, 130 Ctrl-C (the job continues).)");
  command->callback([line, &then] {
    if (line->submit.file.empty()) throw CLI::RequiredError("FILE");
    then = [line] {
      if (line->submit.dry_run == DryRun::kClient) return submit(nullptr, line->submit, console());
      return onCluster(line->config, [&](const Cluster& cluster, const Console& terminal) {
        return submit(&cluster, line->submit, terminal);
      });
    };
  });
}

void addGet(CLI::App& app, const SharedLine& line, std::function<int()>& then) {
  auto* const command = addCommand(app, "get", "List jobs", *line);
  GetOptions& options = line->get;
  auto* const names = addNames(*command, options.names);
  command->add_flag("-A,--all-namespaces", options.all_namespaces, "List jobs of all namespaces")
      ->excludes(names);
  command
      ->add_option("-l,--selector", options.selector,
                   "List only jobs with these labels, for example team=vision,size=small")
      ->type_name("LABELS");
  command->add_flag("-w,--watch", options.watch, "Keep listing what changes, until Ctrl-C");
  addForm(*command, options.form);
  command->footer(R"(
Examples:
  sumac get
  sumac get lenet5 -o yaml
  sumac get -A -w)");
  setAct(*command, then, line, [line](const Cluster& cluster, const Console& terminal) {
    return get(cluster, line->get, terminal);
  });
}

void addDescribe(CLI::App& app, const SharedLine& line, const std::string& program,
                 std::function<int()>& then) {
  auto* const command =
      addCommand(app, "describe", "Show a job's state in detail, and what to do next", *line);
  addNames(*command, line->names)->required();
  command->footer(R"(
Examples:
  sumac describe lenet5)");
  setAct(*command, then, line, [line, program](const Cluster& cluster, const Console& terminal) {
    return describe(cluster, line->names, program, terminal);
  });
}

/// The members whose logs are asked for. Throws CLI::ValidationError on a contradiction.
LogsOptions logsFrom(const Line& line) {
  LogsOptions options = line.logs;
  options.choice.job = line.job;
  for (const std::string& member : {line.role, line.member}) {
    if (member.empty()) continue;
    auto choice = withMember(options.choice, member);
    if (!choice) throw CLI::ValidationError(choice.error().message);
    options.choice = *std::move(choice);
  }
  if (line.since) {
    options.choice.since = durationFrom(*line.since);
    if (!options.choice.since) {
      throw CLI::ValidationError("--since needs a time such as 90s, 10m or 2h, found `" +
                                 *line.since + "`");
    }
  }
  return options;
}

void addLogs(CLI::App& app, const SharedLine& line, std::function<int()>& then) {
  auto* const command =
      addCommand(app, "logs", "Print the logs of a job's workers and servers", *line);
  LogChoice& choice = line->logs.choice;
  addName(*command, line->job)->required();
  command->add_option("MEMBER", line->member, "One member, such as worker-1; all when left out")
      ->type_name("");
  command->add_flag("-f,--follow", line->logs.follow,
                    "Keep printing new lines until the job ends, restarts included");
  command->add_option("--role", line->role, "Print only workers or only servers")
      ->type_name("ROLE")
      ->check(CLI::IsMember({"worker", "server"}));
  command->add_option("--index", choice.index, "Print only members with this index")
      ->type_name("I")
      ->check(CLI::Range(0, kLargestIndex));
  command->add_option("--attempt", choice.attempt, "Print only pods of this attempt")
      ->type_name("N");
  command->add_option("--tail", choice.tail, "Print only the last lines of each member; -1: all")
      ->type_name("LINES")
      ->check(CLI::Range(-1, std::numeric_limits<int>::max()));
  command->add_option("--since", line->since, "Print only lines newer than 90s, 10m or 2h")
      ->type_name("TIME");
  command->add_flag("--timestamps", choice.has_times, "Print the time before each line");
  command->footer(R"(
Examples:
  sumac logs lenet5
  sumac logs lenet5 worker-1 --tail 20
  sumac logs -f lenet5 --role server)");
  command->callback([line, &then] {
    const Act act = [options = logsFrom(*line)](const Cluster& cluster, const Console& terminal) {
      return logs(cluster, options, terminal);
    };
    then = [line, act] { return onCluster(line->config, act); };
  });
}

void addScale(CLI::App& app, const SharedLine& line, std::function<int()>& then) {
  auto* const command =
      addCommand(app, "scale", "Change the number of workers of a job or a run", *line);
  command
      ->add_option("JOB|RUN", line->job,
                   "Name of the job; or the folder of a `sumac run` that trains")
      ->type_name("")
      ->required();
  auto* const number = command->add_option("N", line->workers, "The new number of workers")
                           ->type_name("")
                           ->check(CLI::Range(1, 4096));
  command->add_option("--workers,--replicas", line->workers, "The same")
      ->type_name("N")
      ->check(CLI::Range(1, 4096))
      ->excludes(number);
  command->footer(R"(
Examples:
  sumac scale lenet5 --workers 4
  sumac scale runs/lenet5-20250131-120000 4

A run continues with the new number of workers, and ends with the same weights. A word with a slash,
or the name of a folder with a job.yaml, is a run.

In a cluster, only the pods of the highest indices are created or deleted; the others train on. If
the members of the job may not change (a ring, a lossy codec), all pods are recreated and continue
from the newest checkpoint. Without a checkpoint on a volume (spec.checkpoint.volume), that is at
step 0.)");
  command->callback([&then, line] {
    if (line->workers == 0) throw CLI::RequiredError("N");
    const Act act = [line](const Cluster& cluster, const Console& terminal) {
      return scale(cluster, line->job, line->workers, terminal);
    };
    then = [line, act] {
      if (isRunFolder(line->job))
        return toInt(scaleRun(line->job, line->workers, std::cout, std::cerr));
      return onCluster(line->config, act);
    };
  });
}

void addSuspend(CLI::App& app, const SharedLine& line, bool is_suspended,
                std::function<int()>& then) {
  auto* const command =
      is_suspended ? addCommand(app, "suspend", "Delete the pods of jobs but keep the jobs", *line)
                   : addCommand(app, "resume", "Start the pods of suspended jobs again", *line);
  addNames(*command, line->names)->required();
  command->footer(is_suspended ? R"(
Examples:
  sumac suspend lenet5

The pods write a checkpoint first. Without a volume for it (spec.checkpoint.volume), a resumed job
starts again at step 0.)"
                               : R"(
Examples:
  sumac resume lenet5)");
  setAct(*command, then, line,
         [line, is_suspended](const Cluster& cluster, const Console& terminal) {
           return setSuspended(cluster, line->names, is_suspended, terminal);
         });
}

void addDelete(CLI::App& app, const SharedLine& line, std::function<int()>& then) {
  auto* const command = addCommand(app, "delete", "Delete jobs and their pods", *line);
  addNames(*command, line->remove.names)->required();
  command->add_flag("--wait", line->remove.wait, "Wait until the jobs are gone");
  command->add_flag("--ignore-not-found", line->remove.ignore_missing,
                    "Succeed where a job does not exist");
  command->footer(R"(
Examples:
  sumac delete lenet5 --wait)");
  setAct(*command, then, line, [line](const Cluster& cluster, const Console& terminal) {
    return removeJobs(cluster, line->remove, terminal);
  });
}

void addTop(CLI::App& app, const SharedLine& line, std::function<int()>& then) {
  auto* const command =
      addCommand(app, "top", "Watch the speed, loss and remaining time of jobs", *line);
  command->add_option("JOB", line->top.name, "Name of a job; all when left out")->type_name("");
  command->add_flag("-A,--all-namespaces", line->top.all_namespaces,
                    "Watch jobs of all namespaces");
  command->add_flag("--once", line->top.once, "Print once and exit");
  command->footer(R"(
Examples:
  sumac top
  sumac top lenet5 --once)");
  setAct(*command, then, line, [line](const Cluster& cluster, const Console& terminal) {
    return top(cluster, line->top, terminal);
  });
}

}  // namespace

void addClusterCommands(CLI::App& app, const std::string& program, std::function<int()>& command) {
  const auto line = std::make_shared<Line>();
  addConfig(app, line->config);  // accepted before the command too; after it wins
  addSubmit(app, line, command);
  addGet(app, line, command);
  addDescribe(app, line, program, command);
  addLogs(app, line, command);
  addTop(app, line, command);
  addScale(app, line, command);
  addSuspend(app, line, /*is_suspended=*/true, command);
  addSuspend(app, line, /*is_suspended=*/false, command);
  addDelete(app, line, command);
}

std::vector<std::string> jobNames(const GivenOptions& given) {
  // The user waits at a prompt: after this time SIGALRM ends the process without output.
  constexpr unsigned kSeconds = 2;
  ::alarm(kSeconds);
  const auto value = [&given](const char* name) {
    const auto found = given.find(name);
    return found == given.end() ? std::string() : found->second;
  };
  const kube::ConfigOptions options{.kubeconfig = value("kubeconfig"),
                                    .context = value("context"),
                                    .cluster = value("cluster"),
                                    .user = value("user"),
                                    .name_space = value("namespace")};
  const auto connection = connect(options, {}, Log::discarding());
  if (!connection) return {};
  const Cluster& cluster = (*connection)->cluster();
  const auto jobs = fetchJobs(cluster, cluster.name_space, "");
  std::vector<std::string> names;
  for (const FetchedJob& job : jobs ? *jobs : std::vector<FetchedJob>())
    names.push_back(job.job.meta.key.name);
  return names;
}

}  // namespace sumac::cli
