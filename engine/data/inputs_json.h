#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/data/csv_columns.h"
#include "engine/pictures/picture.h"

namespace sumac::worker {

// How samples came to be, as files of models and packed files keep it. Readers take what anybody
// may have written.

/// A name as text or, where it is not UTF-8, which JSON cannot hold, as a list of its bytes.
nlohmann::json nameJson(const std::string& name);
nlohmann::json namesJson(const std::vector<std::string>& names);

/// The reverse; nothing unless it is a name, or a list of names, of a byte or more each.
std::optional<std::string> nameIn(const nlohmann::json& node);
std::optional<std::vector<std::string>> namesIn(const nlohmann::json& node);

/// What was asked of pictures; {} if nothing was.
nlohmann::json picturesJson(const DecodeOptions& pictures);
nlohmann::json columnsJson(const CsvColumns& columns);

/// The reverse; nothing where it breaks a rule: channels are 1 or 3, resize a height and a width,
/// categories sorted by their bytes.
std::optional<DecodeOptions> picturesIn(const nlohmann::json& node);
std::optional<CsvColumns> columnsIn(const nlohmann::json& node);

}  // namespace sumac::worker
