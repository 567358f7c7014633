#include "cli/completion/complete.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "job/model/network.h"

namespace sumac::cli {
namespace {

bool isFile(const std::string& type) {
  return type == "FILE" || type == "DIR";
}

/// The words of "FORM:{table,json}"; none for a type without choices.
std::vector<std::string> choicesIn(const std::string& type) {
  std::vector<std::string> choices;
  const auto begin = type.find('{');
  const auto end = type.find('}', begin == type.npos ? 0 : begin);
  if (begin == type.npos || end == type.npos) return choices;
  for (std::size_t at = begin + 1; at < end;) {
    const auto comma = std::min(type.find(',', at), end);
    choices.push_back(type.substr(at, comma - at));
    at = comma + 1;
  }
  return choices;
}

bool takesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// An option of `sumac data`, whose commands sumac-worker parses; a test compares them with its
/// help.
struct DataOption {
  const char* command;
  const char* name;
  const char* type;  // empty: a flag
};

constexpr const char* kFormatsToRead = "FORMAT:{idx,cifar10,cifar100,folder,csv,npy,packed,text}";
constexpr const char* kFormatsToWrite = "FORMAT:{idx,cifar10,folder,csv,text}";
constexpr DataOption kDataOptions[] = {{"info", "--set", "PATH=VALUE"},
                                       {"info", "--format", kFormatsToRead},
                                       {"info", "--path", "DIR"},
                                       {"info", "--label", "COLUMN"},
                                       {"info", "--resize", "HxW"},
                                       {"info", "--channels", "N:{1,3}"},
                                       {"info", "--data-dir", "DIR"},
                                       {"info", "-o,--output", "FORM:{table,json}"},
                                       {"pack", "--format", kFormatsToRead},
                                       {"pack", "--label", "COLUMN"},
                                       {"pack", "--resize", "HxW"},
                                       {"pack", "--channels", "N:{1,3}"},
                                       {"generate", "--format", kFormatsToWrite},
                                       {"generate", "--output-dir", "DIR"},
                                       {"generate", "--samples", "N"},
                                       {"generate", "--test-samples", "N"},
                                       {"generate", "--shape", "CxRxC"},
                                       {"generate", "--classes", "N"},
                                       {"generate", "--gzip", ""},
                                       {"generate", "--tokens", "N"},
                                       {"generate", "--test-tokens", "N"},
                                       {"generate", "--vocabulary", "N"},
                                       {"generate", "--seed", "N"}};

/// Adds the commands of `sumac data`.
void addDataCommands(CLI::App& data) {
  data.add_subcommand("info", "")->add_option("FILE")->type_name("FILE");
  CLI::App* const pack = data.add_subcommand("pack", "");
  pack->add_option("DIR")->type_name("DIR");
  pack->add_option("FILE")->type_name("FILE");
  data.add_subcommand("generate", "");
  for (const DataOption& option : kDataOptions) {
    CLI::App* const command = data.get_subcommand(option.command);
    if (*option.type == '\0') {
      command->add_flag(option.name);
    } else {
      command->add_option(option.name)->type_name(option.type);
    }
  }
}

/// Reads a command line word by word, descending into the commands of an App.
class Walk {
 public:
  explicit Walk(const CLI::App& app) : app_(&app) { addDataCommands(data_); }

  void take(const std::string& word) {
    if (waiting_ != nullptr) {
      give(*std::exchange(waiting_, nullptr), word);
    } else if (only_arguments_ || !word.starts_with('-') || word == "-") {
      takeArgument(word);
    } else if (word == "--") {
      only_arguments_ = true;
    } else {
      takeOption(word);
    }
  }

  Completion complete(const std::string& word, const ListJobs& list_jobs) const {
    if (waiting_ != nullptr) return ofValue(*waiting_, word, "");
    // The words of the user's program: which options it has, we do not know.
    if (only_arguments_ && app_->get_name() == "run") return {.words = {}, .has_files = true};
    const auto equals = word.find('=');
    if (!only_arguments_ && word.starts_with("--") && equals != word.npos) {
      const CLI::Option* const option = find(word.substr(0, equals));
      if (option == nullptr) return {};
      return ofValue(*option, word.substr(equals + 1), word.substr(0, equals + 1));
    }
    if (!only_arguments_ && word.starts_with('-')) return ofOptions(word);
    Completion completion = ofArgument(word, list_jobs);
    for (const CLI::App* command : app_->get_subcommands([](const CLI::App*) { return true; })) {
      const bool is_shown = !command->get_group().empty() && arguments_ == 0;
      if (is_shown && command->get_name().starts_with(word)) {
        completion.words.push_back(command->get_name());
      }
    }
    return completion;
  }

 private:
  void give(const CLI::Option& option, const std::string& value) {
    const auto& names = option.get_lnames();
    if (!names.empty()) given_[names.front()] = value;
  }

