#include "bench/limits/bare_link.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <unistd.h>

#include "exchange/plan/exchange_plan.h"
#include "exchange/wire/header.h"
#include "kernels/kernels.h"

namespace sumac::bench {
namespace {

constexpr int kPatience = 60'000;  // ms: who waits longer has lost the others

/// The header's place: what is in it does not matter here.
struct BareHeader {
  std::uint32_t run = 0;
  std::uint32_t step = 0;
  std::array<char, wire::kHeaderSize - 8> rest{};
};
static_assert(sizeof(BareHeader) == wire::kHeaderSize);

void keep(void* /*data*/, void* /*hint*/) {}

zmq::message_t viewOf(const float* values, std::int64_t count) {
  // ZeroMQ never writes to it, whatever its type says.
  return zmq::message_t(const_cast<float*>(values), static_cast<std::size_t>(count) * sizeof(float),
                        keep);
}

void setBareOptions(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::sndhwm, 0);
  socket.set(zmq::sockopt::rcvhwm, 0);
  socket.set(zmq::sockopt::rcvtimeo, kPatience);
  socket.set(zmq::sockopt::sndtimeo, kPatience);
}

void take(zmq::socket_t& socket, zmq::message_t& message) {
  if (!socket.recv(message)) throw std::runtime_error("no message came in time");
}

BareHeader headerFrom(const zmq::message_t& frame) {
  if (frame.size() != sizeof(BareHeader)) throw std::runtime_error("a frame is no header");
  BareHeader header;
  std::memcpy(&header, frame.data(), sizeof header);
  return header;
}

/// The server: the sums of a step, and who is to get them.
class Server {
 public:
  Server(const BareRuns& runs, int workers)
      : runs_(runs),
        workers_(static_cast<std::size_t>(workers)),
        kernels_(load()),
        come_(runs.size()) {
    for (auto& values : values_)
      values.resize(static_cast<std::size_t>(runs.back().first + runs.back().count));
    setBareOptions(socket_);
  }

  zmq::socket_t& socket() { return socket_; }

  /// Takes one frame, and answers all workers with the run's sum when it is the last one. Nothing
  /// is copied: the first frame of a run waits as it is, and is the sum where it stays the only
  /// one.
  void takeFrame() {
    zmq::message_t id;
    zmq::message_t head;
    zmq::message_t payload;
    take(socket_, id);
    take(socket_, head);
    take(socket_, payload);
    const BareHeader header = headerFrom(head);
    const RangeRun& run = runs_.at(header.run);
    if (payload.size() != static_cast<std::size_t>(run.count) * sizeof(float))
      throw std::runtime_error("a frame has no sums");
    remember(id);
    Come& come = come_[header.run];
    ++come.frames;
    if (workers_ == 1) {
      come.frames = 0;
      return answer(header, std::move(payload));
    }
    if (come.frames == 1) {
      come.first = std::move(payload);
      return;
    }
    // What is sent of a step may be on its way until all of the next one has come.
    float* const sum = values_[header.step % 2].data() + run.first;
    const auto* const left = come.frames == 2 ? valuesOf(come.first) : sum;
    kernels_->add(sum, left, valuesOf(payload), static_cast<std::size_t>(run.count));
    come.first.rebuild();
    if (come.frames < workers_) return;
    come.frames = 0;
    answer(header, viewOf(sum, run.count));
  }

 private:
  /// What has come of a run in the step that is open.
  struct Come {
    std::size_t frames = 0;
    zmq::message_t first;  // until the second one comes
  };

  static const float* valuesOf(const zmq::message_t& frame) {
    return static_cast<const float*>(frame.data());
  }

  static Kernels load() {
    auto kernels = Kernels::loadBest({});
    if (!kernels) throw std::runtime_error(kernels.error().message);
    return *std::move(kernels);
  }

  void remember(const zmq::message_t& id) {
    const std::string name = id.to_string();
    for (const std::string& known : ids_)
      if (known == name) return;
    ids_.push_back(name);
  }

  /// One payload for all, which ZeroMQ does not copy either.
  void answer(const BareHeader& header, zmq::message_t sum) {
    for (const std::string& id : ids_) {
      zmq::message_t payload;
      payload.copy(sum);
      socket_.send(zmq::buffer(id), zmq::send_flags::sndmore);
      socket_.send(zmq::buffer(&header, sizeof header), zmq::send_flags::sndmore);
      socket_.send(std::move(payload), zmq::send_flags::none);
    }
  }

