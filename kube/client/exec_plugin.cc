#include "kube/client/exec_plugin.h"

#include <utility>

namespace sumac::kube {
namespace {

// A credential that ends while its request is on the way helps nobody.
constexpr auto kLeeway = std::chrono::seconds(10);
constexpr Duration kYoung = std::chrono::seconds(5);

}  // namespace

ExecPlugin::ExecPlugin(ExecSpec exec, KubeconfigCluster cluster, Environment environment, Run run)
    : exec_(std::move(exec)),
      cluster_(std::move(cluster)),
      environment_(std::move(environment)),
      run_(run ? std::move(run) : [clock = environment_.clock](const ExecProcess& process) {
        return runProcess(process, ExecLimits{}, *clock);
      }) {}

Result<ExecCredential> ExecPlugin::credential(const std::string& ca) {
  const std::lock_guard lock(mutex_);
  const bool is_over =
      kept_ && kept_->expires && environment_.wall_clock->now() + kLeeway >= *kept_->expires;
  if (kept_ && !is_over) return *kept_;
  kept_.reset();
  auto fresh = obtain(ca);
  if (!fresh) return fresh.error().within("credentials from `" + exec_.command + "`");
  obtained_ = environment_.clock->now();
  kept_ = *fresh;
  return fresh;
}

void ExecPlugin::forget() {
  const std::lock_guard lock(mutex_);
  if (kept_ && environment_.clock->now() - obtained_ >= kYoung) kept_.reset();
}

Result<ExecCredential> ExecPlugin::obtain(const std::string& ca) const {
  const auto process = processFor(ca);
  if (!process) return process.error();
  const auto output = run_(*process);
  if (!output) return output.error();
  return parseExecCredential(*output, exec_);
}

Result<ExecProcess> ExecPlugin::processFor(const std::string& ca) const {
  ExecProcess process;
  process.program = findProgram(exec_.command, environment_.variable("PATH"));
  std::error_code ignored;
  if (process.program.empty() || !std::filesystem::exists(process.program, ignored)) {
    const std::string hint =
        exec_.install_hint.empty() ? "install it, or put it into PATH" : exec_.install_hint;
    return Error{ErrorCode::kNotFound, "the program was not found. " + hint};
  }
  process.has_input = environment_.is_interactive && exec_.interactive != InteractiveMode::kNever;
  if (exec_.interactive == InteractiveMode::kAlways && !process.has_input) {
    return Error{ErrorCode::kUnavailable,
                 "it asks questions (interactiveMode: Always), but standard input is not a "
                 "terminal"};
  }
  process.arguments = exec_.arguments;
  process.variables = environment_.variables;
  for (const auto& [name, value] : exec_.variables)
    process.variables[name] = value;
  process.variables["KUBERNETES_EXEC_INFO"] = execInfo(exec_, cluster_, ca, process.has_input);
  return process;
}

}  // namespace sumac::kube
