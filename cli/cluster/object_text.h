#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sumac::cli {

/// How a command prints objects.
enum class Form { kTable, kWide, kName, kJson, kYaml };

/// "trainingjob.sumac.dev/lenet5".
std::string nameText(const std::string& job);

/// One object, or a List of several, without managedFields; ends with a newline. For kJson and
/// kYaml.
std::string objectText(const nlohmann::json& object, Form form);
std::string listText(const std::vector<nlohmann::json>& objects, Form form);

}  // namespace sumac::cli
