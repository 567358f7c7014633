#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/yaml/node.h"

namespace sumac::job {

/// The node at "spec.worker.replicas" in `root`; nullptr when there is none.
const yaml::Node* nodeAt(const yaml::Node& root, std::string_view path);

/// Puts `value` at `path`, creating the maps on the way; "containers[0]" is an item of a list.
/// Fails with kInvalid, leaving `root` unchanged, if something other than a map is on the way, or a
/// list has no such item.
Result<void> setNode(yaml::Node& root, std::string_view path, yaml::Node value);

/// Adds or replaces one field of a map.
void setField(yaml::Node& map, std::string_view name, yaml::Node value);

/// Removes one field from a map, if it is there.
void removeField(yaml::Node& map, std::string_view name);

/// Applies one "path=value" of the command line; the path may leave out "spec.". The value is YAML,
/// except for fields that hold text (strings, decimals, choices), which take it as it is. `null`
/// removes a field of the table from the document.
Result<void> applySet(yaml::Node& root, std::string_view assignment);

/// "worker.replicas" with its "spec."; a path that begins with a field of the document stays.
std::string fullPath(std::string_view path);

/// Makes a tree one that is not from the file: of a flag, of another document.
void forgetPositions(yaml::Node& node);

/// Puts `value` at `path`, as setNode(); `null` removes a field of the table.
Result<void> setOrRemove(yaml::Node& root, std::string_view path, yaml::Node value);

/// An integer without a position in the file.
yaml::Node integerNode(long long value);

}  // namespace sumac::job
