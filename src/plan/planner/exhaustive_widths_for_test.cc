#include "plan/planner/exhaustive_widths_for_test.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace ebb::plan::testing {
namespace {

constexpr double kRounding = 1e-9;

// A stretch of units at one width.
struct Piece {
  int first = 0, units = 0, width = 0;
};

class Widths {
 public:
  Widths(const Instance& instance, const core::Job& job, int pool, std::vector<Way>& ways)
      : instance_(instance),
        job_(job),
        pool_(pool),
        devices_(instance.cluster.pools[static_cast<std::size_t>(pool)]),
        ways_(ways) {
    speeds_[job.devices] = 1;
    for (const core::WidthSpeed& width : job.speedup) speeds_[width.devices] = width.speed;
    std::erase_if(speeds_, [&](const auto& width) { return width.first > devices_.count; });
    work_ = UnitsOf(TimeOn(job, devices_, job.duration));
    shortest_ = UnitsOf(job.minimum_segment);
    resume_ = UnitsOf(job.pause_cost);
    latest_end_ = instance.units;
    if (job.finish_by) latest_end_ = std::min(latest_end_, UnitsOf(*job.finish_by - instance.now));
    if (job.start_by)
      latest_end_ = std::min(latest_end_, UnitsOf(*job.start_by - instance.now) + work_);
  }

  void AddAll() { Try(0); }

 private:
  double UnitsOf(Duration time) const { return Seconds(time) / Seconds(instance_.unit); }

  // Units that the piece works for; a piece after the first one begins with a resume.
  double WorkOf(std::size_t index) const {
    const Piece& piece = pieces_[index];
    return speeds_.at(piece.width) * (piece.units - (index > 0 ? resume_ : 0));
  }

  double Done() const {
    double done = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) done += WorkOf(i);
    return done;
  }

  void Try(int unit) {
    if (!pieces_.empty() && Done() >= work_ - kRounding) {
      AddWay();
      return;
    }
    const double most = speeds_.rbegin()->second * std::max(0.0, std::ceil(latest_end_) - unit);
    if (unit == instance_.units || Done() + most < work_ - kRounding) return;
    for (const auto& [width, speed] : speeds_) {
      if (RunsUpTo(unit) && pieces_.back().width == width) {
        ++pieces_.back().units;
        Try(unit + 1);
        --pieces_.back().units;
      } else if (pieces_.empty() || IsLongEnough(pieces_.back())) {
        pieces_.push_back({unit, 1, width});
        Try(unit + 1);
        pieces_.pop_back();
      }
    }
    if (!RunsUpTo(unit) || IsLongEnough(pieces_.back())) Try(unit + 1);
  }

  bool RunsUpTo(int unit) const {
    return !pieces_.empty() && pieces_.back().first + pieces_.back().units == unit;
  }
  bool IsLongEnough(const Piece& piece) const { return piece.units >= shortest_ - kRounding; }

  // Adds the way that leaves out what is not needed where that saves most.
  void AddWay() {
    const double spare = Done() - work_;
    std::optional<double> most;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      for (const bool at_end : {false, true}) {
        const double time = std::max(0.0, spare) / speeds_.at(pieces_[i].width);
        if (MayLeaveOut(i, at_end, time))
          most = std::max(most.value_or(0), time * UnitGrams(pieces_[i], EdgeUnit(i, at_end)));
      }
    if (!most) return;
    Way way{pool_, {}, {}, -*most};
    for (const Piece& piece : pieces_)
      for (int i = 0; i < piece.units; ++i) {
        way.units.push_back(piece.first + i);
        way.widths.push_back(piece.width);
        way.grams += UnitGrams(piece, piece.first + i);
      }
    ways_.push_back(std::move(way));
  }

  int EdgeUnit(std::size_t index, bool at_end) const {
    const Piece& piece = pieces_[index];
    return at_end ? piece.first + piece.units - 1 : piece.first;
  }

  bool MayLeaveOut(std::size_t index, bool at_end, double time) const {
    const Piece& piece = pieces_[index];
    if (time >= 1 || WorkOf(index) < time * speeds_.at(piece.width) - kRounding) return false;
    if (pieces_.size() > 1 &&
        (piece.units - time < shortest_ - kRounding || !IsLongEnough(pieces_.back())))
      return false;
    double begin = pieces_.front().first, end = pieces_.back().first + pieces_.back().units;
    if (index == 0 && !at_end) begin += time;
    if (index + 1 == pieces_.size() && at_end) end -= time;
    return KeepsDeadlines(begin, end);
  }

  bool KeepsDeadlines(double begin, double end) const {
    const auto units_to = [&](Time time) { return UnitsOf(time - instance_.now) + kRounding; };
    if (job_.finish_by && end > units_to(*job_.finish_by)) return false;
    return !job_.start_by ||
           (begin <= units_to(*job_.start_by) && end <= units_to(*job_.start_by) + work_);
  }

  // Grams of a unit, with the cost of the job's preferences.
  double UnitGrams(const Piece& piece, int unit) const {
    const double watts = job_.power.watts * devices_.power_factor * piece.width;
    return WeightOf(instance_, job_) * EmissionsOf(Energy::Joules(watts * Seconds(instance_.unit)),
                                                   instance_.cluster.SiteOf(pool_).pue,
                                                   {PreferredPriceOf(instance_, job_, pool_, unit)})
                                           .grams;
  }

  const Instance& instance_;
  const core::Job& job_;
  int pool_;
  const core::DevicePool& devices_;
  std::vector<Way>& ways_;
  std::map<int, double> speeds_;  // speed by width
  double work_ = 0;               // units of work at the job's own width
  double shortest_ = 0, resume_ = 0;
  double latest_end_ = 0;  // units from now
  std::vector<Piece> pieces_;
};

}  // namespace

void AddWaysWithWidths(const Instance& instance, const core::Job& job, int pool,
                       std::vector<Way>& ways) {
  Widths(instance, job, pool, ways).AddAll();
}

}  // namespace ebb::plan::testing