  const BareRuns& runs_;  // outlives us
  const std::size_t workers_;
  const Kernels kernels_;
  std::array<std::vector<float>, 2> values_;  // for odd and even steps
  std::vector<Come> come_;                    // by run
  std::vector<std::string> ids_;
  // Last: until the context has ended, ZeroMQ sends from values_.
  zmq::context_t context_{1};
  zmq::socket_t socket_{context_, zmq::socket_type::router};
};

}  // namespace

std::string zeroMqVersion() {
  const auto [major, minor, patch] = zmq::version();
  return "ZeroMQ " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

BareRuns bareRuns(std::int64_t values) {
  const ExchangePlan plan = makeExchangePlan({values - 1}, /*parts=*/1);
  std::vector<std::uint32_t> all;
  for (const Range& range : plan.ranges)
    all.push_back(range.id);
  return runsOf(plan, all);
}

BarePlace::BarePlace(const BareOptions& options) : options_(options), owner_(::getpid()) {
  if (::pipe(pipe_.data()) != 0) throw std::runtime_error("cannot make a pipe");
  if (options.is_encrypted && ::zmq_curve_keypair(public_.data(), secret_.data()) != 0)
    throw std::runtime_error("this ZeroMQ has no CURVE");
  if (!options.is_ipc) return;
  std::string pattern = (std::filesystem::temp_directory_path() / "sumac-bare-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
  folder_ = pattern;
}

BarePlace::~BarePlace() {
  std::error_code ignored;
  if (!folder_.empty() && ::getpid() == owner_) std::filesystem::remove_all(folder_, ignored);
}

std::string BarePlace::listenEndpoint() const {
  return options_.is_ipc ? "ipc://" + folder_ + "/server" : "tcp://127.0.0.1:*";
}

void BarePlace::say(const std::string& endpoint) const {
  const auto size = static_cast<ssize_t>(endpoint.size());
  if (::write(pipe_[1], endpoint.data(), endpoint.size()) != size)
    throw std::runtime_error("cannot say where the server listens");
}

std::string BarePlace::awaitEndpoint() const {
  ::close(pipe_[1]);  // so that the server's end is noticed
  std::array<char, 256> text{};
  const ssize_t got = ::read(pipe_[0], text.data(), text.size());
  if (got <= 0) throw std::runtime_error("the server does not listen");
  return {text.data(), static_cast<std::size_t>(got)};
}

BareLink::BareLink(const BarePlace& place, const std::string& endpoint)
    : socket_(context_, zmq::socket_type::dealer) {
  setBareOptions(socket_);
  if (place.options_.is_encrypted) {
    socket_.set(zmq::sockopt::curve_serverkey, place.public_.data());
    socket_.set(zmq::sockopt::curve_publickey, place.public_.data());
    socket_.set(zmq::sockopt::curve_secretkey, place.secret_.data());
  }
  socket_.connect(endpoint);
}

void BareLink::send(std::uint32_t run, std::uint32_t step, const BareRuns& runs,
                    std::span<const float> values) const {
  BareHeader header;
  header.run = run;
  header.step = step;
  const RangeRun& cut = runs.at(run);
  socket_.send(zmq::buffer(&header, sizeof header), zmq::send_flags::sndmore);
  socket_.send(viewOf(values.data() + cut.first, cut.count), zmq::send_flags::none);
}

void BareLink::receiveSum(float expected) const {
  zmq::message_t head;
  zmq::message_t payload;
  take(socket_, head);
  take(socket_, payload);
  const std::size_t count = payload.size() / sizeof(float);
  const auto* const values = static_cast<const float*>(payload.data());
  if (count == 0 || values[0] != expected || values[count - 1] != expected)
    throw std::runtime_error("a sum is wrong");
}

void BareLink::serve(const BarePlace& place, const BareRuns& runs, int workers, int steps) {
  Server server(runs, workers);
  zmq::socket_t& socket = server.socket();
  if (place.options_.is_encrypted) {
    socket.set(zmq::sockopt::curve_server, 1);
    socket.set(zmq::sockopt::curve_secretkey, place.secret_.data());
  }
  socket.bind(place.listenEndpoint());
  place.say(socket.get(zmq::sockopt::last_endpoint));
  const std::size_t frames =
      runs.size() * static_cast<std::size_t>(workers) * static_cast<std::size_t>(steps);
  for (std::size_t i = 0; i < frames; ++i)
    server.takeFrame();
}

}  // namespace sumac::bench
