#include "audit/figures/placed_job.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

constexpr Ms kQuarter = 15 * 60'000;
constexpr double kMicrojoulesPerKwh = 3.6e12;

int StatusOf(std::string_view word) {
  const auto found = std::find(kStatuses.begin(), kStatuses.end(), word);
  return found == kStatuses.end() ? -1 : static_cast<int>(found - kStatuses.begin());
}

PlacedJob::Move MoveFrom(const Json& json) {
  return {json.value("from", std::size_t{0}), json.value("to", std::size_t{0}),
          json.value("begin_ms", Ms{0}),      json.value("takes_ms", Ms{0}),
          json.value("network_uj", Ms{0}),    json.value("there_uj", Ms{0})};
}

PlacedJob::Site SiteFrom(const Json& json) {
  PlacedJob::Site site;
  site.name = json.value("name", "");
  site.pue = json.at("pue").get<double>();
  site.attempts = json.value("attempts", std::vector<int>{});
  site.allowed = json.value("allowed", false);
  site.first_move = MoveFrom(json.at("first_move"));
  return site;
}

bool IsSound(const PlacedJob& job) {
  const auto is_known = [&](const PlacedJob::Move& move) {
    return move.from < job.sites.size() && move.to < job.sites.size() && move.takes >= 0;
  };
  return !job.sites.empty() && std::all_of(job.moves.begin(), job.moves.end(), is_known) &&
         std::all_of(job.sites.begin(), job.sites.end(),
                     [&](const auto& site) { return is_known(site.first_move); });
}

}  // namespace

std::optional<Steps> SettledSteps(std::string_view text) {
  Steps steps;
  if (text.empty()) return steps;
  for (const std::string_view piece : Split(text, ';')) {
    const auto words = Split(piece, ' ');
    const auto begin = words.size() > 3 ? ParseInteger(words[0]) : std::nullopt;
    const auto step = words.size() > 3 ? ParseInteger(words[1]) : std::nullopt;
    const int status = words.size() > 3 ? StatusOf(words[2]) : -1;
    if (!begin || !step || *step <= 0 || status < 0) return std::nullopt;
    Ms at = *begin;
    for (std::size_t i = 3; i < words.size(); ++i, at += *step) {
      const auto value = ParseNumber(words[i]);
      if (!value) return std::nullopt;
      steps.push_back({{at, at + *step}, *value, status});
    }
  }
  return steps;
}

std::optional<PlacedJob> ReadPlacedJob(std::string_view text, const Steps& home) try {
  const Json json = Json::parse(text);
  PlacedJob job;
  for (const Json& one : json.at("sites")) {
    const auto published = SettledSteps(one.value("signal", ""));
    if (!published) return std::nullopt;
    job.sites.push_back(SiteFrom(one));
    job.sites.back().published = job.sites.size() == 1 ? home : *published;
  }
  job.latest = json.value("latest_ms", Ms{0});
  for (const Json& one : json.value("moves", Json::array())) job.moves.push_back(MoveFrom(one));
  job.figures = json.value("figures", "");
  return IsSound(job) ? std::optional(std::move(job)) : std::nullopt;
} catch (const Json::exception&) {
  return std::nullopt;
}

namespace {

// Rows of attempts that no site names were measured at home.
std::size_t SiteOf(const PlacedJob& job, const Row& row) {
  for (std::size_t i = 0; i < job.sites.size(); ++i)
    if (std::ranges::find(job.sites[i].attempts, row.attempt) != job.sites[i].attempts.end())
      return i;
  return 0;
}

std::vector<Rows> RowsBySite(const PlacedJob& job, const Rows& rows) {
  std::vector<Rows> by_site(job.sites.size());
  for (const Row& row : rows) by_site[SiteOf(job, row)].push_back(row);
  return by_site;
}

Ms StartOf(const Rows& rows, Ms submitted) {
  const Ms first = Extent(rows).begin;
  return first - submitted <= kAtOnce ? first : submitted;
}

Rows WithPue(Rows rows, double pue) {
  for (Row& row : rows) row.pue = pue;
  return rows;
}

}  // namespace

