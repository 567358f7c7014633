#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sumac::report {

/// Any text as content or attribute of HTML and XML: markup is escaped, control characters become
/// spaces, and what is not UTF-8 becomes U+FFFD.
std::string escaped(std::string_view text);

/// A picture: SVG without its frame and its styles. A value type.
struct Drawing {
  double width = 0;
  double height = 0;
  std::string title;
  std::string content;
};

/// As part of a page, whose styles it uses.
std::string inlineSvg(const Drawing& drawing);

/// As a file of its own: light or dark as the reader prefers.
std::string svgFile(const Drawing& drawing);

/// Drawings below each other, with one title above them; as wide as the widest. Requires one.
Drawing stacked(const std::string& title, const std::vector<Drawing>& drawings);

struct Attribute {
  std::string_view name;
  std::string value;
};

/// One element of SVG or HTML; attributes are escaped, `content` is markup.
std::string element(std::string_view name, const std::vector<Attribute>& attributes,
                    std::string_view content = {});

/// A coordinate: tenths of a pixel.
std::string pixels(double value);

/// Where a text stands in relation to its point.
enum class Anchor { kStart, kMiddle, kEnd };

/// A text of one line.
std::string textAt(double x, double y, Anchor anchor, std::string_view classes,
                   std::string_view text);
std::string lineFrom(double x1, double y1, double x2, double y2, std::string_view classes);

/// About how wide a text is, in pixels of a drawing: fonts differ.
double textWidth(std::string_view text);

/// A text in lines that are narrower than so many pixels: broken between words, and within words
/// that no line holds. At least one line.
std::vector<std::string> fittedLines(std::string_view text, double width);

/// Puts the drawing's title above its content, which has room for one line of it and moves down
/// where it takes more.
void addTitle(Drawing& drawing);

}  // namespace sumac::report
