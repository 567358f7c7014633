#include "experiment/document/event_script.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/yaml/scalar.h"
#include "job/document/rule_tools.h"

namespace sumac::experiment {
namespace {

using job::Field;
using job::Type;

constexpr int kMostEvents = 1'000;
constexpr int kMostEventWorkers = 1'000'000;  // the job has a limit of its own
constexpr std::string_view kVictim = "worker ";
constexpr std::size_t kLongestVictim = kVictim.size() + 6;
constexpr const char* kEventKinds[] = {"room", "slow", "kill"};

bool isVictim(std::string_view text) {
  return text.starts_with(kVictim) && text.size() > kVictim.size() &&
         text.size() <= kLongestVictim &&
         text.find_first_not_of("0123456789", kVictim.size()) == text.npos;
}

Field slowField() {
  return {.name = "slow",
          .text = "Computing takes one worker longer from then on. With compute emulated.",
          .fields = {{.name = "worker",
                      .type = Type::kInteger,
                      .text = "Its index, from 0.",
                      .required = true,
                      .minimum = 0,
                      .maximum = kMostEventWorkers},
                     {.name = "factor",
                      .type = Type::kDecimal,
                      .text = "So many times as long as without the event; 1 ends it.",
                      .required = true,
                      .range = {.at_least = "1", .below = "1e6"}}}};
}

int integerAt(const yaml::Node& node) {
  return static_cast<int>(yaml::integerOf(node).value_or(0));
}

ScriptedEvent eventFrom(const yaml::Node& node) {
  ScriptedEvent event;
  event.seconds = secondsOf(*node.find("at"));
  if (const yaml::Node* const room = node.find("room")) {
    event.workers = integerAt(*room);
    event.position = room->position;
  } else if (const yaml::Node* const slow = node.find("slow")) {
    event.kind = ScriptedEvent::Kind::kSlow;
    event.worker = integerAt(*slow->find("worker"));
    const std::string& factor = slow->find("factor")->text;
    std::from_chars(factor.data(), factor.data() + factor.size(), event.factor);
    event.position = slow->find("worker")->position;
  } else {
    event.kind = ScriptedEvent::Kind::kKill;
    const yaml::Node& kill = *node.find("kill");
    std::from_chars(kill.text.data() + kVictim.size(), kill.text.data() + kill.text.size(),
                    event.worker);
    event.position = kill.position;
  }
  return event;
}

}  // namespace

Field eventsField() {
  return {.name = "events",
          .type = Type::kList,
          .text = "What happens while a job runs: a script of times and events.",
          .max_length = kMostEvents,
          .fields = {
              {.name = "event",
               .text = "At a time, one thing that happens.",
               .rules = {{"", "exactly one of room, slow and kill is needed",
                          [](const yaml::Node& self) {
                            return std::ranges::count_if(kEventKinds, [&self](const char* kind) {
                                     return job::has(self, kind);
                                   }) == 1;
                          }}},
               .fields = {timeField(),
                          {.name = "room",
                           .type = Type::kInteger,
                           .text = "From then on there is room for so many workers in all, as "
                                   "a quota leaves it: those beyond it are lost at once.",
                           .minimum = 1,
                           .maximum = kMostEventWorkers},
                          slowField(),
                          {.name = "kill",
                           .type = Type::kString,
                           .text = "A worker that is lost, by its index: worker 1. It comes back.",
                           .pattern = {"^worker [0-9]{1,6}$", isVictim, "worker 1",
                                       "a worker and its index"}}}}}};
}

std::vector<ScriptedEvent> eventsFrom(const yaml::Node& list, const ReportProblem& report) {
  std::vector<ScriptedEvent> script;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const ScriptedEvent event = eventFrom(list.items[i]);
    if (!script.empty() && event.seconds < script.back().seconds) {
      report(list.items[i].find("at")->position, "spec.events[" + std::to_string(i) + "].at",
             "must not be earlier than the event before");
    }
    script.push_back(event);
  }
  return script;
}

}  // namespace sumac::experiment