SettledRows SettledOneSite(const Rows& rows, Ms submitted, const Steps& published) {
  const Steps signal = AccountingSteps(published, rows);
  const Ms start = StartOf(rows, submitted);
  return {Revalued(rows, signal), MovedTo(rows, start, signal), start};
}

SettledRows SettledAtSites(const PlacedJob& job, const Rows& rows, Ms submitted) {
  const std::vector<Rows> by_site = RowsBySite(job, rows);
  if (by_site.front().size() == rows.size())
    return SettledOneSite(rows, submitted, job.sites.front().published);
  SettledRows settled;
  Rows together;
  for (std::size_t i = 0; i < by_site.size(); ++i) {
    const Steps signal = AccountingSteps(job.sites[i].published, by_site[i]);
    for (const Row& row : Revalued(by_site[i], signal)) settled.actual.push_back(row);
    together.insert(together.end(), by_site[i].begin(), by_site[i].end());
  }
  settled.start = StartOf(rows, submitted);
  settled.moved = MovedTo(WithPue(together, job.sites.front().pue), settled.start,
                          AccountingSteps(job.sites.front().published, by_site.front()));
  return settled;
}

std::optional<double> KnownGrams(const Rows& rows) {
  const Sums sums = SumsOf(rows);
  return sums.without == 0 ? std::optional(sums.grams) : std::nullopt;
}

namespace {

// The emissions of the job in one piece, at any site and start.
class Pieces {
 public:
  Pieces(const PlacedJob& job, const Rows& rows, Ms submitted, Ms at_once)
      : job_(job), rows_(rows), submitted_(submitted), at_once_(at_once) {
    const std::vector<Rows> by_site = RowsBySite(job, rows);
    for (std::size_t i = 0; i < job.sites.size(); ++i)
      signals_.push_back(AccountingSteps(job.sites[i].published, by_site[i]));
  }

  std::optional<double> OfMove(const PlacedJob::Move& move, Ms begin) const {
    if (move.takes == 0) return 0.0;
    const Span span{begin, begin + move.takes};
    const auto from = MeanOver(signals_[move.from], span), to = MeanOver(signals_[move.to], span);
    if (!from || !to) return std::nullopt;
    return static_cast<double>(move.network) / kMicrojoulesPerKwh * *from +
           static_cast<double>(move.there) / kMicrojoulesPerKwh * job_.sites[move.to].pue * *to;
  }
  std::optional<double> OfMoves() const {
    double grams = 0;
    for (const PlacedJob::Move& move : job_.moves) {
      const auto one = OfMove(move, move.begin);
      if (!one) return std::nullopt;
      grams += *one;
    }
    return grams;
  }

