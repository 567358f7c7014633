#include "job/document/table_document.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/yaml/reader.h"
#include "job/document/job_checks.h"
#include "job/document/resolve.h"
#include "job/document/unquoted.h"

namespace sumac::job {
namespace {

bool isItemName(std::string_view text) {
  constexpr std::string_view kFirst =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return !text.empty() && kFirst.find(text.front()) != kFirst.npos &&
         text.find_first_not_of(std::string(kFirst) + "-._") == text.npos;
}

}  // namespace

Field documentTable(std::string kind, std::string text, Field metadata, Field spec) {
  return {.name = kind,
          .text = std::move(text),
          .fields = {{.name = "apiVersion",
                      .type = Type::kChoice,
                      .text = "Version of the document's schema.",
                      .required = true,
                      .choices = {{"sumac.dev/v1alpha1"}}},
                     {.name = "kind",
                      .type = Type::kChoice,
                      .text = "Kind of the object.",
                      .required = true,
                      .choices = {{kind}}},
                     std::move(metadata),
                     std::move(spec)}};
}

Field nameOnly(std::string text, std::string name_text) {
  constexpr int kLongest = 50;  // as of a job, whose pods have DNS labels
  return {.name = "metadata",
          .text = std::move(text),
          .required = true,
          .fields = {{.name = "name",
                      .type = Type::kString,
                      .text = std::move(name_text),
                      .required = true,
                      .pattern = kJobNamePattern,
                      .max_length = kLongest}}};
}

Field itemName(std::string text, int longest) {
  return {.name = "name",
          .type = Type::kString,
          .text = std::move(text),
          .required = true,
          .pattern = {"^[A-Za-z0-9][-A-Za-z0-9._]*$", isItemName},
          .max_length = longest};
}

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
  quoteDecimals(schema, root);
  applySchemaDefaults(schema, root);
  result.problems = check(schema, root, file).problems;
  std::ranges::stable_sort(result.problems, {}, [](const Problem& problem) {
    return std::pair(problem.line, problem.column);
  });
  if (result.problems.empty()) result.root = std::move(root);
  return result;
}

}  // namespace sumac::job
