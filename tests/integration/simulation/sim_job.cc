#include "tests/integration/simulation/sim_job.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "common/base/crc32c.h"
#include "tests/support/plain_kernels.h"

namespace sumac {

namespace {

constexpr std::uint64_t kJob = 4711;
constexpr float kOverwritten = 1e30F;  // no gradient is as large

std::uint64_t mix(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

std::string endpointOf(Slot slot) {
  return "sim://" + toString(slot);
}

// Written apart from common/plan, so that an error there shows.
std::vector<float> sumOfParts(const std::vector<float>& weights, Step step, int begin, int end) {
  if (end - begin == 1) return simGradient(weights, step, begin);
  int left = 1;
  while (2 * left < end - begin)
    left *= 2;
  std::vector<float> sum = sumOfParts(weights, step, begin, begin + left);
  const std::vector<float> right = sumOfParts(weights, step, begin + left, end);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = sum[i] + right[i];
  }
  return sum;
}

void update(std::vector<float>& weights, std::span<const float> sum) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = weights[i] - 0.01F * sum[i];
  }
}

ExchangePlan planOf(const SimOptions& options, int vocabulary) {
  std::vector<std::int64_t> tensors = options.tensors;
  if (vocabulary > 0) tensors.push_back(vocabulary);
  return makeExchangePlan(tensors, options.parts, {}, options.cutting);
}

std::vector<float> firstWeights(std::int64_t parameters) {
  return std::vector<float>(static_cast<std::size_t>(parameters), 0.5F);
}

}  // namespace

std::vector<float> simGradient(const std::vector<float>& weights, Step step, int part) {
  std::vector<float> gradient(weights.size() + 1);
  std::uint64_t state = mix(static_cast<std::uint64_t>(step) * 1000 + static_cast<unsigned>(part));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto bits = i < weights.size() ? std::bit_cast<std::uint32_t>(weights[i]) : 0U;
    state = mix(state + bits + 0x9E3779B97F4A7C15ULL);
    // Many magnitudes, so that every other order of summing gives other bits.
    const int exponent = static_cast<int>(state % 12) - 8;
    gradient[i] =
        std::ldexp(static_cast<float>((state >> 40U) & 0xFFFFFFU) - 8388608.0F, exponent - 23);
  }
  return gradient;
}

std::vector<float> simReference(const SimOptions& options, Step steps) {
  std::vector<float> weights = firstWeights(planOf(options, options.vocabulary).parameters);
  for (Step step = 1; step <= steps; ++step) {
    update(weights, sumOfParts(weights, step, 0, options.parts));
  }
  return weights;
}

class SimJob::WorkerProcess final : public worker::Trainer, public link::Handler {
 public:
  WorkerProcess(SimJob& job, int index)
      : job_(&job), slot_{Role::kWorker, index}, weights_(firstWeights(job.plan_.parameters)) {
    worker::WorkerIdentity identity;
    identity.self = {slot_, static_cast<Incarnation>(100 + index)};
    link::Link& link = job.network_.add(identity.self, kJob, endpointOf(slot_), *this);
    identity.job = kJob;
    const auto text = job.options_.plan_text.find(slot_);
    identity.plan_text = text == job.options_.plan_text.end() ? "batchSize=128\n" : text->second;
    identity.kernels = {"baseline", "avx2"};
    const auto other = job.options_.other_vocabulary.find(index);
    identity.vocabulary =
        other == job.options_.other_vocabulary.end() ? job.options_.vocabulary : other->second;
    identity.description = "CPU " + std::to_string(index);
    session_ = std::make_unique<worker::Session>(std::move(identity), job.plan_,
                                                 endpointOf({Role::kServer, 0}), link, *this);
  }

  void onMessage(link::Peer from, const wire::Header& header, BytesView payload) override {
    session_->onMessage(from, header, payload);
  }
  void onPeerUp(link::Peer peer) override { session_->onPeerUp(peer); }
  void onPeerDown(link::Peer peer, const std::string& why) override {
    session_->onPeerDown(peer, why);
  }
  void onRoom(link::Peer peer) override { session_->onRoom(peer); }
  void onSuspected(link::Peer peer, const std::string& why) override {
    session_->onSuspected(peer, why);
  }

  void onStart(const Roster& roster, TreeNode block) override {
    block_ = block;
    done_ = roster.start_step;
    begin(done_ + 1);
  }

