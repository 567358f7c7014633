#include "cli/cluster_commands.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cluster/change.h"
#include "cli/cluster/connect.h"
#include "cli/cluster/describe.h"
#include "cli/cluster/get.h"
#include "cli/cluster/logs.h"
#include "cli/cluster/submit.h"
#include "cli/cluster/time_text.h"
#include "cli/cluster/top.h"
#include "common/base/exit_code.h"
#include "common/process/stop_signal.h"

namespace sumac::cli {
namespace {

constexpr const char* kGroup = "On a cluster";

using Act = std::function<int(const Cluster&, const Console&)>;

/// What all commands of a cluster were asked. Lives as long as the App's callbacks: shared by them.
struct Asking {
  kube::ConfigOptions config;
  bool all_namespaces = false;
  std::vector<std::string> names;
  GetOptions get;
  SubmitOptions submit;
  LogsOptions logs;
  RemoveOptions remove;
  TopOptions top;
  int workers = 0;
  std::string job, member, role, since;
};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// What standard output and error are. NO_COLOR (no-color.org) is honoured.
Console console() {
  Console console{std::cin, std::cout, std::cerr};
  const bool is_dumb = environment("TERM") == "dumb";
  console.is_tty = ::isatty(STDOUT_FILENO) != 0 && !is_dumb;
  console.is_err_tty = ::isatty(STDERR_FILENO) != 0 && !is_dumb;
  console.has_color = console.is_tty && environment("NO_COLOR").empty();
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    console.columns = size.ws_col;
  }
  return console;
}

/// Connects, does it, and turns Ctrl-C into a request to stop; a second one ends us at once.
int onCluster(const kube::ConfigOptions& options, const Act& act) {
  blockStopSignals();
  std::stop_source stop;
  const StopSignal signal([&stop] {
    if (!stop.request_stop()) std::_Exit(toInt(ExitCode::kInterrupted));
  });
  const Console terminal = console();
  const auto connection = connect(options, stop.get_token(), Log::toStderr(LogLevel::kWarn));
  if (!connection) {
    terminal.err << "error: " << connection.error().message << std::endl;
    return toInt(ExitCode::kUsage);
  }
  const int code = act((*connection)->cluster(), terminal);
  return stop.stop_requested() ? toInt(ExitCode::kInterrupted) : code;
}

/// A subcommand with the options that choose the cluster, as kubectl has them.
CLI::App* addCommand(CLI::App& app, const char* name, const char* text, Asking& asking) {
  auto* const command = app.add_subcommand(name, text)->group(kGroup);
  const auto add = [command](const char* option, std::string& to, const char* what,
                             const char* type) {
    command->add_option(option, to, what)->type_name(type)->group("Which cluster");
  };
  add("-n,--namespace", asking.config.name_space, "Instead of the context's", "NAMESPACE");
  add("--kubeconfig", asking.config.kubeconfig, "Instead of $KUBECONFIG and ~/.kube/config",
      "FILE");
  add("--context", asking.config.context, "Of the kubeconfig, instead of its current one", "NAME");
  add("--cluster", asking.config.cluster, "Of the kubeconfig, instead of the context's", "NAME");
  add("--user", asking.config.user, "Of the kubeconfig, instead of the context's", "NAME");
  return command;
}

/// An option that takes one of these words, and no other.
template <typename Value>
CLI::Option* addChoice(CLI::App& command, const char* option, Value& to,
                       const std::map<std::string, Value>& words, const char* what) {
  const auto set = [&to, &words](const std::string& word) { to = words.at(word); };
  const auto known = [&words, what](const std::string& word) {
    return words.contains(word) ? "" : "`" + word + "` is none of: " + what;
  };
  return command.add_option_function<std::string>(option, set, what)->check(known);
}

void addForm(CLI::App& command, Form& form) {
  static const std::map<std::string, Form> kForms = {{"table", Form::kTable},
                                                     {"wide", Form::kWide},
                                                     {"name", Form::kName},
                                                     {"json", Form::kJson},
                                                     {"yaml", Form::kYaml}};
  addChoice(command, "-o,--output", form, kForms, "table, wide, name, json or yaml")
      ->type_name("FORM");
}

CLI::Option* addNames(CLI::App& command, std::vector<std::string>& names) {
  return command.add_option("JOB", names, "Names of jobs")->type_name("");
}

using Shared = std::shared_ptr<Asking>;

/// Leaves in `then` what the command does, once its line has been read.
void whenAsked(CLI::App& command, std::function<int()>& then, const Shared& asking,
               const Act& act) {
  command.callback(
      [&then, asking, act] { then = [asking, act] { return onCluster(asking->config, act); }; });
}

void addSubmit(CLI::App& app, const Shared& asking, std::function<int()>& then) {
  auto* const command = addCommand(app, "submit", "Check a job here, and create it", *asking);
  SubmitOptions& options = asking->submit;
  auto* const file =
      command->add_option("FILE", options.file, "The TrainingJob; - for standard input")
          ->type_name("");
  command->add_option("-f,--filename", options.file, "The same, as kubectl has it")
      ->type_name("FILE")
      ->excludes(file);
  command->add_option("--set", options.sets, "Change a field of the job, as training.epochs=10")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  static const std::map<std::string, DryRun> kDryRuns = {
      {"none", DryRun::kNone}, {"client", DryRun::kClient}, {"server", DryRun::kServer}};
  addChoice(*command, "--dry-run", options.dry_run, kDryRuns,
            "none, or only check: client (here) or server (there)")
      ->type_name("WHERE");
  command->add_flag("--wait", options.wait, "Until the job has ended, with its exit code");
  command->add_flag("-w,--watch", options.watch, "As --wait, and tell its progress");
  addForm(*command, options.form);
  command->footer(
      "Exit codes: 0 created (with --wait: succeeded), 1 refused or failed, 2 usage, 78 the job "
      "cannot\nbe run, 130 Ctrl-C (the job goes on).");
  command->callback([asking, &then] {
    if (asking->submit.file.empty()) throw CLI::RequiredError("FILE");
    then = [asking] {
      if (asking->submit.dry_run == DryRun::kClient) {
        return submit(nullptr, asking->submit, console());
      }
      return onCluster(asking->config, [&](const Cluster& cluster, const Console& terminal) {
        return submit(&cluster, asking->submit, terminal);
      });
    };
  });
}

void addGet(CLI::App& app, const Shared& asking, std::function<int()>& then) {
  auto* const command = addCommand(app, "get", "List jobs, or print some", *asking);
  GetOptions& options = asking->get;
  auto* const names = addNames(*command, options.names);
  command->add_flag("-A,--all-namespaces", options.all_namespaces, "Jobs of all namespaces")
      ->excludes(names);
  command->add_option("-l,--selector", options.selector, "Only jobs with these labels, as a=b,c")
      ->type_name("LABELS");
  command->add_flag("-w,--watch", options.watch, "Go on with what changes, until Ctrl-C");
  addForm(*command, options.form);
  whenAsked(*command, then, asking, [asking](const Cluster& cluster, const Console& terminal) {
    return get(cluster, asking->get, terminal);
  });
}

void addDescribe(CLI::App& app, const Shared& asking, const std::string& program,
                 std::function<int()>& then) {
  auto* const command =
      addCommand(app, "describe", "Tell all about jobs, and what to do next", *asking);
  addNames(*command, asking->names)->required();
  whenAsked(*command, then, asking,
            [asking, program](const Cluster& cluster, const Console& terminal) {
              return describe(cluster, asking->names, program, terminal);
            });
}

/// What the line says about whose logs; throws on what makes no sense.
LogsOptions logsFrom(const Asking& asking) {
  LogsOptions options = asking.logs;
  options.choice.job = asking.job;
  for (const std::string& member : {asking.role, asking.member}) {
    if (member.empty()) continue;
    auto choice = withMember(options.choice, member);
    if (!choice) throw CLI::ValidationError(choice.error().message);
    options.choice = *std::move(choice);
  }
  if (!asking.since.empty()) {
    options.choice.since = durationFrom(asking.since);
    if (!options.choice.since) {
      throw CLI::ValidationError("--since takes a time as 90s, 10m or 2h, found " + asking.since);
    }
  }
  return options;
}

void addLogs(CLI::App& app, const Shared& asking, std::function<int()>& then) {
  auto* const command =
      addCommand(app, "logs", "Print what a job's members write, side by side", *asking);
  LogChoice& choice = asking->logs.choice;
  command->add_option("JOB", asking->job, "The job")->type_name("")->required();
  command->add_option("MEMBER", asking->member, "One member, as worker-1; all when left out")
      ->type_name("");
  command->add_flag("-f,--follow", asking->logs.follow,
                    "As it is written, until the job ends; through restarts");
  command->add_option("--role", asking->role, "Only workers, or only servers")
      ->type_name("ROLE")
      ->check(CLI::IsMember({"worker", "server"}));
  command->add_option("--index", choice.index, "Only members of this index")
      ->type_name("I")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--attempt", choice.attempt, "Only pods of this attempt")->type_name("N");
  command->add_option("--tail", choice.tail, "The last lines of each member")
      ->type_name("LINES")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--since", asking->since, "What is younger, as 90s, 10m or 2h")
      ->type_name("TIME");
  command->add_flag("--timestamps", choice.has_times, "The time before each line");
  command->callback([asking, &then] {
    const Act act = [options = logsFrom(*asking)](const Cluster& cluster, const Console& terminal) {
      return logs(cluster, options, terminal);
    };
    then = [asking, act] { return onCluster(asking->config, act); };
  });
}

void addScale(CLI::App& app, const Shared& asking, std::function<int()>& then) {
  auto* const command = addCommand(app, "scale", "Give a job another number of workers", *asking);
  command->add_option("JOB", asking->job, "The job")->type_name("")->required();
  command->add_option("--workers,--replicas", asking->workers, "How many")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(1, 4096));
  whenAsked(*command, then, asking, [asking](const Cluster& cluster, const Console& terminal) {
    return scale(cluster, asking->job, asking->workers, terminal);
  });
}

