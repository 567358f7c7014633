#include "common/job/table_document.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/job/job_checks.h"
#include "common/job/resolve.h"
#include "common/yaml/reader.h"

namespace sumac::job {

TableDocument readTable(const Field& schema, std::string_view noun, std::string_view text,
                        std::string_view file) {
  TableDocument result;
  yaml::Document document = yaml::parse(text);
  if (!document.root) {
    result.problems.push_back({std::string(file), document.position.line, document.position.column,
                               "", document.message});
    return result;
  }
  yaml::Node& root = *document.root;
  if (root.kind != yaml::Kind::kMap) {
    const std::string found = root.kind == yaml::Kind::kNull
                                  ? "the document is empty"
                                  : "found " + std::string(yaml::toString(root.kind));
    result.problems.push_back(
        {std::string(file), 1, 1, "", found + ", must be " + std::string(noun)});
    return result;
  }
  applySchemaDefaults(schema, root);
  result.problems = check(schema, root, file).problems;
  std::ranges::stable_sort(result.problems, {}, [](const Problem& problem) {
    return std::pair(problem.line, problem.column);
  });
  if (result.problems.empty()) result.root = std::move(root);
  return result;
}

}  // namespace sumac::job
