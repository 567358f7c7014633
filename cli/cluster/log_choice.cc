#include "cli/cluster/log_choice.h"

#include <array>
#include <charconv>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"

namespace sumac::cli {
namespace {

std::optional<int> indexFrom(std::string_view text) {
  int index = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, index);
  if (problem != std::errc() || rest != end || index < 0) return std::nullopt;
  return index;
}

std::optional<Role> roleFrom(std::string_view text) {
  if (text == "worker") return Role::kWorker;
  if (text == "server") return Role::kServer;
  return std::nullopt;
}

Error noMember(const std::string& member) {
  return {ErrorCode::kInvalid,
          "`" + oneLine(member) + "` is not a member: write worker-1, or worker for all workers"};
}

}  // namespace

Result<LogChoice> withMember(LogChoice choice, const std::string& member) {
  std::string_view rest = member;
  if (rest.starts_with(choice.job + "-")) rest.remove_prefix(choice.job.size() + 1);
  const auto dash = rest.find('-');
  const auto role = roleFrom(rest.substr(0, dash));
  if (!role) return noMember(member);
  std::optional<int> index;
  if (dash != rest.npos) {
    index = indexFrom(rest.substr(dash + 1));
    if (!index) return noMember(member);
  }
  if ((choice.role && choice.role != role) || (choice.index && index && choice.index != index)) {
    return Error{ErrorCode::kInvalid,
                 "`" + member + "` and --role or --index name different members"};
  }
  choice.role = role;
  if (index) choice.index = index;
  return choice;
}

bool isChosen(const LogChoice& choice, const api::Pod& pod) {
  return pod.is_ours && (!choice.role || choice.role == pod.slot.role) &&
         (!choice.index || choice.index == pod.slot.index) &&
         (!choice.attempt || choice.attempt == pod.attempt);
}

bool hasLog(const api::Pod& pod) {
  return pod.is_running || pod.terminated.has_value();
}

kube::Request logRequest(const LogChoice& choice, const api::ObjectKey& pod, bool follow,
                         bool has_times, const std::string& since) {
  kube::Request request;
  request.path = kube::pathOf(kube::kPods, pod.name_space, pod.name, "log");
  // Other containers of the pod are somebody else's.
  request.query = {{"container", "sumac"}};
  if (follow) request.query.emplace_back("follow", "true");
  if (has_times) request.query.emplace_back("timestamps", "true");
  if (!since.empty()) {
    request.query.emplace_back("sinceTime", since);
    return request;
  }
  if (choice.tail.value_or(-1) >= 0)
    request.query.emplace_back("tailLines", std::to_string(*choice.tail));
  if (choice.since) {
    request.query.emplace_back("sinceSeconds", std::to_string(choice.since->count()));
  }
  return request;
}

std::string prefixOf(Slot slot, bool has_color) {
  constexpr std::array<const char*, 6> kColors = {"36", "33", "35", "32", "34", "31"};
  const std::string text = "[" + memberName(slot) + "]";
  if (!has_color) return text + " ";
  const auto number =
      static_cast<std::size_t>(slot.index) * 2 + (slot.role == Role::kServer ? 1 : 0);
  return "\x1b[" + std::string(kColors[number % kColors.size()]) + "m" + text + "\x1b[0m ";
}

}  // namespace sumac::cli
