#include "cli/terminal_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "platform/terminal.h"

namespace ebb::cli {
namespace {

constexpr std::array<const char*, 9> kBlocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct Range {
  double low = 0;
  double high = 0;
};

std::optional<Range> RangeOf(std::span<const std::optional<double>> values) {
  std::optional<Range> range;
  for (const auto& value : values) {
    if (!value) continue;
    if (!range) range = Range{*value, *value};
    range->low = std::min(range->low, *value);
    range->high = std::max(range->high, *value);
  }
  return range;
}

std::string PadLeft(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

// How many eighths of row `row` (from the bottom) a bar of `height` eighths fills.
int EighthsInRow(int height, std::size_t row) {
  return std::clamp(height - static_cast<int>(row) * 8, 0, 8);
}

std::size_t ColumnOf(Time time, Interval window, std::size_t columns) {
  const double share = Seconds(time - window.begin) / Seconds(window.length());
  return static_cast<std::size_t>(
      std::clamp(share * static_cast<double>(columns), 0.0, static_cast<double>(columns)));
}

std::string Axis(Interval window, std::size_t columns, const LocalTimes& times) {
  std::string line(columns, ' ');
  // Labels stand every 6 hours, or every 12 or 24 if they would touch.
  for (int every = 6; every <= 24; every *= 2) {
    const double per_label = static_cast<double>(columns) * every / Hours(window.length());
    if (per_label < 7 && every < 24) continue;
    // The step is a quarter of an hour, because time zones differ by multiples of that.
    constexpr std::chrono::minutes kStep{15};
    for (Time at = std::chrono::ceil<std::chrono::hours>(window.begin) - std::chrono::hours{1};
         at < window.end; at += kStep) {
      const Time shown = times.Shown(at);
      const Duration of_day = shown - std::chrono::floor<std::chrono::days>(shown);
      if (at < window.begin || of_day % std::chrono::hours{every} != Duration::zero()) continue;
      const std::size_t column = ColumnOf(at, window, columns);
      const std::string label = FormatClock(shown);
      if (column + label.size() <= columns) line.replace(column, label.size(), label);
    }
    break;
  }
  return line;
}

std::string Mark(Interval marked, Interval window, std::size_t columns) {
  const std::size_t begin = std::min(ColumnOf(marked.begin, window, columns), columns - 1);
  const std::size_t end = std::max(begin + 1, ColumnOf(marked.end, window, columns));
  std::string line(begin, ' ');
  for (std::size_t i = begin; i < std::min(end, columns); ++i) line += "▔";
  return line;
}

}  // namespace

std::size_t ChartColumns(std::size_t beside) {
  const std::size_t columns = platform::TerminalColumns();
  return std::clamp<std::size_t>(columns - std::min(columns, beside), 24, 96);
}

std::string Sparkline(std::span<const std::optional<double>> values) {
  const auto range = RangeOf(values);
  if (!range) return std::string(values.size(), ' ');
  // Means of a constant differ by rounding, which is not a change.
  const double difference = range->high - range->low;
  const double span = difference > 1e-9 * std::abs(range->high) ? difference : 0;
  std::string line;
  for (const auto& value : values) {
    if (!value) {
      line += ' ';
      continue;
    }
    const double share = span > 0 ? (*value - range->low) / span : 0.5;
    line += kBlocks[static_cast<std::size_t>(1 + std::lround(share * 7))];
  }
  return line;
}

std::vector<std::optional<double>> SampleView(const core::SignalView& view, Interval window,
                                              std::size_t count) {
  std::vector<std::optional<double>> values(count);
  const double step_ms = static_cast<double>(window.length().count()) /
                         static_cast<double>(std::max<std::size_t>(count, 1));
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](std::size_t index) {
      return window.begin + Duration{std::llround(step_ms * static_cast<double>(index))};
    };
    if (const auto mean = view.Mean({at(i), at(i + 1)})) values[i] = mean->intensity.g_per_kwh;
  }
  return values;
}

std::string IntensityChart(const core::SignalView& view, Interval window,
                           const ChartOptions& options, const LocalTimes& times) {
  const auto values = SampleView(view, window, options.columns);
  const auto range = RangeOf(values);
  if (!range) return "  (no value in this window)\n";
  // The scale begins at zero only if that costs little, because readers look for differences.
  const double low = range->low < 0.25 * range->high ? 0 : std::floor(range->low * 0.9 / 10) * 10;
  const double high = std::max(range->high, low + 1);
  std::string chart;
  for (std::size_t row = options.rows; row-- > 0;) {
    const double label =
        low + (high - low) * static_cast<double>(row + 1) / static_cast<double>(options.rows);
    chart +=
        PadLeft(row % 2 == 1 || row + 1 == options.rows ? FormatFixed(label, 0) : "", 6) + " │";
    for (const auto& value : values) {
      const double share = value ? (*value - low) / (high - low) : 0;
      const int eighths =
          static_cast<int>(std::lround(share * static_cast<double>(options.rows) * 8));
      chart += kBlocks[static_cast<std::size_t>(EighthsInRow(eighths, row))];
    }
    chart += '\n';
  }
  chart += PadLeft(FormatFixed(low, 0), 6) + " └";
  for (std::size_t i = 0; i < options.columns; ++i) chart += "─";
  chart += '\n';
  if (options.marked)
    chart += std::string(8, ' ') + Mark(*options.marked, window, options.columns) + '\n';
  chart += std::string(8, ' ') + Axis(window, options.columns, times) + '\n';
  return chart;
}

}  // namespace ebb::cli
