#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/bytes.h"
#include "base/core/result.h"

/// The head of a file in the safetensors format, for the readers and writers of this folder: a
/// length, and as many bytes of JSON.
namespace sumac::checkpoint {

/// The error of a file that cannot be used: kInvalid.
Error unusable(const std::string& what);

/// A name from the file, quoted, escaped and cut, for a message.
std::string quoted(const std::string& name);

/// A short list of whole numbers that are not negative; nothing if it is anything else.
std::optional<std::vector<std::uint64_t>> unsignedList(const nlohmann::json& node);

/// A file's header, and what follows it.
struct FileParts {
  nlohmann::json header;
  BytesView data;
};

/// Fails with kInvalid where the header is none: too long, no JSON, nested, with a key that comes
/// twice.
Result<FileParts> fileParts(BytesView file);

/// Removes the metadata from a header and returns them. Fails with kInvalid where they are no map
/// of texts.
Result<std::map<std::string, std::string>> takeMetadata(nlohmann::json& header);

/// A header that has the metadata alone; the tensors follow.
nlohmann::ordered_json headWith(const std::map<std::string, std::string>& metadata);

/// How a file begins that has this header.
Bytes headBytes(const nlohmann::ordered_json& header);

}  // namespace sumac::checkpoint