  void onSum(Step step, std::span<const float> sum) override {
    if (is_stopping_ || isHanging()) return;
    if (step != done_ + 1) throw std::logic_error("a sum came out of order");
    update(weights_, sum);
    done_ = step;
    if (job_->options_.diverges == slot_.index && step == job_->options_.diverges_in) {
      weights_[7] += 1;
    }
    if (step % 5 == 0) reportWeights();
    if (slot_.index == 0) session_->reportProgress("{\"step\":" + std::to_string(step) + "}");
    const Step every = job_->options_.checkpoint_every;
    if (every == 0 || step % every != 0 || step >= job_->options_.steps) return goOn();
    whenAgreed([this] {
      writeCheckpoint();
      goOn();
    });
  }

  // What is computed, or summed, is given up.
  void onStopNow(bool writes) override {
    writes_ = writes;
    stop_after_ = done_;
    if (is_stopping_ || isHanging() || when_agreed_) return;
    goOn();
  }

  void onWeightsAgreed(Step step) override {
    if (step != done_ || !when_agreed_) return;
    std::exchange(when_agreed_, nullptr)();
  }

  void onStopAfter(Step step) override {
    stop_after_ = step;
    if (begun_ > step) throw std::logic_error("a step beyond the agreed one was begun");
    if (done_ >= step && !when_agreed_) goOn();
  }

  void onEnd(ExitCode code, const std::string& reason) override {
    ended_ = true;
    job_->ends_[slot_] = {code, reason};
  }

  worker::Session& session() { return *session_; }
  const std::vector<float>& weights() const { return weights_; }
  Step done() const { return done_; }
  bool ended() const { return ended_; }

 private:
  void goOn() {
    if (done_ >= job_->options_.steps) {
      is_stopping_ = true;
      whenAgreed([this] {
        writeCheckpoint();
        session_->finished(slot_.index == 0 ? "{\"steps\":" + std::to_string(done_) + "}" : "");
      });
    } else if (stop_after_ && done_ >= *stop_after_) {
      is_stopping_ = true;
      whenAgreed([this] {
        writeCheckpoint();
        session_->stopped();
      });
    } else {
      begin(done_ + 1);
    }
  }

  void reportWeights() {
    session_->reportWeights(done_, crc32c(std::as_bytes(std::span<const float>(weights_))));
  }

  /// The lowest worker waits until all have the same weights; the others only report theirs.
  void whenAgreed(std::function<void()> what) {
    const bool waits = slot_.index == 0 || writes_;
    if (waits) when_agreed_ = what;
    reportWeights();
    if (!waits) what();
  }

  void writeCheckpoint() {
    if (slot_.index != 0 && !writes_) return;
    job_->checkpoint_ = done_;
    session_->checkpointed(done_);
  }

  // From here on a trainer may write where the contributions of step - 2 were: nobody may read
  // them.
  void begin(Step step) {
    begun_ = step;
    for (std::vector<float>& values : sums_[static_cast<std::size_t>(step % 2)])
      std::ranges::fill(values, kOverwritten);
    const auto slow = job_->options_.slow.find(slot_.index);
    const Duration more = slow == job_->options_.slow.end() ? Duration{} : slow->second;
    job_->network_.after(more + job_->network_.between(500, 20'000), [this, step] {
      if (!ended_ && !job_->network_.isDead(slot_)) compute(step);
    });
  }

  bool isHanging() const { return job_->options_.hangs == slot_.index && done_ >= 5; }

  void compute(Step step) {
    if (is_stopping_ || isHanging()) return;
    auto& sums = sums_[static_cast<std::size_t>(step % 2)];
    std::vector<worker::Contribution> contributions;
    const std::vector<TreeNode> nodes = maximalNodes(block_, job_->plan_.parts);
    sums.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      // Into the same memory: the session has views of it.
      const std::vector<float> sum = sumOfParts(weights_, step, nodes[i].begin, nodes[i].end);
      sums[i].assign(sum.begin(), sum.end());
      contributions.push_back({nodes[i], sums[i]});
    }
    session_->submit(step, contributions);
  }

  SimJob* job_;
  Slot slot_;
  std::vector<float> weights_;
  std::unique_ptr<worker::Session> session_;
  TreeNode block_;
  std::array<std::vector<std::vector<float>>, 2> sums_;  // of odd and even steps, by node
  Step done_ = 0;
  Step begun_ = 0;
  std::optional<Step> stop_after_;
  std::function<void()> when_agreed_;  // of the one that writes, while it waits
  bool writes_ = false;                // a checkpoint, though not the lowest
  bool is_stopping_ = false;           // or done
  bool ended_ = false;
};

