#include "service/accounting/place_and_time.h"

#include <algorithm>
#include <map>

#include "base/field_text.h"
#include "core/jobs/move.h"
#include "core/ledger/counterfactual.h"
#include "core/ledger/energy_course.h"

namespace ebb::service {

template <typename Archive, Like<PlaceAndTime> Value>
void Visit(Archive& archive, Value& value) {
  auto& [home_at_once, place_at_once, site_at_once, home_best, home_start, best, best_site,
         best_start, best_is_as_it_ran, moves] = value;
  archive("home_at_once_g", home_at_once);
  archive("place_at_once_g", place_at_once);
  archive("site_at_once", site_at_once);
  archive("home_best_g", home_best);
  archive("home_start_ms", home_start);
  archive("best_g", best);
  archive("best_site", best_site);
  archive("best_start_ms", best_start);
  archive("best_is_as_it_ran", best_is_as_it_ran);
  archive("moves_g", moves);
}

namespace {

store::SettledMove SettledMoveOf(const core::Move& move, int to) {
  return {std::max(move.from, 0), to, Time{}, move.takes, move.network, move.there};
}

// The first time of each attempt that used energy.
std::map<int, Time> BeginsOf(const std::vector<core::LedgerRow>& rows) {
  std::map<int, Time> begins;
  for (const core::LedgerRow& row : rows) {
    Time& begin = begins.try_emplace(row.attempt, row.grid.begin).first->second;
    begin = std::min(begin, row.grid.begin);
  }
  return begins;
}

bool IsKnown(const core::Cluster& cluster, int pool) {
  return pool >= 0 && pool < std::ssize(cluster.pools);
}

int SiteNumber(const core::Cluster& cluster, int pool) {
  return IsKnown(cluster, pool) ? cluster.pools[static_cast<std::size_t>(pool)].site : 0;
}

// The moves that the job made: its first one, and one for each attempt that went on at another
// site.
std::vector<store::SettledMove> MovesOf(const core::Job& job, const JobOfSites& of) {
  std::vector<store::SettledMove> moves;
  const std::map<int, Time> begins = BeginsOf(of.rows);
  int last_site = -1;
  for (const store::AttemptRecord& attempt : of.attempts) {
    const auto begin = begins.find(attempt.attempt);
    if (begin == begins.end()) continue;
    const int site = SiteNumber(of.cluster, attempt.pool);
    if (IsKnown(of.cluster, attempt.pool) && site != last_site) {
      const core::Move move = core::MoveTo(job, of.cluster, last_site, attempt.pool);
      if (move.takes > Duration{}) {
        moves.push_back(SettledMoveOf(move, site));
        moves.back().begin = begin->second - move.takes;
      }
    }
    last_site = site;
  }
  return moves;
}

Duration LengthOf(const std::vector<core::LedgerRow>& rows) {
  Time last{};
  for (const Interval& place : core::MovedTo(rows, Time{})) last = std::max(last, place.end);
  return last.time_since_epoch();
}

Time LatestStartOf(const core::Job& job, Duration length) {
  std::optional<Time> latest = job.start_by;
  if (job.finish_by) latest = std::min(latest.value_or(Time::max()), *job.finish_by - length);
  return std::max(latest.value_or(job.submitted), job.submitted);
}

}  // namespace

store::SettledSites SitesOf(const JobOfSites& of) {
  const core::Cluster& cluster = of.cluster;
  core::Job job = of.job;
  job.home = cluster.sites.front().name;
  job.checkpoint_bytes = of.checkpoint_bytes;
  store::SettledSites settled;
  settled.latest = LatestStartOf(job, LengthOf(of.rows));
  for (const core::Site& site : cluster.sites) {
    store::SettledSite& added = settled.sites.emplace_back();
    added.name = site.name;
    added.zone = site.zone;
    added.pue = site.pue;
  }
  for (int pool = 0; pool < std::ssize(cluster.pools); ++pool) {
    const int number = SiteNumber(cluster, pool);
    store::SettledSite& site = settled.sites[static_cast<std::size_t>(number)];
    if (site.allowed || !core::Fits(job, cluster, pool)) continue;
    site.allowed = true;
    site.first_move = SettledMoveOf(core::MoveTo(job, cluster, -1, pool), number);
  }
  for (const auto& [attempt, begin] : BeginsOf(of.rows)) {
    const auto found = std::find_if(of.attempts.begin(), of.attempts.end(),
                                    [&](const auto& known) { return known.attempt == attempt; });
    const int pool = found == of.attempts.end() ? -1 : found->pool;
    settled.sites[static_cast<std::size_t>(SiteNumber(cluster, pool))].attempts.push_back(attempt);
  }
  settled.moves = MovesOf(job, of);
  return settled;
}

Time EndOfStarts(const store::SettledSites& sites, const std::vector<core::LedgerRow>& rows) {
  return sites.latest + LengthOf(rows);
}

namespace {

// The lowest emissions found so far. Of equals the first stays.
struct Best {
  std::optional<double> grams;
  int site = 0;
  Time start{};
  void Take(std::optional<double> other, int at_site, Time at) {
    if (!other || (grams && *other >= *grams)) return;
    grams = other;
    site = at_site;
    start = at;
  }
};

class Alternatives {
 public:
  Alternatives(const std::vector<core::LedgerRow>& rows, const store::SettledSites& sites,
               const std::vector<core::IntensitySeries>& signals)
      : course_(rows), sites_(sites), signals_(signals) {}

