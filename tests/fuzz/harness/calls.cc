#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/core/check.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/script.h"

#include "libsumac/sumac.h"

namespace sumac::fuzz {
namespace {

constexpr int kMostCalls = 300;
constexpr std::size_t kMostValues = 9;
constexpr std::int64_t kHuge = std::int64_t{1} << 41U;

/// One of a few values.
template <typename Value, std::size_t kCount>
Value oneOf(Script& script, const std::array<Value, kCount>& values) {
  return values[script.next(kCount)];
}

/// Any program that calls libsumac, alone: sometimes what its turn asks for, else anything. Knows
/// as much of its member as sumac.h promises.
class Program {
 public:
  explicit Program(Script& script) : script_(script) {}
  ~Program() { sumac_close(member_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void call() {
    constexpr unsigned kKinds = 26;
    switch (script_.next(kKinds)) {
      case 0: return open();
      case 1: return declare();
      case 2: return askJob();
      case 3: return askSamples();
      case 4: return keepAnything();
      case 5: return next();
      case 6: return addAnything();
      case 7: return addPieces();
      case 8: return tellMetrics();
      case 9: return fail();
      case 10: return check(sumac_leave(member_), "leave");
      case 11: return look();
      case 12: return answer();
      default: return is_declared_ ? answer() : begin();
    }
  }

 private:
  /// What holds after each call.
  void check(int code, const char* what) {
    SUMAC_CHECK(SUMAC_OK <= code && code <= SUMAC_MISUSE && code != SUMAC_FORKED, what, code);
    if (member_ == nullptr) {
      SUMAC_CHECK(code == SUMAC_MISUSE, what, code);
      return;
    }
    const int exit_code = sumac_exit_code(member_);
    if (code == SUMAC_MISUSE || code == SUMAC_ENDED)
      SUMAC_CHECK(*sumac_reason(member_) != '\0' || exit_code == 0, what, code);
    if (code == SUMAC_ENDED) SUMAC_CHECK(exit_code >= 0, what);
    SUMAC_CHECK(exit_code_ < 0 || exit_code == exit_code_, what, exit_code, exit_code_);
    if (code == SUMAC_MISUSE) SUMAC_CHECK(exit_code == exit_code_, what, exit_code);
    exit_code_ = exit_code;
  }

  std::size_t sizeOf(std::size_t known) {
    constexpr unsigned kKinds = 8;
    switch (script_.next(kKinds)) {
      case 0: return 0;
      case 1: return known - 1;
      case 2: return std::numeric_limits<std::size_t>::max();
      default: return known;
    }
  }
  std::int64_t number() {
    return oneOf(script_, std::array<std::int64_t, 9>{0, 1, 2, 3, 4, 8, -1, kHuge,
                                                      std::numeric_limits<std::int64_t>::min()});
  }

  void openWith(const sumac_options* options) {
    sumac_close(member_);
    member_ = nullptr;
    exit_code_ = -1;
    is_declared_ = false;
    turn_ = {};
    const int code = sumac_open(options, &member_);
    SUMAC_CHECK((code == SUMAC_MISUSE) == (member_ == nullptr), code);
    check(code, "open");
  }

  void open() {
    sumac_options options{};
    options.size = sizeOf(sizeof(options));
    options.batch_size = number();
    options.parts = static_cast<std::int32_t>(number());
    options.steps = number();
    options.epochs = script_.next(2) == 0 ? 0 : number();
    options.checkpoint_steps = script_.next(4) == 0 ? number() : 0;
    if (script_.next(8) == 0) options.output = "/dev/null/no folder";
    openWith(&options);
  }

  /// A member that may train.
  void begin() {
    if (member_ == nullptr) {
      sumac_options options{};
      options.size = sizeof(options);
      options.batch_size = 8;
      options.parts = static_cast<std::int32_t>(1 + script_.next(8));
      options.steps = 3;
      openWith(&options);
    }
    sumac_declaration declaration{};
    declaration.size = sizeof(declaration);
    declaration.values = 1 + script_.next(kMostValues);
    declaration.samples = 24;
    declareWith(declaration);
    keep(0);
  }

  void declare() {
    const BytesView bytes = script_.bytes();
    std::string lines(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    sumac_declaration declaration{};
    declaration.size = sizeOf(sizeof(declaration));
    // Its memory is the library's: not as much as a program may have.
    declaration.values =
        oneOf(script_, std::array<std::int64_t, 6>{0, 1, 5, kMostValues, -1, kHuge});
    declaration.samples = number();
    declaration.lines = lines.empty() ? nullptr : lines.c_str();
    declareWith(declaration);
  }

  void declareWith(const sumac_declaration& declaration) {
    const int code = sumac_declare(member_, &declaration);
    check(code, "declare");
    if (code == SUMAC_OK) {
      SUMAC_CHECK(!is_declared_);
      is_declared_ = true;
      values_ = static_cast<std::size_t>(declaration.values);
    }
  }

  void askJob() {
    sumac_job job{};
    job.size = sizeOf(sizeof(job));
    check(sumac_job_is(member_, &job), "job_is");
  }

  void askSamples() {
    std::array<std::int64_t, 8> samples{};
    std::size_t count = 0;
    const std::size_t room = script_.next(9);
    const int code = sumac_samples(member_, number(), static_cast<std::int32_t>(number()),
                                   room == 0 ? nullptr : samples.data(), room, &count);
    check(code, "samples");
  }

  /// The right state of a step.
  void keep(std::int64_t step) {
    const std::array<std::int64_t, 1> shape{4};
    std::array<sumac_tensor, 2> tensors{};
    for (sumac_tensor& tensor : tensors)
      tensor = {sizeof(tensor), "w", "F32", shape.data(), memory_.data(), 1, SUMAC_MODEL};
    tensors[1].name = "other";
    tensors[1].role = SUMAC_OTHER;
    const sumac_state state{sizeof(state), step, tensors.data(), 1 + script_.next(2), nullptr};
    check(sumac_state_is(member_, &state), "state_is");
  }

  void keepAnything() {
    using Text = const char*;
    std::array<std::int64_t, 17> shape{};
    for (std::size_t i = 0; i < 3; ++i)
      shape.at(i) = oneOf(script_, std::array<std::int64_t, 6>{1, 2, 3, 0, -1, kHuge});
    std::vector<sumac_tensor> tensors(script_.next(4));
    for (sumac_tensor& tensor : tensors) {
      tensor.size = sizeOf(sizeof(tensor));
      tensor.name = oneOf(script_, std::array<Text, 6>{"a", "b", "c", "", "\xff", nullptr});
      tensor.dtype =
          oneOf(script_, std::array<Text, 6>{"F32", "I64", "BOOL", "BF16", "C", nullptr});
      tensor.shape = script_.next(8) == 0 ? nullptr : shape.data();
      tensor.data = script_.next(8) == 0 ? nullptr : memory_.data();
      tensor.rank = oneOf(script_, std::array<std::int32_t, 6>{0, 1, 2, 3, -1, 17});
      tensor.role = oneOf(script_, std::array<std::int32_t, 4>{0, 1, 2, -1});
    }
    sumac_state state{};
    state.size = sizeOf(sizeof(state));
    state.step = script_.next(2) == 0 ? turn_.step : number();
    state.tensors = tensors.empty() ? nullptr : tensors.data();
    state.count = script_.next(8) == 0 ? std::size_t{1} << 20U : tensors.size();
    state.text = oneOf(script_, std::array<Text, 5>{nullptr, "{}", "[1, 2]", "{", "\xc3"});
    if (state.count > tensors.size() && !tensors.empty()) state.tensors = nullptr;
    check(sumac_state_is(member_, &state), "state_is");
  }

  void next() {
    sumac_turn turn{};
    turn.size = sizeOf(sizeof(turn));
    const int code = sumac_next(member_, static_cast<int>(script_.next(3)) - 1, &turn);
    check(code, "next");
    if (code != SUMAC_OK) return;
    turn_ = turn;
    part_ = turn.first;
    if (turn.task != SUMAC_UPDATE) return;
    for (std::size_t i = 0; i < values_; ++i)
      SUMAC_CHECK(std::isfinite(turn.sum[i]), i);
  }

  void addAnything() {
    constexpr std::array<float, 3> kSpecial{std::numeric_limits<float>::quiet_NaN(),
                                            std::numeric_limits<float>::infinity(), 3e38F};
    std::array<float, kMostValues> values{};
    if (script_.next(8) == 0) values[0] = oneOf(script_, kSpecial);
    const std::int64_t step = script_.next(2) == 0 ? number() : turn_.step;
    const auto part = static_cast<std::int32_t>(script_.next(2) == 0 ? number() : part_);
    const bool is_right = turn_.task == SUMAC_COMPUTE && step == turn_.step && part == part_;
    const float* const given = script_.next(8) == 0 ? nullptr : values.data();
    took(sumac_add(member_, step, part, given, 1), is_right && given != nullptr);
  }

  void addPieces() {
    const std::array<float, kMostValues> values{};
    std::array<const float*, 3> addresses{};
    std::array<std::int64_t, 3> counts{};
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      addresses.at(i) = script_.next(3) == 0 ? nullptr : values.data();
      counts.at(i) = number();
    }
    sumac_pieces pieces{};
    pieces.size = sizeOf(sizeof(pieces));
    pieces.count = script_.next(8) == 0 ? std::size_t{1} << 17U : script_.next(4);
    pieces.values = script_.next(8) == 0 ? nullptr : addresses.data();
    pieces.counts = script_.next(8) == 0 ? nullptr : counts.data();
    took(sumac_add_pieces(member_, turn_.step, part_, &pieces, 1), turn_.task == SUMAC_COMPUTE);
  }

  /// `may`: whether the part may have been added.
  void took(int code, bool may) {
    check(code, "add");
    if (code != SUMAC_OK) return;
    SUMAC_CHECK(may && part_ < turn_.first + turn_.count, part_);
    ++part_;
  }

  void tellMetrics() {
    sumac_metric metric{};
    metric.size = sizeOf(sizeof(metric));
    metric.test_accuracy = oneOf(script_, std::array<double, 4>{0, 1, 2, -1});
    metric.test_loss = std::numeric_limits<double>::quiet_NaN();
    check(sumac_metrics(member_, &metric), "metrics");
  }

  void fail() {
    const BytesView bytes = script_.bytes();
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const int code = oneOf(script_, std::array<int, 4>{1, 74, 0, -1});
    const int answered = sumac_fail(member_, code, script_.next(8) == 0 ? nullptr : text.c_str());
    check(answered, "fail");
    SUMAC_CHECK(answered == SUMAC_ENDED || answered == SUMAC_MISUSE, answered);
  }

  void look() {
    SUMAC_CHECK(sumac_reason(member_) != nullptr);
    SUMAC_CHECK(sumac_version() == SUMAC_VERSION);
    SUMAC_CHECK(sumac_bad_value(member_) <= static_cast<std::int64_t>(values_));
    if (script_.next(8) != 0) return;
    sumac_close(member_);
    member_ = nullptr;
    exit_code_ = -1;
    is_declared_ = false;
    turn_ = {};
  }

  /// What the turn asks for, and the next one.
  void answer() {
    if (turn_.task == SUMAC_COMPUTE) {
      const std::array<float, kMostValues> values{1, 2, 3};
      while (part_ < turn_.first + turn_.count) {
        const int code = sumac_add(member_, turn_.step, part_, values.data(), 1);
        took(code, true);
        if (code != SUMAC_OK) break;
      }
    } else if (turn_.task == SUMAC_UPDATE || turn_.task == SUMAC_LOAD) {
      keep(turn_.step);
    }
    next();
  }

  Script& script_;
  sumac_member* member_ = nullptr;
  int exit_code_ = -1;
  bool is_declared_ = false;
  std::size_t values_ = 0;
  sumac_turn turn_{};
  std::int32_t part_ = 0;
  std::array<std::byte, 1024> memory_{};  // of every tensor that is small enough to be kept
};

}  // namespace

void calls(BytesView input) {
  Script script(input);
  Program program(script);
  for (int i = 0; i < kMostCalls && !script.isOver(); ++i)
    program.call();
}

}  // namespace sumac::fuzz
