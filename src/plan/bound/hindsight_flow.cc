#include "plan/bound/hindsight_flow.h"

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ebb::plan {
namespace {

using Graph = lemon::SmartDigraph;
using Amount = std::int64_t;  // device-milliseconds of work at speed 1

constexpr double kLargestCost = 1e9;  // integer costs keep nine digits
constexpr double kMillisecondsPerHour = 3.6e6;

// Times at which anything changes; with `windows`, also the begins and ends of the jobs' windows.
std::vector<Time> Cuts(const BoundInput& input, bool windows) {
  std::vector<Time> cuts;
  Interval span{Time::max(), Time::min()};
  for (const BoundJob& job : input.jobs) {
    span.begin = std::min(span.begin, job.earliest);
    if (windows) cuts.push_back(job.earliest);
    for (const BoundChoice& choice : job.choices) {
      span.end = std::max(span.end, choice.latest_end);
      if (windows) cuts.push_back(choice.latest_end);
    }
  }
  if (windows)
    for (const auto& taken : input.taken) cuts.push_back(taken.time.end);
  const PriceCurve& curve = input.curves.front();
  for (std::size_t i = 0; i <= curve.size(); ++i)
    if (curve.EdgeAt(i) > span.begin && curve.EdgeAt(i) < span.end) cuts.push_back(curve.EdgeAt(i));
  cuts.push_back(span.begin);
  cuts.push_back(span.end);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::erase_if(cuts, [&](Time cut) { return cut < span.begin || cut > span.end; });
  return cuts;
}

struct JobArc {
  Graph::Arc arc;
  std::size_t job = 0, piece = 0;
  int pool = -1;
  double grams_per_unit = 0;
};

class FlowModel {
 public:
  FlowModel(const BoundInput& input, std::vector<Time> cuts)
      : input_(input), cuts_(std::move(cuts)), capacity_(graph_), cost_(graph_), supply_(graph_) {
    Build();
  }

  HindsightBound Solve(bool windows_are_cut) {
    lemon::NetworkSimplex<Graph, Amount, Amount> simplex(graph_);
    simplex.upperMap(capacity_).costMap(cost_).supplyMap(supply_);
    HindsightBound bound;
    bound.feasible = shippable_ && simplex.run() == simplex.OPTIMAL;
    if (!bound.feasible) return bound;
    bound.exact = windows_are_cut && like_speeds_ && unit_width_;
    for (const JobArc& entry : arcs_)
      bound.emissions.grams += static_cast<double>(simplex.flow(entry.arc)) * entry.grams_per_unit;
    if (bound.exact && input_.devices_in_pool.size() == 1 && top_speed_ == 1)
      bound.segments = WrapAround([&](const JobArc& entry) { return simplex.flow(entry.arc); });
    return bound;
  }

 private:
  std::size_t pieces() const { return cuts_.size() - 1; }
  Interval Piece(std::size_t i) const { return {cuts_[i], cuts_[i + 1]}; }

  void Build() {
    const std::size_t pools = input_.devices_in_pool.size();
    FindSpeeds();
    sink_ = graph_.addNode();
    supply_[sink_] = 0;
    pool_nodes_.assign(pieces() * pools, lemon::INVALID);
    for (std::size_t j = 0; j < input_.jobs.size(); ++j) AddJob(j);
    const double most = MostGrams();
    for (const JobArc& entry : arcs_)
      cost_[entry.arc] =
          static_cast<Amount>(std::floor(entry.grams_per_unit / most * kLargestCost));
  }

  void FindSpeeds() {
    top_speed_ = 0;
    for (const BoundJob& job : input_.jobs) {
      unit_width_ = unit_width_ && job.width == 1 && job.widths.empty();
      for (const BoundChoice& choice : job.choices) {
        if (top_speed_ != 0 && choice.speed != top_speed_) like_speeds_ = false;
        top_speed_ = std::max(top_speed_, choice.speed);
      }
    }
  }

  double MostGrams() const {
    double most = 1e-300;
    for (const JobArc& entry : arcs_) most = std::max(most, entry.grams_per_unit);
    return most;
  }

  // Work that `width` devices of the fastest kind do in a time, rounded up.
  Amount WorkIn(Duration time, double width) const {
    return static_cast<Amount>(
        std::ceil(static_cast<double>(time.count()) * top_speed_ * width - 1e-6));
  }

  Graph::Node PoolNode(std::size_t piece, int pool) {
    Graph::Node& node =
        pool_nodes_[piece * input_.devices_in_pool.size() + static_cast<std::size_t>(pool)];
    if (node == lemon::INVALID) {
      node = graph_.addNode();
      AddArc(node, sink_, FreeWork(piece, pool));
    }
    return node;
  }

  Amount FreeWork(std::size_t piece, int pool) const {
    const Duration length = Piece(piece).length();
    Amount work = WorkIn(length, input_.devices_in_pool[static_cast<std::size_t>(pool)]);
    for (const auto& taken : input_.taken)
      if (taken.pool == pool)
        work -= static_cast<Amount>(
            static_cast<double>(Overlap(Piece(piece), taken.time).length().count()) * top_speed_ *
            taken.width);
    return std::max<Amount>(0, work);
  }

  Graph::Arc AddArc(Graph::Node from, Graph::Node to, Amount capacity) {
    const Graph::Arc arc = graph_.addArc(from, to);
    capacity_[arc] = capacity;
    cost_[arc] = 0;
    return arc;
  }

  void AddJob(std::size_t j) {
    const BoundJob& job = input_.jobs[j];
    const Graph::Node node = graph_.addNode();
    supply_[node] = static_cast<Amount>(
        std::floor(static_cast<double>(job.work.count()) * DevicesPerSpeed(job)));
    supply_[sink_] -= supply_[node];
    if (job.choices.empty()) shippable_ = false;
    for (std::size_t i = 0; i < pieces(); ++i) {
      // A job runs on one pool at a time, so with several choices its time in a piece passes
      // through one node.
      Graph::Node from = node;
      if (job.choices.size() > 1 && Usable(job, i)) {
        from = graph_.addNode();
        AddArc(node, from, WorkIn(Piece(i).length(), MostDevices(job)));
      }
      for (const BoundChoice& choice : job.choices) AddChoice(j, i, choice, from);
    }
  }

  bool Usable(const BoundJob& job, std::size_t piece) const {
    return std::any_of(job.choices.begin(), job.choices.end(), [&](const BoundChoice& choice) {
      return Overlap(Piece(piece), {job.earliest, choice.latest_end}).length() > Duration::zero();
    });
  }

  void AddChoice(std::size_t j, std::size_t piece, const BoundChoice& choice, Graph::Node from) {
    const BoundJob& job = input_.jobs[j];
    const Interval usable = Overlap(Piece(piece), {job.earliest, choice.latest_end});
    if (usable.length() == Duration::zero()) return;
    const PriceCurve& curve = input_.CurveOf(choice);
    const double price = curve.Integral(usable.begin, usable.end) / Hours(usable.length());
    const double kilowatts = choice.kilowatts / job.width / choice.speed;
    const double move =
        choice.least_move / (static_cast<double>(job.work.count()) * DevicesPerSpeed(job));
    const auto add = [&](double devices, double times_power) {
      const Graph::Arc arc =
          AddArc(from, PoolNode(piece, choice.pool), WorkIn(usable.length(), devices));
      arcs_.push_back({arc, j, piece, choice.pool,
                       times_power * kilowatts * price / kMillisecondsPerHour + move});
    };
    if (job.widths.empty()) return add(job.width, 1);
    core::WidthSpeed narrower{0, 0};
    for (const core::WidthSpeed& width : job.widths) {
      const double devices = (width.speed - narrower.speed) * DevicesPerSpeed(job);
      add(devices, (width.devices - narrower.devices) / devices);
      narrower = width;
    }
  }

  // The devices that the job takes for a speed of 1 at its most efficient width. An elastic job
  // takes no more from the pools at any width, and the power of its further devices counts in full.
  static double DevicesPerSpeed(const BoundJob& job) {
    return job.widths.empty() ? job.width : job.widths.front().devices / job.widths.front().speed;
  }
  static double MostDevices(const BoundJob& job) {
    return job.widths.empty() ? job.width : job.widths.back().speed * DevicesPerSpeed(job);
  }

  // McNaughton's rule: fills device after device from the piece's begin to its end. A job that does
  // not fit on the rest of a device continues at the begin of the next one.
  template <typename FlowOf>
  std::vector<std::vector<Segment>> WrapAround(FlowOf flow_of) const {
    std::vector<std::vector<Segment>> segments(input_.jobs.size());
    std::vector<Duration> filled(pieces());
    for (const JobArc& entry : arcs_) {
      const Duration amount{flow_of(entry)};
      if (amount == Duration::zero()) continue;
      const Interval piece = Piece(entry.piece);
      const Duration begin = filled[entry.piece] % piece.length();
      filled[entry.piece] += amount;
      const Time from = piece.begin + begin;
      auto& own = segments[entry.job];
      if (begin + amount > piece.length()) {
        own.push_back({entry.pool, {piece.begin, from + amount - piece.length()}});
        own.push_back({entry.pool, {from, piece.end}});
      } else {
        own.push_back({entry.pool, {from, from + amount}});
      }
    }
    for (auto& own : segments) Join(own);
    return segments;
  }

  static void Join(std::vector<Segment>& segments) {
    std::vector<Segment> joined;
    for (const Segment& segment : segments) {
      if (!joined.empty() && joined.back().time.end == segment.time.begin)
        joined.back().time.end = segment.time.end;
      else
        joined.push_back(segment);
    }
    segments = std::move(joined);
  }

  const BoundInput& input_;
  std::vector<Time> cuts_;
  Graph graph_;
  Graph::ArcMap<Amount> capacity_, cost_;
  Graph::NodeMap<Amount> supply_;
  Graph::Node sink_;
  std::vector<Graph::Node> pool_nodes_;
  std::vector<JobArc> arcs_;
  double top_speed_ = 0;
  bool like_speeds_ = true, unit_width_ = true, shippable_ = true;
};

std::size_t CountArcs(const BoundInput& input, const std::vector<Time>& cuts) {
  std::size_t arcs = 0;
  for (const BoundJob& job : input.jobs) {
    for (const BoundChoice& choice : job.choices) {
      const auto first = std::lower_bound(cuts.begin(), cuts.end(), job.earliest);
      const auto last = std::lower_bound(first, cuts.end(), choice.latest_end);
      arcs += static_cast<std::size_t>(last - first) + 1;
    }
  }
  return arcs;
}

}  // namespace

std::optional<HindsightBound> SolveHindsightFlow(const BoundInput& input, std::size_t most_arcs) {
  for (const bool windows : {true, false}) {
    std::vector<Time> cuts = Cuts(input, windows);
    if (cuts.size() < 2) return HindsightBound{{}, false, false, {}};
    if (CountArcs(input, cuts) > most_arcs) continue;
    return FlowModel(input, std::move(cuts)).Solve(windows);
  }
  return std::nullopt;
}

}  // namespace ebb::plan
