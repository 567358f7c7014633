#include "cli/run/links.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sched.h>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/spawn.h"
#include "cli/run/link_scripts.h"

namespace sumac::cli {
namespace {

/// The network namespace of the calling thread.
Descriptor currentNamespace() {
  return Descriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

Error cannotMake(int number) {
  std::string message = std::string("cannot make a network namespace: ") + std::strerror(number);
  if (number == EPERM) message += "; it takes root";
  if (number == EINVAL || number == ENOSYS) message += "; this kernel has none";
  if (number == ENOSPC) message += "; sysctl user.max_net_namespaces allows no more";
  return {ErrorCode::kUnavailable, message};
}

/// Makes a network namespace with nothing in it but a loopback device that is down. It has no name:
/// it and what is in it go when nobody has it open and no process is in it any more, however these
/// ended. The caller's thread stays where it is.
///
/// Fails with kUnavailable, and with what to do, where the rights or the kernel for it are missing.
Result<Descriptor> makeNetworkNamespace() {
  Descriptor made;
  int number = 0;
  // A separate thread moves there and ends: returning takes rights over the namespace that we
  // are in, which the root of a user namespace alone does not have.
  std::thread([&made, &number] {
    if (::unshare(CLONE_NEWNET) == 0) made = currentNamespace();
    if (!made) number = errno;
  }).join();
  if (!made) return cannotMake(number);
  return made;
}

constexpr const char* kAdvice =
    "\nspec.link needs root: `sudo sumac experiment ...`, or `unshare --map-root-user sumac "
    "experiment ...` where users may make namespaces; and the programs ip and tc (Debian: "
    "iproute2). Without spec.link members talk over loopback.";

Error cannot(const std::string& what) {
  return {ErrorCode::kUnavailable, "cannot limit links: " + what + kAdvice};
}

/// Where the system keeps its tools: a user's PATH may not have them.
std::filesystem::path toolCalled(const std::string& name) {
  std::error_code ignored;
  for (const char* const folder : {"/usr/sbin", "/sbin", "/usr/bin", "/bin"}) {
    auto path = std::filesystem::path(folder) / name;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

/// A file in memory that holds `text`, to be read from its beginning.
Descriptor memoryFile(std::string_view text) {
  auto file = makeMemoryFile("sumac-links");
  while (file && !text.empty()) {
    const ssize_t written = ::write(file->get(), text.data(), text.size());
    if (written <= 0) return {};
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!file) return {};
  ::lseek(file->get(), 0, SEEK_SET);
  return *std::move(file);
}

/// The first line of what a program wrote.
std::string firstLine(const Descriptor& file) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  const std::string_view all(text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return std::string(all.substr(0, all.find('\n')));
}

/// Waits for the end of our child; kills one that does not come to it. Whether it went well.
bool endsWell(pid_t pid) {
  constexpr int kPatienceMs = 10'000;
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd watched{process.get(), POLLIN, 0};
  // Kernels before 5.3 have no such descriptor: there it is waited for without a bound.
  if (process && ::poll(&watched, 1, kPatienceMs) != 1) ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Result<void> carryOut(const LinkScript& script, int network) {
  const auto tool = toolCalled(script.program);
  if (tool.empty()) return cannot("there is no program " + script.program);
  const Descriptor lines = memoryFile(script.lines);
  const Descriptor said = memoryFile({});
  if (!lines || !said) return cannot(std::string("no memory file: ") + std::strerror(errno));
  ChildProgram child;
  child.program = tool;
  child.arguments = {"-batch", "-"};
  child.descriptors = {
      {STDIN_FILENO, lines.get()}, {STDOUT_FILENO, said.get()}, {STDERR_FILENO, said.get()}};
  child.dies_with_us = true;
  child.network = network;
  const auto pid = startProgram(child);
  if (!pid) return cannot(pid.error().message);
  if (!endsWell(*pid)) return cannot(script.program + " failed: " + firstLine(said));
  return {};
}

}  // namespace

std::string Links::addressOf(int member) {
  return linkAddress(member);
}

Result<Links> Links::make(int members, std::int64_t bits_per_second) {
  Links links;
  for (int place = kHub; place < members; ++place) {
    auto made = makeNetworkNamespace();
    if (!made) return cannot(made.error().message);
    if (place == kHub) {
      links.hub_ = *std::move(made);
    } else {
      links.members_.push_back(*std::move(made));
    }
  }
  if (const auto configured = links.configure(bits_per_second); !configured)
    return configured.error();
  return links;
}

Result<void> Links::configure(std::int64_t bits_per_second) const {
  const std::string folder = "/proc/" + std::to_string(::getpid()) + "/fd/";
  const auto pathOf = [&](int member) { return folder + std::to_string(namespaceOf(member)); };
  for (const LinkScript& script :
       linkScripts(static_cast<int>(members_.size()), bits_per_second, pathOf)) {
    const int network = script.place == kHub ? hub_.get() : namespaceOf(script.place);
    if (const auto done = carryOut(script, network); !done) return done.error();
  }
  return {};
}

Result<void> checkLinks(std::int64_t bits_per_second) {
  const auto links = Links::make(1, bits_per_second);
  return links ? Result<void>() : links.error();
}

}  // namespace sumac::cli
