#include "operator/control/health.h"

#include <utility>

#include "base/core/units.h"

namespace sumac::control {
namespace {

/// 200 "ok", or 503 and one line per problem.
HttpAnswer answerOf(std::string wrong) {
  HttpAnswer answer;
  answer.status = wrong.empty() ? 200 : 503;
  answer.body = wrong.empty() ? "ok\n" : std::move(wrong);
  return answer;
}

}  // namespace

void Health::addThread(std::string name, std::function<Duration(TimePoint)> silence,
                       Duration limit) {
  threads_.push_back({std::move(name), std::move(silence), limit});
}

void Health::addCache(std::string name, std::function<bool()> has_synced) {
  caches_.push_back({std::move(name), std::move(has_synced)});
}

HttpAnswer Health::live() const {
  std::string wrong;
  const TimePoint now = clock_.now();
  for (const Thread& thread : threads_) {
    const Duration silence = thread.silence(now);
    if (silence <= thread.limit) continue;
    wrong += thread.name + " has not advanced for " + durationText(silence) + " (limit " +
             durationText(thread.limit) + ")\n";
  }
  return answerOf(std::move(wrong));
}

HttpAnswer Health::ready() const {
  std::string wrong;
  for (const Cache& cache : caches_) {
    if (!cache.has_synced()) wrong += "the first list of " + cache.name + " is not complete\n";
  }
  return answerOf(std::move(wrong));
}

}  // namespace sumac::control
