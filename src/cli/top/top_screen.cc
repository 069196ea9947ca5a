// The screen of ebb top: the header, the jobs around the selected one, the devices, and two lines
// at the bottom.

#include <algorithm>

#include "base/columns.h"
#include "base/text.h"
#include "base/wrapped_text.h"
#include "cli/top/top_model.h"
#include "cli/top/top_tables.h"

namespace ebb::cli {
namespace {

using Look = ScreenLine::Look;

constexpr const char* kKeys =
    "q quit  h help  s sort  e explain  p pause or resume  x cancel  up, down select";

// The lines of a text, without the end of the last one.
std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) lines.emplace_back(line);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// The first lines of a table. If there is no room for all, the last one counts those left out.
void AddTable(const std::vector<std::string>& table, std::size_t rows,
              std::vector<ScreenLine>& lines) {
  const std::size_t shown = rows < table.size() ? std::max<std::size_t>(rows, 1) - 1 : table.size();
  for (std::size_t i = 0; i < shown; ++i)
    lines.push_back({i == 0 ? Look::kTitle : Look::kPlain, table[i]});
  if (shown < table.size())
    lines.push_back({Look::kPlain, "  and " + std::to_string(table.size() - shown) + " more"});
}

std::vector<std::string> DeviceLines(const TopSample& sample, std::size_t columns) {
  if (sample.devices.empty()) return {};
  return LinesOf(report::AlignedTable(TopDeviceTable(sample.devices), columns));
}

}  // namespace

// The rows of a table of `rows` lines, its title among them, with the selected one in the middle of
// a list that is longer.
void TopModel::AddJobs(std::size_t columns, std::size_t rows, const LocalTimes& times,
                       std::vector<ScreenLine>& lines) const {
  if (sample_.jobs.empty()) {
    lines.push_back({Look::kPlain, "no job runs, waits or is paused"});
    return;
  }
  const std::vector<std::string> table = LinesOf(report::AlignedTable(
      report::Fitted(TopJobTable(sample_.jobs, times), kTopFirstExtra, kTopExtras, columns),
      columns));
  const std::size_t count = sample_.jobs.size(), room = std::max<std::size_t>(rows, 2) - 1;
  const std::size_t last_first = count > room ? count - room : 0;
  const std::size_t first = std::min(selected_ > room / 2 ? selected_ - room / 2 : 0, last_first);
  lines.push_back({Look::kTitle, table.front()});
  for (std::size_t i = first; i < std::min(first + room, count); ++i)
    lines.push_back({i == selected_ ? Look::kSelected : Look::kPlain, table[i + 1]});
}

// The question, the outcome of the last command, or the keys.
std::string TopModel::Bottom() const {
  if (asked_)
    return "cancel job " + std::to_string(asked_->number) + " (" + Printable(asked_->name) +
           ") for good? y/n";
  if (!message_.empty()) return message_;
  if (shown_) return "any key: back";
  if (!lost_.empty()) return "shown as of the last answer: " + lost_;
  return kKeys;
}

// "sorted by stage; 7 is waiting: 312 g/kWh now, ..."
std::string TopModel::AboutSelected(const LocalTimes& times) const {
  std::string text = "sorted by " + std::string(Name(order_));
  if (const TopJob* job = selected())
    text += "; " + std::to_string(job->number) + " is " + Printable(job->stage) + ": " +
            times.InText(Printable(job->reason));
  return text;
}

std::vector<ScreenLine> TopModel::Screen(std::size_t columns, std::size_t rows,
                                         const LocalTimes& times) const {
  constexpr std::size_t kBottom = 2;
  std::vector<ScreenLine> lines;
  for (const std::string& line : TopHeader(sample_, times)) lines.push_back({Look::kPlain, line});
  lines.push_back({});
  if (shown_) {
    lines.push_back({Look::kTitle, shown_->title});
    for (const std::string& line : LinesOf(WrappedText(shown_->text, columns)))
      lines.push_back({Look::kPlain, line});
  } else {
    // Devices have at most a third of the rows, and a blank line above them.
    const std::vector<std::string> devices = DeviceLines(sample_, columns);
    const std::size_t below = devices.empty() ? 0 : 1 + std::min(devices.size(), rows / 3);
    const std::size_t used = lines.size() + below + kBottom;
    AddJobs(columns, rows > used ? rows - used : 0, times, lines);
    if (below > 0) lines.push_back({});
    if (below > 1) AddTable(devices, below - 1, lines);
  }
  lines.resize(rows > kBottom ? rows - kBottom : 0);
  lines.push_back({Look::kPlain, AboutSelected(times)});
  lines.push_back({Look::kTitle, Bottom()});
  for (ScreenLine& line : lines)
    line.text =
        line.look == Look::kSelected ? CutOrPad(line.text, columns) : CutTo(line.text, columns);
  if (lines.size() > rows) lines.erase(lines.begin(), lines.end() - static_cast<long>(rows));
  return lines;
}

}  // namespace ebb::cli
