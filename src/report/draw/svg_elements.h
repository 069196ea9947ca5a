#pragma once
// The SVG elements that plots are made of, as text. Text is escaped; classes come from
// page_style.h.

#include <string>

namespace ebb::report {

/// The number with one decimal, or with none if that is 0.
std::string SvgNumber(double value);
/// "c3": the class that sets a series' colour.
std::string SvgColorClass(int color);
/// A <title> element, which browsers show on pointing; "" for an empty title.
std::string SvgTitle(const std::string& title);
struct SvgPoint {
  double x = 0, y = 0;
};
std::string SvgLine(SvgPoint from, SvgPoint to, const std::string& css_class);
/// `anchor` is start, middle or end.
std::string SvgText(SvgPoint at, const std::string& anchor, const std::string& text,
                    const std::string& css_class = "tick");
std::string SvgCircle(SvgPoint center, double radius, const std::string& css_class,
                      const std::string& title = "");
struct SvgBox {
  double x = 0, y = 0, width = 0, height = 0;
};
std::string SvgRect(const SvgBox& box, const std::string& css_class, const std::string& title = "",
                    double corner = 0);
/// The opening tag of a whole plot with its description for screen readers.
std::string OpenSvg(SvgPoint size, const std::string& description, const std::string& css_class);

}  // namespace ebb::report