class SimJob::ServerProcess final : public server::Listener, public link::Handler {
 public:
  ServerProcess(SimJob& job, int index) : job_(&job), slot_{Role::kServer, index} {
    server::ServerIdentity identity;
    identity.self = {slot_, static_cast<Incarnation>(200 + index)};
    link::Link& link = job.network_.add(identity.self, kJob, endpointOf(slot_), *this);
    identity.job = kJob;
    identity.endpoint = endpointOf(slot_);
    identity.workers = job.options_.workers;
    identity.servers = job.options_.servers;
    session_ = std::make_unique<server::Session>(
        std::move(identity),
        [&options = job.options_](int vocabulary) -> Result<server::SumPlan> {
          return server::SumPlan{planOf(options, vocabulary), {}};
        },
        index == 0 ? std::string() : endpointOf({Role::kServer, 0}), kPlainKernels, link, *this);
  }

  void onMessage(link::Peer from, const wire::Header& header, BytesView payload) override {
    job_->generation_ = std::max(job_->generation_, header.generation);
    if (header.type == wire::MessageType::kPush) checkAlive(payload);
    session_->onMessage(from, header, payload);
  }
  void onPeerUp(link::Peer peer) override { session_->onPeerUp(peer); }
  void onPeerDown(link::Peer peer, const std::string& why) override {
    session_->onPeerDown(peer, why);
  }
  void onRoom(link::Peer peer) override { session_->onRoom(peer); }
  void onSuspected(link::Peer peer, const std::string& why) override {
    session_->onSuspected(peer, why);
  }
  void onProgress(const std::string& json) override { job_->progress_.push_back(json); }
  void onEnd(ExitCode code, const std::string& reason) override {
    job_->ends_[slot_] = {code, reason};
  }

  server::Session& session() { return *session_; }

 private:
  static void checkAlive(BytesView payload) {
    float value = 0;
    std::memcpy(&value, payload.data(), sizeof(value));
    if (value == kOverwritten) throw std::logic_error("a contribution was read too late");
  }

  SimJob* job_;
  Slot slot_;
  std::unique_ptr<server::Session> session_;
};

SimJob::SimJob(const SimOptions& options)
    : options_(options), network_(options.seed), plan_(planOf(options, options.vocabulary)) {
  for (int i = 0; i < options.servers; ++i) {
    servers_.push_back(std::make_unique<ServerProcess>(*this, i));
    network_.after(network_.between(0, 100'000), [this, i] {
      network_.listen({Role::kServer, i});
      servers_[static_cast<std::size_t>(i)]->session().start(network_.now());
      tick({Role::kServer, i});
    });
  }
  for (int i = 0; i < options.workers; ++i) {
    workers_.push_back(std::make_unique<WorkerProcess>(*this, i));
    network_.after(network_.between(0, 100'000), [this, i] {
      network_.listen({Role::kWorker, i});
      workers_[static_cast<std::size_t>(i)]->session().start(network_.now());
      tick({Role::kWorker, i});
    });
  }
  network_.harm(options.faults);
  if (options.break_every_us) breakSometimes();
}

SimJob::~SimJob() = default;

worker::Session& SimJob::worker(int index) {
  return workers_.at(static_cast<std::size_t>(index))->session();
}

server::Session& SimJob::server(int index) {
  return servers_.at(static_cast<std::size_t>(index))->session();
}

const std::vector<float>& SimJob::weights(int worker) const {
  return workers_.at(static_cast<std::size_t>(worker))->weights();
}

Step SimJob::lastStep(int worker) const {
  return workers_.at(static_cast<std::size_t>(worker))->done();
}

void SimJob::tick(Slot slot) {
  if (network_.isDead(slot) || ends_.contains(slot)) return;
  if (!network_.isAsleep(slot)) beat(slot);
  network_.after(network_.between(18'000, 22'000), [this, slot] { tick(slot); });
}

void SimJob::beat(Slot slot) {
  network_.tick(slot);
  if (slot.role == Role::kWorker) {
    worker(slot.index).onTick(network_.now());
  } else {
    server(slot.index).onTick(network_.now());
  }
}

void SimJob::breakSometimes() {
  const std::int64_t mean = *options_.break_every_us;
  network_.after(network_.between(1, 2 * mean), [this] {
    network_.breakOne(std::chrono::milliseconds(60), options_.break_lane);
    breakSometimes();
  });
}

void SimJob::run() {
  const TimePoint deadline = network_.now() + std::chrono::minutes(2);
  const auto allEnded = [&] {
    for (int i = 0; i < options_.workers; ++i) {
      const Slot slot{Role::kWorker, i};
      if (!ends_.contains(slot) && !network_.isDead(slot)) return false;
    }
    for (int i = 0; i < options_.servers; ++i) {
      const Slot slot{Role::kServer, i};
      if (!ends_.contains(slot) && !network_.isDead(slot)) return false;
    }
    return true;
  };
  while (!allEnded() && network_.now() < deadline && network_.runNext()) {
  }
}

}  // namespace sumac