  void takeArgument(const std::string& word) {
    const auto is_named = [&word](const CLI::App* command) { return command->get_name() == word; };
    auto commands = app_->get_subcommands(is_named);
    if (commands.empty() && app_->get_prefix_command()) commands = commandsOfData(is_named);
    if (arguments_ == 0 && !commands.empty()) {
      app_ = commands.front();
    } else {
      ++arguments_;
    }
  }

  void takeOption(const std::string& word) {
    if (!word.starts_with("--")) return takeShortOptions(word);
    const auto equals = word.find('=');
    const CLI::Option* const option = find(word.substr(0, equals));
    if (option == nullptr) return;
    if (equals != word.npos) {
      give(*option, word.substr(equals + 1));
    } else if (takesValue(*option)) {
      waiting_ = option;
    } else {
      give(*option, "");
    }
  }

  /// As CLI11 reads "-wnNAME": flags, then at most one option with a value. What follows its letter
  /// is the value; if nothing does, the value is the next word.
  void takeShortOptions(const std::string& word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      const CLI::Option* const option = find({'-', word[at]});
      if (option == nullptr) return;
      if (!takesValue(*option)) {
        give(*option, "");
      } else if (at + 1 < word.size()) {
        return give(*option, word.substr(at + 1));
      } else {
        waiting_ = option;
      }
    }
  }

  /// The option of this command that is called `name`: "--namespace" or "-n".
  const CLI::Option* find(const std::string& name) const {
    const auto options = app_->get_options([&name](const CLI::Option* option) {
      const auto has = [](const std::vector<std::string>& names, const std::string& wanted) {
        return std::find(names.begin(), names.end(), wanted) != names.end();
      };
      return name.starts_with("--") ? has(option->get_lnames(), name.substr(2))
                                    : has(option->get_snames(), name.substr(1));
    });
    return options.empty() ? nullptr : options.front();
  }

  /// Completes an option's value; `before` is the part of the same word that precedes it.
  static Completion ofValue(const CLI::Option& option, const std::string& word,
                            const std::string& before) {
    Completion completion;
    const std::string type = option.get_type_name();
    completion.has_files = isFile(type.substr(0, type.find(':')));
    for (const std::string& choice : choicesIn(type)) {
      if (choice.starts_with(word)) completion.words.push_back(before + choice);
    }
    return completion;
  }

  Completion ofOptions(const std::string& word) const {
    Completion completion;
    for (const CLI::Option* option : app_->get_options({})) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) {
        if (("--" + name).starts_with(word)) completion.words.push_back("--" + name);
      }
    }
    return completion;
  }

  Completion ofArgument(const std::string& word, const ListJobs& list_jobs) const {
    if (app_->get_prefix_command()) return ofData(word);
    int place = arguments_;
    for (const CLI::Option* option : app_->get_options({})) {
      if (!option->get_positional()) continue;
      place -= option->get_items_expected_max();
      if (place >= 0) continue;
      const std::string name = option->get_name(/*positional=*/true);
      if (!name.starts_with("JOB")) {
        Completion completion = ofValue(*option, word, "");
        completion.has_files = completion.has_files || isFile(name) || name == "MODEL";
        if (name == "MODEL") addMatches(model::zooNames(), word, completion);
        return completion;
      }
      Completion completion;
      addMatches(list_jobs(given_), word, completion);
      completion.has_files = name.ends_with("RUN");
      return completion;
    }
    return {};
  }

  static void addMatches(const std::vector<std::string>& names, const std::string& word,
                         Completion& completion) {
    for (const std::string& name : names) {
      if (name.starts_with(word)) completion.words.push_back(name);
    }
  }

  /// `sumac data` passes the rest of the line to sumac-worker.
  Completion ofData(const std::string& word) const {
    Completion completion;
    if (arguments_ == 0) addMatches({"info", "generate"}, word, completion);
    return completion;
  }

  template <typename Filter>
  std::vector<const CLI::App*> commandsOfData(const Filter& filter) const {
    return data_.get_subcommands(filter);
  }

  CLI::App data_;  // the commands of `sumac data`
  const CLI::App* app_;
  const CLI::Option* waiting_ = nullptr;  // whose value comes next
  bool only_arguments_ = false;           // after "--"
  int arguments_ = 0;                     // of app_, so far
  GivenOptions given_;
};

}  // namespace

std::string Completion::text() const {
  std::string text;
  for (const std::string& word : words)
    text += word + "\n";
  return text + (has_files ? ":0\n" : ":4\n");
}

Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const ListJobs& list_jobs) {
  Walk walk(app);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    walk.take(words[i]);
  return walk.complete(words.empty() ? std::string() : words.back(), list_jobs);
}

}  // namespace sumac::cli
