#pragma once

namespace sumac {

/// A flag of one of our programs and the environment variable below it. All texts are literals.
struct Flag {
  const char* name;      // "--job"
  const char* variable;  // "SUMAC_JOB"; the flag wins over it
  const char* type;      // what --help shows for the value: "FILE"
  const char* help;
};

/// Adds `flag` to a CLI::App (a template, so that few files include CLI11). Returns the option.
template <typename App, typename Value>
auto* addFlag(App& app, const Flag& flag, Value& value) {
  return app.add_option(flag.name, value, flag.help)->envname(flag.variable)->type_name(flag.type);
}

}  // namespace sumac
