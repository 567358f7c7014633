#include "engine/checkpoint/checkpoint_room.h"

#include <sys/stat.h>

#include "engine/checkpoint/checkpoint.h"

namespace sumac::checkpoint {
namespace {

namespace fs = std::filesystem;

std::optional<std::uintmax_t> freeBytes(const fs::path& folder) {
  std::error_code error;
  const auto space = fs::space(folder, error);
  const bool is_known = !error && space.capacity > 0;
  return is_known ? std::optional(space.available) : std::nullopt;
}

bool areInOneFileSystem(const fs::path& one, const fs::path& other) {
  struct stat first {};
  struct stat second {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev;
}

}  // namespace

std::uintmax_t fileBytes(std::size_t values) {
  constexpr std::uintmax_t kHead = 16UL * 1024;
  return values * sizeof(float) + kHead;
}

std::optional<std::uintmax_t> makeRoom(const fs::path& folder, std::uintmax_t needed,
                                       const fs::path& checkpoints, Step step,
                                       const std::string& plan_hash, const Log& log) {
  const auto free = freeBytes(folder);
  if (!free || *free >= needed || !areInOneFileSystem(folder, checkpoints)) return free;
  const auto all = removeOldest(checkpoints, step, needed - *free, plan_hash);
  for (const auto& gone : all)
    log.info("older checkpoint removed to make room", {{"path", gone.string()}});
  return freeBytes(folder);
}

}  // namespace sumac::checkpoint
