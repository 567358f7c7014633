// Sums a vector over two workers with ps-lite, in synchronous pushes and pulls of one key to one
// server, as BytePS and MXNet use it: one process for each role, on 127.0.0.1.
//
//     pslite-all-reduce BYTES
//
// Asked for runs as in rounds.py: a line with seconds in, a line {"rate": median microseconds} out.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <ps/ps.h>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kWorkers = 2;
constexpr double kWarmUpSeconds = 1;
constexpr int kEnd = 0;  // steps: there is no further run

/// Adds up what the workers push, and answers all of them with the sum when the last one has come.
class Sums {
 public:
  void operator()(const ps::KVMeta& meta, const ps::KVPairs<float>& pushed,
                  ps::KVServer<float>* server) {
    ps::SArray<float>& sum = sums_[turn_];
    if (waiting_.empty()) {
      sum.resize(pushed.vals.size());
      std::copy(pushed.vals.begin(), pushed.vals.end(), sum.begin());
    } else {
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += pushed.vals[i];
    }
    waiting_.push_back(meta);
    if (waiting_.size() < kWorkers) return;
    ps::KVPairs<float> answer;
    answer.keys = pushed.keys;
    answer.vals = sum;
    for (const ps::KVMeta& one : waiting_)
      server->Response(one, answer);
    waiting_.clear();
    turn_ = 1 - turn_;  // the sum is being sent from where it lies
  }

 private:
  std::array<ps::SArray<float>, 2> sums_;
  std::vector<ps::KVMeta> waiting_;
  int turn_ = 0;
};

class Worker {
 public:
  explicit Worker(std::size_t values)
      : worker_(0, 0), keys_(1, 7), values_(values, 1), sums_(values, 0) {}

  /// Seconds of each of so many exchanges.
  std::vector<double> run(int steps) {
    std::vector<double> seconds;
    for (int i = 0; i < steps; ++i) {
      const auto began = Clock::now();
      worker_.Wait(worker_.ZPushPull(keys_, values_, &sums_));
      seconds.push_back(std::chrono::duration<double>(Clock::now() - began).count());
    }
    if (steps > 0 && sums_[0] != kWorkers) {
      std::cerr << "a sum is wrong" << std::endl;
      std::_Exit(1);
    }
    return seconds;
  }

 private:
  ps::KVWorker<float> worker_;
  ps::SArray<ps::Key> keys_;
  ps::SArray<float> values_;
  ps::SArray<float> sums_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A port that nobody has at the moment.
int freePort() {
  const int one = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(one, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(one, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(one);
  return ntohs(address.sin_port);
}

void follow(Worker& worker, int pipe) {
  int steps = kEnd;
  while (::read(pipe, &steps, sizeof steps) == sizeof steps && steps != kEnd)
    worker.run(steps);
}

void lead(Worker& worker, int pipe) {
  const auto together = [&](int steps) {
    if (::write(pipe, &steps, sizeof steps) != sizeof steps) std::_Exit(1);
    return worker.run(steps);
  };
  double step = median(together(3));
  step = median(together(std::max(1, static_cast<int>(kWarmUpSeconds / step))));
  std::cout << R"({"version": "ps-lite 15b8adf"})" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    step = median(together(std::max(1, static_cast<int>(std::stod(line) / step))));
    std::cout << "{\"rate\": " << step * 1e6 << "}" << std::endl;
  }
  together(kEnd);
}

/// One process: scheduler, server or worker. `pipe`: of the steps, of workers.
template <typename Body>
void runRole(const char* role, const Body& body) {
  ::setenv("DMLC_ROLE", role, 1);
  Sums sums;
  ps::KVServer<float>* server = nullptr;
  if (std::string(role) == "server") {
    server = new ps::KVServer<float>(0);
    server->set_request_handle([&sums](const ps::KVMeta& meta, const ps::KVPairs<float>& pairs,
                                       ps::KVServer<float>* self) { sums(meta, pairs, self); });
    ps::RegisterExitCallback([server] { delete server; });
  }
  ps::Start(0);
  body();
  ps::Finalize(0, true);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: pslite-all-reduce BYTES" << std::endl;
    return 2;
  }
  const std::size_t values = std::strtoul(argv[1], nullptr, 10) / sizeof(float);
  ::setenv("DMLC_PS_ROOT_URI", "127.0.0.1", 1);
  ::setenv("DMLC_PS_ROOT_PORT", std::to_string(freePort()).c_str(), 1);
  ::setenv("DMLC_NODE_HOST", "127.0.0.1", 1);
  ::setenv("DMLC_NUM_WORKER", std::to_string(kWorkers).c_str(), 1);
  ::setenv("DMLC_NUM_SERVER", "1", 1);
  int pipe[2];
  if (::pipe(pipe) != 0) return 1;
  for (const char* role : {"scheduler", "server"}) {
    if (::fork() != 0) continue;
    ::close(pipe[1]);
    runRole(role, [] {});
    return 0;
  }
  if (::fork() == 0) {
    ::close(pipe[1]);
    runRole("worker", [&] {
      Worker worker(values);
      follow(worker, pipe[0]);
    });
    return 0;
  }
  runRole("worker", [&] {
    Worker worker(values);
    lead(worker, pipe[1]);
  });
  while (::wait(nullptr) > 0) {
  }
  return 0;
}
