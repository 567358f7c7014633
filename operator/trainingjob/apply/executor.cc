#include "operator/trainingjob/apply/executor.h"

namespace sumac::trainingjob {
namespace {

/// Runs the task; returns what it threw, for the thread that waits for it.
std::exception_ptr failureOf(const Executor::Task& task) {
  try {
    task();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

/// The tasks of one runAll(). Guarded by the executor's mutex.
struct Executor::Batch {
  const std::vector<Task>& tasks;
  std::size_t next = 0;  // the first task that has not begun
  std::size_t done = 0;
  std::exception_ptr failure;
};

Executor::Executor(int threads) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

Executor::~Executor() = default;

const Executor::Task& Executor::begin(Batch& batch) {
  const Task& task = batch.tasks[batch.next++];
  if (batch.next == batch.tasks.size()) std::erase(queue_, &batch);
  return task;
}

void Executor::end(Batch& batch, const std::exception_ptr& failure) {
  if (failure) batch.failure = failure;
  if (++batch.done == batch.tasks.size()) is_done_.notifyAll();
}

void Executor::runAll(const std::vector<Task>& tasks) {
  if (tasks.empty()) return;
  Batch batch{.tasks = tasks, .next = 0, .done = 0, .failure = nullptr};
  {
    MutexLock lock(mutex_);
    queue_.push_back(&batch);
    if (tasks.size() > 1) has_work_.notifyAll();
    while (batch.next < tasks.size()) {
      const Task& task = begin(batch);
      lock.unlock();
      const std::exception_ptr failure = failureOf(task);
      lock.lock();
      end(batch, failure);
    }
    while (batch.done < tasks.size())
      is_done_.wait(lock);
  }
  if (batch.failure) std::rethrow_exception(batch.failure);
}

void Executor::work(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (queue_.empty()) {
      has_work_.wait(lock, stop);
      continue;
    }
    Batch& batch = *queue_.front();
    const Task& task = begin(batch);
    lock.unlock();
    const std::exception_ptr failure = failureOf(task);
    lock.lock();
    end(batch, failure);
  }
}

}  // namespace sumac::trainingjob
