#include "report/draw/svg_elements.h"

#include "base/text.h"
#include "report/draw/svg_plot.h"

namespace ebb::report {

std::string SvgNumber(double value) {
  std::string text = FormatFixed(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string SvgColorClass(int color) { return "c" + std::to_string(color % kSeriesColors); }

std::string SvgTitle(const std::string& title) {
  return title.empty() ? "" : "<title>" + EscapeHtml(title) + "</title>";
}

std::string SvgLine(SvgPoint from, SvgPoint to, const std::string& css_class) {
  return "<line class=\"" + css_class + "\" x1=\"" + SvgNumber(from.x) + "\" y1=\"" +
         SvgNumber(from.y) + "\" x2=\"" + SvgNumber(to.x) + "\" y2=\"" + SvgNumber(to.y) + "\"/>";
}

std::string SvgText(SvgPoint at, const std::string& anchor, const std::string& text,
                    const std::string& css_class) {
  return "<text class=\"" + css_class + "\" x=\"" + SvgNumber(at.x) + "\" y=\"" + SvgNumber(at.y) +
         "\" text-anchor=\"" + anchor + "\">" + EscapeHtml(text) + "</text>";
}

std::string SvgCircle(SvgPoint center, double radius, const std::string& css_class,
                      const std::string& title) {
  return "<circle class=\"" + css_class + "\" cx=\"" + SvgNumber(center.x) + "\" cy=\"" +
         SvgNumber(center.y) + "\" r=\"" + SvgNumber(radius) + "\">" + SvgTitle(title) +
         "</circle>";
}

std::string SvgRect(const SvgBox& box, const std::string& css_class, const std::string& title,
                    double corner) {
  const std::string rounded = corner > 0 ? "\" rx=\"" + SvgNumber(corner) : "";
  return "<rect class=\"" + css_class + "\" x=\"" + SvgNumber(box.x) + "\" y=\"" +
         SvgNumber(box.y) + "\" width=\"" + SvgNumber(box.width) + "\" height=\"" +
         SvgNumber(box.height) + rounded + "\">" + SvgTitle(title) + "</rect>";
}

std::string OpenSvg(SvgPoint size, const std::string& description, const std::string& css_class) {
  return "<svg class=\"" + css_class + "\" viewBox=\"0 0 " + SvgNumber(size.x) + " " +
         SvgNumber(size.y) + "\" role=\"img\" aria-label=\"" + EscapeHtml(description) + "\">";
}

}  // namespace ebb::report