void addSuspend(CLI::App& app, const Shared& asking, bool is_suspended,
                std::function<int()>& then) {
  auto* const command =
      is_suspended ? addCommand(app, "suspend", "Stop jobs' pods and keep the jobs", *asking)
                   : addCommand(app, "resume", "Go on with suspended jobs", *asking);
  addNames(*command, asking->names)->required();
  whenAsked(*command, then, asking,
            [asking, is_suspended](const Cluster& cluster, const Console& terminal) {
              return setSuspended(cluster, asking->names, is_suspended, terminal);
            });
}

void addDelete(CLI::App& app, const Shared& asking, std::function<int()>& then) {
  auto* const command = addCommand(app, "delete", "Delete jobs and their pods", *asking);
  addNames(*command, asking->remove.names)->required();
  command->add_flag("--wait", asking->remove.wait, "Until they are gone");
  command->add_flag("--ignore-not-found", asking->remove.ignore_missing,
                    "A job that does not exist is no error");
  whenAsked(*command, then, asking, [asking](const Cluster& cluster, const Console& terminal) {
    return removeJobs(cluster, asking->remove, terminal);
  });
}

void addTop(CLI::App& app, const Shared& asking, std::function<int()>& then) {
  auto* const command = addCommand(app, "top", "Watch speed, loss and remaining time", *asking);
  command->add_option("JOB", asking->top.name, "One job; all when left out")->type_name("");
  command->add_flag("-A,--all-namespaces", asking->top.all_namespaces, "Jobs of all namespaces");
  command->add_flag("--once", asking->top.once, "Print it once");
  whenAsked(*command, then, asking, [asking](const Cluster& cluster, const Console& terminal) {
    return top(cluster, asking->top, terminal);
  });
}

}  // namespace

void addClusterCommands(CLI::App& app, const std::string& program, std::function<int()>& command) {
  const auto asking = std::make_shared<Asking>();
  addSubmit(app, asking, command);
  addGet(app, asking, command);
  addDescribe(app, asking, program, command);
  addLogs(app, asking, command);
  addTop(app, asking, command);
  addScale(app, asking, command);
  addSuspend(app, asking, /*is_suspended=*/true, command);
  addSuspend(app, asking, /*is_suspended=*/false, command);
  addDelete(app, asking, command);
}

}  // namespace sumac::cli