  Ms LatestAt(std::size_t site) const { return job_.latest - job_.sites[site].first_move.takes; }
  // The starts that are looked at, without the one at once.
  std::vector<Ms> StartsAt(std::size_t site) const {
    std::vector<Ms> starts;
    for (Ms start = submitted_; start <= LatestAt(site); start += kQuarter) starts.push_back(start);
    if (LatestAt(site) > submitted_) starts.push_back(LatestAt(site));
    return starts;
  }
  std::vector<std::optional<double>> At(std::size_t site, std::vector<Ms> starts) const {
    const PlacedJob::Move& move = job_.sites[site].first_move;
    std::vector<std::optional<double>> moved;
    for (Ms& start : starts) {
      moved.push_back(OfMove(move, start));
      start += move.takes;
    }
    auto grams = GramsFrom(WithPue(rows_, job_.sites[site].pue), starts, signals_[site]);
    for (std::size_t i = 0; i < grams.size(); ++i)
      grams[i] = grams[i] && moved[i] ? std::optional(*grams[i] + *moved[i]) : std::nullopt;
    return grams;
  }
  std::optional<double> AtOnce(std::size_t site) const { return At(site, {at_once_}).front(); }
  std::optional<double> LowestAt(std::size_t site) const {
    std::optional<double> lowest;
    for (const auto& grams : At(site, StartsAt(site)))
      if (grams && (!lowest || *grams < *lowest)) lowest = grams;
    return lowest;
  }
  // The emissions at a start that the figures name; nullopt: it is not one that is looked at.
  std::optional<double> Named(const std::string& name, Ms start) const {
    for (std::size_t i = 0; i < job_.sites.size(); ++i) {
      if (job_.sites[i].name != name) continue;
      const auto starts = StartsAt(i);
      const bool is_one =
          start == at_once_ || std::find(starts.begin(), starts.end(), start) != starts.end();
      return is_one ? At(i, {start}).front() : std::nullopt;
    }
    return std::nullopt;
  }
  bool IsOpen(std::size_t site) const { return site == 0 || job_.sites[site].allowed; }

 private:
  const PlacedJob& job_;
  const Rows& rows_;
  const Ms submitted_, at_once_;
  std::vector<Steps> signals_;
};

std::optional<double> Lower(std::optional<double> one, std::optional<double> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

std::optional<double> NumberIn(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

void CompareBest(const Json& told, const PlacedJob& job, const Pieces& pieces,
                 std::optional<double> home, std::optional<double> lowest,
                 std::optional<double> as_it_ran, const SameFigure& same) {
  home = Lower(home, pieces.LowestAt(0));
  lowest = Lower(lowest, home);
  for (std::size_t i = 1; i < job.sites.size(); ++i)
    if (pieces.IsOpen(i)) lowest = Lower(lowest, pieces.LowestAt(i));
  const auto told_home = NumberIn(told, "home_best_g"), told_best = NumberIn(told, "best_g");
  same("home_best_g", told_home, home);
  same("home_best_g at home_start_ms", told_home,
       pieces.Named(job.sites.front().name, told.value("home_start_ms", Ms{0})));
  same("best_g", told_best, Lower(lowest, as_it_ran));
  const bool is_as_it_ran = told.value("best_is_as_it_ran", false);
  same("best_g at its place and start", told_best,
       is_as_it_ran
           ? as_it_ran
           : pieces.Named(told.value("best_site", ""), told.value("best_start_ms", Ms{0})));
}

}  // namespace

std::string ComparePlaces(const PlacedJob& job, const Rows& rows, Ms submitted,
                          const SettledRows& settled, const SameFigure& same) try {
  const auto emitted = KnownGrams(settled.actual), home = KnownGrams(settled.moved);
  if (job.figures.empty()) return home ? "its figures at other places are missing" : "";
  const Json told = Json::parse(job.figures);
  const Pieces pieces(job, rows, submitted, settled.start);
  same("home_at_once_g", NumberIn(told, "home_at_once_g"), home);
  const auto moves = pieces.OfMoves();
  same("moves_g", NumberIn(told, "moves_g"), moves);
  std::optional<double> lowest = home;
  for (std::size_t i = 1; i < job.sites.size(); ++i)
    if (pieces.IsOpen(i)) lowest = Lower(lowest, pieces.AtOnce(i));
  const auto at_once = NumberIn(told, "place_at_once_g");
  same("place_at_once_g", at_once, lowest);
  same("place_at_once_g at site_at_once", at_once,
       pieces.Named(told.value("site_at_once", ""), settled.start));
  const auto as_it_ran = emitted && moves ? std::optional(*emitted + *moves) : std::nullopt;
  if (told.contains("best_g") || told.contains("home_best_g"))
    CompareBest(told, job, pieces, home, lowest, as_it_ran, same);
  return "";
} catch (const Json::exception&) {
  return "its figures at other places cannot be read";
}

}  // namespace ebb::audit
