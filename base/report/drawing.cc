#include "base/report/drawing.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/core/units.h"
#include "base/report/colours.h"

namespace sumac::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// The length of the UTF-8 character at the beginning of a text; 0 where there is none.
std::size_t characterLength(std::string_view text) {
  const auto byte = [text](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2   ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  std::uint32_t code = length == 2 ? first & 0x1FU : length == 3 ? first & 0x0FU : first & 0x07U;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  const bool is_no_character = code == 0xFFFE || code == 0xFFFF;  // XML has neither
  if (length == 0 || code < kLeast.at(length) || code > 0x10FFFF || is_surrogate) return 0;
  return is_no_character ? 0 : length;
}

std::string_view entityOf(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return {};
  }
}

bool isControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

std::string svgTag(const Drawing& drawing, bool is_file) {
  const std::string size = pixels(drawing.width) + " " + pixels(drawing.height);
  std::vector<Attribute> attributes{{"class", "chart"},
                                    {"viewBox", "0 0 " + size},
                                    {"role", "img"},
                                    {"aria-label", drawing.title}};
  if (is_file) {
    attributes.push_back({"xmlns", "http://www.w3.org/2000/svg"});
    attributes.push_back({"width", pixels(drawing.width)});
    attributes.push_back({"height", pixels(drawing.height)});
  }
  std::string tag = "<svg";
  for (const auto& [name, value] : attributes)
    tag += " " + std::string(name) + "=\"" + escaped(value) + "\"";
  return tag + ">\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = characterLength(text);
    if (length == 0) {
      out += kReplacement;
    } else if (const auto entity = entityOf(text.front()); !entity.empty()) {
      out += entity;
    } else if (isControl(text.front())) {
      out += ' ';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string inlineSvg(const Drawing& drawing) {
  return svgTag(drawing, /*is_file=*/false) + drawing.content + "</svg>\n";
}

std::string svgFile(const Drawing& drawing) {
  const std::string styles =
      std::string(chartShapeRules()) + chartRules(kLight) + forDarkScreens(chartRules(kDark));
  const std::string background = element(
      "rect",
      {{"class", "paper"}, {"width", pixels(drawing.width)}, {"height", pixels(drawing.height)}});
  return svgTag(drawing, /*is_file=*/true) + "<style>\n" + styles + "</style>\n" + background +
         drawing.content + "</svg>\n";
}

Drawing stacked(const std::string& title, const std::vector<Drawing>& drawings) {
  constexpr double kMargin = 14;
  constexpr double kTitleHeight = 44;
  constexpr double kBaseline = 30;
  Drawing all{0, kTitleHeight, title, textAt(kMargin, kBaseline, Anchor::kStart, "title", title)};
  for (const Drawing& drawing : drawings) {
    const std::string place = "translate(" + pixels(kMargin) + " " + pixels(all.height) + ")";
    all.content += element("g", {{"transform", place}}, "\n" + drawing.content);
    all.width = std::max(all.width, drawing.width + 2 * kMargin);
    all.height += drawing.height + kMargin;
  }
  return all;
}

std::string element(std::string_view name, const std::vector<Attribute>& attributes,
                    std::string_view content) {
  std::string out = "<" + std::string(name);
  for (const auto& [key, value] : attributes) {
    if (!value.empty()) out += " " + std::string(key) + "=\"" + escaped(value) + "\"";
  }
  if (content.empty()) return out + "/>\n";
  return out + ">" + std::string(content) + "</" + std::string(name) + ">\n";
}

std::string pixels(double value) {
  std::string out = fixedText(value, 1);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

std::string textAt(double x, double y, Anchor anchor, std::string_view classes,
                   std::string_view text) {
  // The first is SVG's default.
  constexpr std::array<std::string_view, 3> kNames{"", "middle", "end"};
  return element("text",
                 {{"x", pixels(x)},
                  {"y", pixels(y)},
                  {"text-anchor", std::string(kNames.at(static_cast<std::size_t>(anchor)))},
                  {"class", std::string(classes)}},
                 escaped(text));
}

std::string lineFrom(double x1, double y1, double x2, double y2, std::string_view classes) {
  return element("line", {{"x1", pixels(x1)},
                          {"y1", pixels(y1)},
                          {"x2", pixels(x2)},
                          {"y2", pixels(y2)},
                          {"class", std::string(classes)}});
}

double textWidth(std::string_view text) {
  constexpr double kCharacter = 6.8;  // of a sans serif of 13 pixels, on average
  const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return kCharacter * static_cast<double>(std::ranges::count_if(text, is_first));
}

std::vector<std::string> fittedLines(std::string_view text, double width) {
  constexpr double kNarrow = 7;
  constexpr double kWide = 11;  // no character of usual fonts is wider
  const std::string_view wide = "mwMWQ@%";
  std::vector<std::string> lines;
  while (!text.empty() || lines.empty()) {
    double used = 0;
    std::size_t end = 0;    // of what the line holds
    std::size_t space = 0;  // the last one in it
    while (end < text.size()) {
      const std::size_t length = std::max<std::size_t>(characterLength(text.substr(end)), 1);
      used += length > 2 || wide.find(text[end]) != wide.npos ? kWide : kNarrow;
      if (used > width && end > 0) break;
      if (text[end] == ' ') space = end;
      end += length;
    }
    if (end < text.size() && space > 0) end = space;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

void addTitle(Drawing& drawing) {
  constexpr double kBaseline = 20;
  constexpr double kLine = 18;
  constexpr double kBold = 1.1;  // times as wide as other texts
  std::string title;
  double down = -kLine;
  for (const std::string& line : fittedLines(drawing.title, drawing.width / kBold))
    title += textAt(0, kBaseline + (down += kLine), Anchor::kStart, "title", line);
  if (down > 0) {
    drawing.height += down;
    drawing.content =
        element("g", {{"transform", "translate(0," + pixels(down) + ")"}}, drawing.content);
  }
  drawing.content.insert(0, title);
}

}  // namespace sumac::report