  int count() const { return static_cast<int>(sites_.sites.size()); }
  const store::SettledSite& Site(int site) const {
    return sites_.sites[static_cast<std::size_t>(site)];
  }

  // Grams of a move that begins then; nullopt: unknown.
  std::optional<double> OfMove(const store::SettledMove& move, Time begin) const {
    if (move.takes == Duration{}) return 0.0;
    const auto from = MeanOf(move.from, begin, move.takes);
    const auto to = MeanOf(move.to, begin, move.takes);
    if (!from || !to) return std::nullopt;
    return move.network.kwh() * *from + move.there.kwh() * Site(move.to).pue.ratio * *to;
  }
  // Grams of the whole run if it begins at the site then, with the move there.
  std::optional<double> At(int site, Time begin) const {
    const store::SettledMove& move = Site(site).first_move;
    const auto moved = OfMove(move, begin);
    const auto ran = course_.At(begin + move.takes, Signal(site));
    if (!moved || !ran) return std::nullopt;
    return *moved + ran->grams * Site(site).pue.ratio;
  }
  Time LatestAt(int site) const { return sites_.latest - Site(site).first_move.takes; }

  // Adds the starts from the submission on. False: some of them are not known.
  bool AddStarts(int site, Time submitted, Best& best) const {
    bool all_known = true;
    const Time latest = LatestAt(site);
    const auto add = [&](Time start) {
      const auto grams = At(site, start);
      all_known = all_known && grams;
      best.Take(grams, site, start);
    };
    for (Time start = submitted; start <= latest; start += kStartStep) add(start);
    if (latest > submitted) add(latest);
    return all_known;
  }

 private:
  const core::IntensitySeries& Signal(int site) const {
    return signals_[static_cast<std::size_t>(site)];
  }
  std::optional<double> MeanOf(int site, Time begin, Duration length) const {
    const auto mean = Signal(site).Mean({begin, begin + length});
    if (!mean || mean->coverage < 1 - 1e-12) return std::nullopt;
    return mean->intensity.g_per_kwh;
  }

  core::EnergyCourse course_;
  const store::SettledSites& sites_;
  const std::vector<core::IntensitySeries>& signals_;
};

std::optional<Emissions> OfMoves(const Alternatives& alternatives,
                                 const std::vector<store::SettledMove>& moves) {
  Emissions sum;
  for (const store::SettledMove& move : moves) {
    const auto grams = alternatives.OfMove(move, move.begin);
    if (!grams) return std::nullopt;
    sum += Emissions{*grams};
  }
  return sum;
}

// Sets the figures of the best starts, unless some of them are still to be known.
void AddBest(const Alternatives& alternatives, const Settlement& settlement, Time submitted,
             Time ran_from, const Hindsight& hindsight, Best home, Best all,
             PlaceAndTime& figures) {
  bool all_known = alternatives.AddStarts(0, submitted, home);
  all.Take(home.grams, 0, home.start);
  for (int site = 1; site < alternatives.count(); ++site)
    if (alternatives.Site(site).allowed)
      all_known = alternatives.AddStarts(site, submitted, all) && all_known;
  if (!all_known && hindsight.may_be_published) return;
  figures.home_best = Emissions{*home.grams};
  figures.home_start = home.start;
  const auto as_it_ran = settlement.emitted && figures.moves
                             ? std::optional(settlement.emitted->grams + figures.moves->grams)
                             : std::nullopt;
  figures.best_is_as_it_ran = as_it_ran && *as_it_ran < *all.grams;
  figures.best = Emissions{figures.best_is_as_it_ran ? *as_it_ran : *all.grams};
  figures.best_start = figures.best_is_as_it_ran ? ran_from : all.start;
  if (!figures.best_is_as_it_ran) figures.best_site = alternatives.Site(all.site).name;
}

}  // namespace

std::optional<PlaceAndTime> PlaceAndTimeOf(const Settlement& settlement, Time submitted,
                                           Time at_once, const std::vector<core::LedgerRow>& rows,
                                           const store::SettledSites& sites,
                                           const std::vector<core::IntensitySeries>& signals,
                                           const Hindsight& hindsight) {
  if (!settlement.at_submission || rows.empty()) return std::nullopt;
  const Alternatives alternatives(rows, sites, signals);
  Best home, now;
  home.Take(settlement.at_submission->grams, 0, at_once);
  now = home;
  for (int site = 1; site < alternatives.count(); ++site)
    if (alternatives.Site(site).allowed) now.Take(alternatives.At(site, at_once), site, at_once);
  PlaceAndTime figures;
  figures.home_at_once = *settlement.at_submission;
  figures.place_at_once = Emissions{*now.grams};
  figures.site_at_once = alternatives.Site(now.site).name;
  figures.moves = OfMoves(alternatives, sites.moves);
  if (hindsight.now < EndOfStarts(sites, rows)) return figures;
  Time ran_from = Time::max();
  for (const core::LedgerRow& row : rows) ran_from = std::min(ran_from, row.grid.begin);
  AddBest(alternatives, settlement, submitted, ran_from, hindsight, home, now, figures);
  return figures;
}

std::string PlaceAndTimeText(const PlaceAndTime& figures) { return ToFieldText(figures); }

std::optional<PlaceAndTime> PlaceAndTimeFrom(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto figures = FromFieldText<PlaceAndTime>(text, "what a job would have emitted elsewhere");
  return figures ? std::optional(*std::move(figures)) : std::nullopt;
}

}  // namespace ebb::service
