#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "base/core/units.h"
#include "planner/report/sentences.h"

namespace sumac::planner {
namespace {

struct NoteWords {
  NoteKind kind;
  bool is_warning;  // who reads only a few lines needs it
  std::string_view text;
};

// Warnings by what they cost who does not read them: a terminal shows the first.
constexpr NoteWords kNotes[] = {
    {NoteKind::kWrittenUnpredicted, true,
     "The job as written is not compared, since it has no prediction: {written}."},
    {NoteKind::kMoreParts, true,
     "V rises from {amount} to {other}, since each worker needs a part: the bits of the result "
     "change."},
    {NoteKind::kRing, true,
     "The exchange ring adds in another order for each number of workers: the bits of the result "
     "depend on it."},
    {NoteKind::kRounding, true,
     "The codec {codec} rounds the gradients in messages: compare the accuracy of a short run."},
    {NoteKind::kOtherMiniBatch, true,
     "Another mini-batch wants another learning rate; steps are by the noise scale, which holds "
     "near where it was estimated."},
    {NoteKind::kResultWithoutJob, true,
     "No job.yaml lies beside {text}: its noise scale counts only where layers, data and optimizer "
     "are those of this job."},
    {NoteKind::kSetThreads, true,
     "A worker is faster with {threads} than with the {other} that it would take by itself: set "
     "training.threads: {amount}."},
    {NoteKind::kUnprofiledLimit, true,
     "The job's limits.cpu is {amount}, and the profile has no times of so many threads: measure "
     "again with sumac profile --threads {whole}."},
    {NoteKind::kSlowLimit, true,
     "The job's limits.cpu gives a worker {amount} cores: steps are predicted for a whole one, and "
     "will take longer."},
    {NoteKind::kFewWorkers, true,
     "The memory limit of {limit} fits from {workers} on: with {fewer} one needs at least {bytes}. "
     "When so few are left, they wait for others."},
    {NoteKind::kLoopbackLinks, true,
     "Links and their latency are those of 127.0.0.1, and slower between machines: give --link and "
     "--latency, or a machine type that has them."},
    {NoteKind::kLoopbackRate, true,
     "Links are those of 127.0.0.1, and slower between machines: give --link, or a machine type "
     "that has it."},
    {NoteKind::kLoopbackLatency, true,
     "The latency of links is that of 127.0.0.1, and longer between machines: give --latency, or a "
     "machine type that has it."},
    {NoteKind::kLinkOfOneMachine, true,
     "--link with --machine here: members on one machine have no such link unless one is emulated, "
     "as experiments do; without --link they exchange as measured."},
    {NoteKind::kAbovePeak, true,
     "The profile's forward passes reach {operations}, above the peak of {type}, {peak}: steps "
     "take longer there than predicted."},
    {NoteKind::kDisturbed, true, "The profile was disturbed, at {text}."},
    {NoteKind::kIdleThreads, true, "By the profile {text}."},
    {NoteKind::kSameSpeed, true,
     "The job has {amount} workers, which are as fast as {other}: with both, the busiest one "
     "computes as many parts of a mini-batch."},
    {NoteKind::kSizesItself, true,
     "The job sizes itself: only {amount} to {other} workers are compared. Of these {text} differ "
     "in speed, and it chooses from them; one configuration stands for the whole run here."},
    {NoteKind::kStepsAlone, false,
     "Times and costs are of the steps alone: starting, loading data, evaluations, checkpoints and "
     "restarts come on top."},
    {NoteKind::kComputingAsProfiled, false,
     "Compute is as profiled on {host} ({cpu}): nothing is assumed of how fast {type} computes. "
     "Profile the job there to know."},
    {NoteKind::kOneMiniBatch, false,
     "Only the job's own mini-batch is compared. How many steps another one takes is not known: "
     "train for some steps with training.noiseScale: true, then give that run's result.json with "
     "--result."},
    {NoteKind::kNoMemory, false, "No memory of a member is given, so none is compared."},
    {NoteKind::kIdleCores, false,
     "A worker computes with {threads} on a machine of {other} cores{price}: take smaller "
     "machines."},
    {NoteKind::kUnprofiledCores, false,
     "A worker computes with {threads} on a machine of {other} cores{price}: profile with more "
     "--threads, or take smaller machines."},
    {NoteKind::kLinkBeyondCores, false,
     "Links of {link} are faster than messages over 127.0.0.1, {measured}: the processors limit "
     "them."}};

const NoteWords& wordsOf(NoteKind kind) {
  return *std::ranges::find(kNotes, kind, &NoteWords::kind);
}

struct FigureWords {
  FigureName name;
  std::string_view text;
  std::string (*value)(double);
  std::string_view source = "";  // where somebody else did not name one
};

constexpr std::string_view kProfile = "sumac profile on {host}, {cpu}";
constexpr std::string_view kFitted = "sumac profile on {host}, {cpu}, over 127.0.0.1, fitted";

constexpr FigureWords kFigures[] = {
    {FigureName::kBatchSizes, "compute times",
     [](double count) { return counted(std::llround(count), "batch size"); }, kProfile},
    {FigureName::kSums, "sums of a thread", byteRateText, kProfile},
    {FigureName::kHop, "hop", durationText, kFitted},
    {FigureName::kMessage, "message", durationText, kFitted},
    {FigureName::kExchangeStep, "each step of an exchange", durationText, kFitted},
    {FigureName::kMeasuredLink, "exchange, as measured", linkText, kFitted},
    {FigureName::kFarLink, "exchange, of vectors above 1 MiB", linkText, kFitted},
    {FigureName::kCrowding, "compute in a job",
     [](double share) { return percentText(share) + " longer"; },
     "LeNet-5 on two cores, docs/experiments.md"},
    {FigureName::kExchangeFactor, "bytes in a job",
     [](double factor) { return digitsText(factor) + " times as long"; },
     "an LSTM on two cores, docs/experiments.md"},
    {FigureName::kModelError, "error of the model", percentText,
     "mean of 91 cells, docs/experiments.md#predictions, AMD EPYC, 2 cores"},
    {FigureName::kLink, "link", linkText},
    {FigureName::kLatency, "latency of links", durationText},
    {FigureName::kMemberMemory, "memory of a member", bytesText},
    {FigureName::kWorkerMemory, "memory limit of a worker", bytesText},
    {FigureName::kNoiseScale, "gradient noise scale",
     [](double samples) { return digitsText(samples) + " samples"; }},
    {FigureName::kConvolutions, "costs of convolutions",
     [](double count) { return counted(std::llround(count), "convolution"); }},
    {FigureName::kCores, "cores",
     [](double count) { return counted(std::llround(count), "core"); }},
    {FigureName::kMachineMemory, "memory", bytesText},
    {FigureName::kMachineLink, "link of a machine", linkText},
    {FigureName::kMachineHop, "hop between machines", durationText},
    {FigureName::kPeak, "peak", operationsText},
    {FigureName::kBandwidth, "bandwidth of memory", byteRateText},
    {FigureName::kPrice, "price of a machine", nullptr}};

const FigureWords& wordsOf(FigureName name) {
  return *std::ranges::find(kFigures, name, &FigureWords::name);
}

std::string ratioText(double ratio) {
  const std::string overhead = "Serial overhead R_O = " + percentText(ratio);
  return ratio > 0 ? overhead + ": speedup is at most " + digitsText(1 + 1 / ratio) + "x"
                   : overhead;
}

}  // namespace

std::string whyNot(const Advice& advice, const ScalePoint& point) {
  switch (point.gap) {
    case ScaleGap::kFewSamples:
      return fmt::format("the mini-batch has {}", counted(advice.job_batch, "sample"));
    case ScaleGap::kSmallShares: return "the profile has no share of the mini-batch so small";
    case ScaleGap::kLargeShares: return "the profile has no share of the mini-batch so large";
    case ScaleGap::kNone: break;
  }
  if (!point.best) return {};
  const Configuration& one = advice.configurations.at(*point.best);
  return one.isPossible() ? "" : obstacleText(advice, one.memory, one.obstacles.front());
}

std::string largestBatchText(const SizingAdvice& sizing) {
  if (!sizing.memory_bytes) return {};
  const std::string memory = bytesText(*sizing.memory_bytes);
  if (!sizing.largest_batch) return fmt::format("no sample fits beside the weights in {}", memory);
  return fmt::format("{}{} in {}, if one worker computed its share at once",
                     counted(*sizing.largest_batch, "sample"),
                     sizing.words > 0 ? " of " + counted(sizing.words, "word") : "", memory);
}

std::string serversText(const SizingAdvice& sizing) {
  if (!sizing.has_exchange) return {};
  const std::string passes = durationText(sizing.pass_seconds);
  if (!sizing.servers) return "no number hides the exchange behind " + passes + " of passes";
  return fmt::format("{} would hide the exchange of {} behind {} of passes, at {}{}",
                     counted(*sizing.servers, "server"), counted(sizing.workers, "worker"), passes,
                     linkText(sizing.link_bytes_per_second),
                     *sizing.servers > sizing.workers
                         ? ": more than there are workers, so the exchange bounds the job"
                         : "");
}

std::string workersText(const SizingAdvice& sizing) {
  if (sizing.workers == 1)
    return sizing.overhead_ratio ? ratioText(*sizing.overhead_ratio) + ", before communication"
                                 : "";
  if (!sizing.speedup) return "no step of one worker is predicted, so R_O is not known";
  const std::string times =
      fmt::format("{} are predicted to be {} times as fast as one",
                  counted(sizing.workers, "worker"), digitsText(*sizing.speedup));
  if (*sizing.speedup <= 1) return times + ": more cannot help";
  if (!sizing.overhead_ratio) return times + ", more than the rule allows";
  return times + ". " + ratioText(*sizing.overhead_ratio);
}

std::string convolutionsText(const ConvolutionAdvice& advice) {
  const Choice& choice = advice.choice;
  const std::string all =
      fmt::format("All take {} and {} of the {} that they may have; ", durationText(choice.seconds),
                  bytesText(choice.workspace_bytes), bytesText(advice.bound_bytes));
  if (choice.is_optimal) return all + "no other choice is faster.";
  return fmt::format("{}no choice takes less than {}, and the search ended before it knew more.",
                     all, durationText(choice.seconds_lower_bound));
}

std::string noteText(const Advice& advice, const Note& note) {
  using fmt::arg;
  const auto whole = std::max<std::int64_t>(1, static_cast<std::int64_t>(note.amount));
  const auto written = std::ranges::find(advice.unpredicted, true, &Unpredicted::has_written);
  return fmt::format(
      fmt::runtime(wordsOf(note.kind).text), arg("text", note.text),
      arg("amount", digitsText(note.amount)), arg("other", digitsText(note.other)),
      arg("whole", whole), arg("threads", counted(whole, "thread")),
      arg("workers", counted(whole, "worker")), arg("fewer", whole - 1),
      arg("limit", bytesText(note.limit)), arg("bytes", bytesText(note.other)),
      arg("operations", operationsText(note.amount)), arg("peak", operationsText(note.other)),
      arg("link", linkText(note.amount)), arg("measured", linkText(note.other)),
      arg("host", advice.place.host), arg("cpu", advice.place.cpu),
      arg("type", advice.place.machine_type),
      arg("written",
          written == advice.unpredicted.end() ? std::string() : unpredictedText(*written)),
      arg("price", advice.price_per_hour ? ", and the price is of all of them" : ""),
      arg("codec",
          advice.recommended ? toString(advice.taken().choice.codec) : std::string_view()));
}

std::optional<std::ptrdiff_t> warningRank(NoteKind kind) {
  const NoteWords& words = wordsOf(kind);
  return words.is_warning ? std::optional(&words - std::begin(kNotes)) : std::nullopt;
}

std::string figureText(FigureName name) {
  return std::string(wordsOf(name).text);
}

std::string valueText(const Advice& advice, const NamedFigure& figure) {
  const double value = figure.figure.value;
  const FigureWords& words = wordsOf(figure.name);
  const bool is_rate = words.value == linkText || words.value == byteRateText;
  std::string text = words.value == nullptr  ? givenMoneyText(value, advice.currency) + " an hour"
                     : is_rate && value <= 0 ? "not limited"
                                             : words.value(value);
  if (figure.name == FigureName::kPeak)
    text += "; passes as profiled reach " + operationsText(advice.profiled_operations);
  return text + (figure.is_used ? "" : ", not used");
}

std::string sourceText(const Advice& advice, const NamedFigure& named) {
  if (!named.figure.source.empty()) return named.figure.source;
  if (named.name == FigureName::kSums && named.figure.origin == FigureOrigin::kGiven)
    return "Sumac's default; the profile has none";
  return fmt::format(fmt::runtime(wordsOf(named.name).source), fmt::arg("host", advice.place.host),
                     fmt::arg("cpu", advice.place.cpu));
}

std::string unpredictedText(const Unpredicted& group) {
  if (!group.same_as) return notProfiledText(group.share);
  return fmt::format(
      "messages are as long with {}, which is compared, and what converting takes is in no "
      "profile: the times would be the same. fp16 has 11 significant bits, bf16 8; fp16 limits "
      "values to 65504",
      toString(*group.same_as));
}

}  // namespace sumac::planner
