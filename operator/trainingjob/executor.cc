#include "operator/trainingjob/executor.h"

#include <exception>

namespace sumac::trainingjob {
namespace {

/// What a task threw, for the thread that waits for it.
std::exception_ptr failureOf(const std::function<void()>& task) {
  try {
    task();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

struct Executor::Batch {
  const std::vector<std::function<void()>>& tasks;
  std::size_t next = 0;  // the first that nobody has begun
  std::size_t done = 0;
  std::exception_ptr failure;
};

Executor::Executor(int threads) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

Executor::~Executor() = default;

void Executor::runNext(Batch& batch, std::unique_lock<std::mutex>& lock) {
  const std::function<void()>& task = batch.tasks[batch.next++];
  if (batch.next == batch.tasks.size()) std::erase(queue_, &batch);
  lock.unlock();
  const std::exception_ptr failure = failureOf(task);
  lock.lock();
  if (failure) batch.failure = failure;
  if (++batch.done == batch.tasks.size()) is_done_.notify_all();
}

void Executor::runAll(const std::vector<std::function<void()>>& tasks) {
  if (tasks.empty()) return;
  Batch batch{.tasks = tasks, .next = 0, .done = 0, .failure = nullptr};
  std::unique_lock lock(mutex_);
  queue_.push_back(&batch);
  if (tasks.size() > 1) has_work_.notify_all();
  while (batch.next < tasks.size())
    runNext(batch, lock);
  is_done_.wait(lock, [&] { return batch.done == tasks.size(); });
  lock.unlock();
  if (batch.failure) std::rethrow_exception(batch.failure);
}

void Executor::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (has_work_.wait(lock, stop, [this] { return !queue_.empty(); }))
    runNext(*queue_.front(), lock);
}

}  // namespace sumac::trainingjob
