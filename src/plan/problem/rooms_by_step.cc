#include "plan/problem/rooms_by_step.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ebb::plan {
namespace {

double Milliseconds(Time from, Time to) {
  if (to == Time::max()) return std::numeric_limits<double>::infinity();
  return static_cast<double>((to - from).count());
}

}  // namespace

const std::vector<double>& RoomsByStep::Longest(const CapacityProfile& profile, int width) {
  const auto known = std::ranges::find(rows_, width, &Row::width);
  if (known != rows_.end()) return known->longest;
  Row& row = rows_.emplace_back(
      Row{width, std::vector<double>(steps_ + 1), std::vector<double>(steps_ + 2)});
  UpdateRow(profile, {begin_, Time::max()}, row);
  return row.longest;
}

void RoomsByStep::Update(const CapacityProfile& profile, Interval changed) {
  for (Row& row : rows_) UpdateRow(profile, changed, row);
}

std::size_t RoomsByStep::StepAt(Time time) const {
  const auto step = std::max(time - begin_, Duration::zero()) / step_;
  return std::min(static_cast<std::size_t>(step), steps_);
}

Time RoomsByStep::EdgeAt(std::size_t step) const {
  return step > steps_ ? Time::max() : begin_ + step_ * static_cast<Duration::rep>(step);
}

// Looks at the steps that changed, the last one first, and then at those whose rooms end there.
void RoomsByStep::UpdateRow(const CapacityProfile& profile, Interval changed, Row& row) const {
  const std::size_t first = StepAt(changed.begin);
  std::size_t step = StepAt(changed.end), piece = profile.PieceAt(EdgeAt(step + 1));
  double before = row.ahead[step];
  Look(profile, step, piece, row);
  while (step > first) {
    before = row.ahead[--step];
    Look(profile, step, piece, row);
  }
  const double whole = Milliseconds(begin_, begin_ + step_);
  while (step > 0 && row.ahead[step] != before) {
    before = row.ahead[--step];
    if (before < whole)
      Look(profile, step, piece, row);
    else
      row.longest[step] = row.ahead[step] = whole + row.ahead[step + 1];
  }
}

// Looks at the pieces in one step. `piece` is one of its end or later, and becomes that of its
// begin.
void RoomsByStep::Look(const CapacityProfile& profile, std::size_t step, std::size_t& piece,
                       Row& row) const {
  const auto& pieces = profile.pieces();
  const Time begin = EdgeAt(step), end = EdgeAt(step + 1);
  while (piece > 0 && pieces[piece].begin > begin) --piece;
  row.longest[step] = row.ahead[step] = 0;
  std::optional<Time> open;
  const auto close = [&](double room) {
    row.longest[step] = std::max(row.longest[step], room);
    if (*open == begin) row.ahead[step] = room;
    open.reset();
  };
  for (std::size_t i = piece; i < pieces.size() && pieces[i].begin < end; ++i) {
    if (pieces[i].free >= row.width) {
      if (!open) open = std::max(pieces[i].begin, begin);
    } else if (open) {
      close(Milliseconds(*open, pieces[i].begin));
    }
  }
  if (open) close(Milliseconds(*open, end) + row.ahead[step + 1]);
}

}  // namespace ebb::plan
