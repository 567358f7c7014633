#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"

namespace sumac::kube {

/// What a page of a list says besides its items.
struct ListPage {
  std::string resource_version;
  std::string next;  // the token for the next page; empty: this was the last
};

/// Reads one page and hands over item by item: never more than one of them is in memory as an
/// object. Fails with kInvalid if the text is not a list; some items may have been handed over
/// then.
Result<ListPage> readListPage(const std::string& text,
                              const std::function<void(const nlohmann::json&)>& on_item);

}  // namespace sumac::kube
