#include "base/yaml/reader.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/core/text.h"
#include "base/yaml/builder.h"

namespace sumac::yaml {

namespace {

constexpr std::size_t kShown = 40;  // characters of a line in a message

Position positionOf(const YAML::Mark& mark) {
  return mark.is_null() ? Position{} : Position{mark.line + 1, mark.column + 1};
}

/// yaml-cpp makes the bytes 85 and A0 of the escapes `\N` and `\_`, where UTF-8 has C2 85 and C2
/// A0; no other byte of a scalar is not UTF-8, since the document is.
std::string escapesAsUtf8(const std::string& value) {
  std::string text;
  std::string_view rest = value;
  while (const auto bad = firstBadByte(rest)) {
    text += rest.substr(0, *bad);
    if (rest[*bad] != '\0') text += '\xC2';
    text += rest[*bad];
    rest.remove_prefix(*bad + 1);
  }
  return text += rest;
}

/// Passes the parser's events to a Builder; rejects tags that would change the meaning of a value.
class Events : public YAML::EventHandler {
 public:
  explicit Events(Builder& builder) : builder_(builder) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    builder_.null(positionOf(mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    builder_.alias(positionOf(mark), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!quoted) refuseTag(mark, tag);
    builder_.scalar(positionOf(mark), escapesAsUtf8(value), !quoted, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (tag != "!" && tag != "tag:yaml.org,2002:seq") refuseTag(mark, tag);
    builder_.begin(Kind::kList, positionOf(mark), anchor);
  }
  void OnSequenceEnd() override { builder_.end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    if (tag != "!" && tag != "tag:yaml.org,2002:map") refuseTag(mark, tag);
    builder_.begin(Kind::kMap, positionOf(mark), anchor);
  }
  void OnMapEnd() override { builder_.end(); }

 private:
  static void refuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?") return;
    throw Refusal(positionOf(mark), "the tag `" + tag + "` is not supported");
  }

  Builder& builder_;  // outlives us
};

/// Rejects everything after the first document. yaml-cpp does not consume a stray `,` or `]`: it
/// would start the same empty document forever, so the start of a second one ends the parse.
class NothingMore : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Refusal(positionOf(mark),
                  "a second document or unexpected text after the first; one document is allowed");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

Document refused(Position position, std::string message) {
  return {std::nullopt, position, std::move(message)};
}

Position positionAt(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line_start = before.rfind('\n');
  const std::size_t column = line_start == before.npos ? offset : offset - line_start - 1;
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(column) + 1};
}

/// A line of the text without its end, counted from 1; empty past the last.
std::string_view lineAt(std::string_view text, int number) {
  for (; number > 1 && !text.empty(); --number)
    text.remove_prefix(
        std::min(text.size(), text.find('\n') == text.npos ? text.size() : text.find('\n') + 1));
  return number < 1 ? std::string_view() : text.substr(0, text.find('\n'));
}

bool isName(std::string_view text) {
  return !text.empty() && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

/// The usual causes of a syntax error near `line`, which the parser does not name: a tab in the
/// indentation, or a key without its colon.
std::optional<Document> usualCause(std::string_view text, int line) {
  for (int at = line; at >= std::max(1, line - 1); --at) {
    const std::string_view all = lineAt(text, at);
    const std::size_t start = std::min(all.find_first_not_of(" \t"), all.size());
    if (const auto tab = all.substr(0, start).find('\t'); tab != all.npos) {
      return refused({at, static_cast<int>(tab) + 1}, "a tab; YAML is indented by spaces only");
    }
    const std::string_view content = all.substr(start);
    if (content.find(':') == content.npos && isName(content.substr(0, content.find(' ')))) {
      return refused({at, static_cast<int>(start) + 1}, "expected `key: value`, found `" +
                                                            std::string(content.substr(0, kShown)) +
                                                            "`; is a colon missing?");
    }
  }
  return std::nullopt;
}

}  // namespace

Document parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return refused({1, 1}, "the text has " + std::to_string(text.size()) + " bytes, at most " +
                               std::to_string(kMaxBytes) + " are allowed");
  }
  if (const auto bad = firstBadByte(text)) {
    return refused(positionAt(text, *bad), text[*bad] == '\0' ? "a NUL byte" : "not UTF-8");
  }
  std::istringstream input{std::string(text)};
  try {
    Builder builder;
    Events events(builder);
    YAML::Parser parser(input);
    if (parser.HandleNextDocument(events)) {
      NothingMore nothing_more;
      parser.HandleNextDocument(nothing_more);
    }
    return {builder.take(), {}, {}};
  } catch (const Refusal& refusal) {
    return refused(refusal.position(), refusal.what());
  } catch (const YAML::Exception& exception) {
    const Position at = positionOf(exception.mark);
    if (auto cause = usualCause(text, at.line)) return *std::move(cause);
    return refused(at, exception.msg);
  }
}

Result<Node> read(std::string_view text, std::string_view file) {
  Document document = parse(text);
  if (document.root) return std::move(*document.root);
  const Position at = document.position;
  return Error{ErrorCode::kInvalid, std::string(file) + ":" + std::to_string(at.line) + ":" +
                                        std::to_string(at.column) + ": " + document.message};
}

}  // namespace sumac::yaml
