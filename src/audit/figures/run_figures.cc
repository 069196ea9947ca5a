#include "audit/figures/run_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/csv.h"
#include "base/text.h"
#include "base/time.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

Span SpanFrom(const Json& json) { return {json.at(0).get<Ms>(), json.at(1).get<Ms>()}; }

std::optional<double> NumberIn(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// The index of a word in one of the tables of audit/figures/accounts.h.
template <typename Words>
int IndexOf(const Words& words, const std::string& word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw std::invalid_argument("unknown word \"" + word + "\"");
  return static_cast<int>(found - words.begin());
}

Row RowFrom(const Json& line) {
  Row row;
  row.attempt = line.at("attempt").get<int>();
  row.component = IndexOf(kComponents, line.at("component").get_ref<const std::string&>());
  row.source = IndexOf(kSources, line.at("source").get_ref<const std::string&>());
  row.shared = line.value("shared", false);
  row.wall = SpanFrom(line.at("wall_ms"));
  row.grid = SpanFrom(line.at("grid_ms"));
  row.microjoules = line.at("energy_uj").get<std::int64_t>();
  row.pue = line.at("pue").get<double>();
  if (!line.at("g_per_kwh").is_null()) row.g_per_kwh = line.at("g_per_kwh").get<double>();
  row.status = IndexOf(kStatuses, line.at("status").get_ref<const std::string&>());
  IndexOf(kKinds, line.at("kind").get_ref<const std::string&>());
  const auto other = line.find("other");
  if (other == line.end() || other->is_null()) return row;
  row.has_other = true;
  row.other_g_per_kwh = NumberIn(*other, "g_per_kwh");
  row.other_status = IndexOf(kStatuses, other->at("status").get_ref<const std::string&>());
  row.other_kind = IndexOf(kKinds, other->at("kind").get_ref<const std::string&>());
  return row;
}

// Calls `take` for each line. A line that `take` rejects with an exception is a difference.
void ForEachLine(const RunFiles& files, const std::string& name, Check& check,
                 const std::function<void(const Json&)>& take) {
  const std::string_view text = files.Text(name);
  std::size_t begin = 0, number = 0;
  while (begin < text.size()) {
    ++number;
    const auto newline = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, newline - begin);
    begin = newline + 1;
    if (Trim(line).empty()) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() && newline == text.size()) return;  // a half-written last line
    try {
      take(json);
    } catch (const std::exception& error) {
      check.Differ(name + ":" + std::to_string(number) + ": cannot be read: " + error.what());
    }
  }
}

// Reads rows of "begin,end,value,word". `status` turns the word into a status; a negative number
// rejects the row.
Steps StepsFrom(const std::string& name, std::string_view text, Check& check,
                const std::function<int(const std::string&)>& status) {
  Steps steps;
  CsvReader csv(text, name, CsvBlanks::kTrimmed);
  const auto take = [&]() -> Status {
    const std::string where = name + ":" + std::to_string(csv.line());
    const auto& fields = csv.fields();
    const auto begin = fields.size() > 3 ? ParseTime(fields[0]) : ParseTime("");
    const auto end = fields.size() > 3 ? ParseTime(fields[1]) : ParseTime("");
    const auto value = fields.size() > 3 ? ParseNumber(fields[2]) : std::nullopt;
    const int word = fields.size() > 3 ? status(std::string(fields[3])) : -1;
    if (!begin || !end || !value || word < 0 || *end <= *begin) {
      check.Differ(where + ": is not an interval with a value");
      return {};
    }
    steps.push_back(
        {{begin->time_since_epoch().count(), end->time_since_epoch().count()}, *value, word});
    if (steps.size() > 1 && steps[steps.size() - 2].span.end > steps.back().span.begin)
      check.Differ(where + ": begins before the line above ends");
    return {};
  };
  // The first line is the header.
  const Status read = csv.Next().and_then([&](bool) { return csv.ForEach(take); });
  if (!read) check.Differ(read.error().Message());
  return steps;
}

void ReadSignal(const RunFiles& files, RunFacts& facts, Check& check) {
  std::string newest = "signal.csv";
  ForEachLine(files, "signal_versions.jsonl", check, [&](const Json& line) {
    ++facts.versions;
    facts.asked_at = line.at("asked_at_ms").get<Ms>();
    facts.version_is_final = line.at("final").get<bool>();
    newest = line.at("file").get<std::string>();
    if (!files.Has(newest)) check.Differ(newest + ": is missing");
  });
  if (facts.versions > 0 && files.Text("signal.csv") != files.Text(newest))
    check.Differ("signal.csv: is not the newest version (" + newest + ")");
  facts.version = StepsFrom(newest, files.Text(newest), check, [](const std::string& word) {
    const auto found = std::find(kStatuses.begin(), kStatuses.end(), word);
    return found == kStatuses.end() ? -1 : static_cast<int>(found - kStatuses.begin());
  });
}

void ReadDecisions(const RunFiles& files, RunFacts& facts, Check& check) {
  ForEachLine(files, "decisions.jsonl", check, [&](const Json& line) {
    if (line.contains("skipped_wait_ms")) {
      facts.skipped_waits.push_back(SpanFrom(line.at("skipped_wait_ms")));
      return;
    }
    facts.decisions.push_back(
        {line.at("at_ms").get<Ms>(), line.at("action").get<std::string>(),
         line.at("rule").get<std::string>(), line.at("reason").get<std::string>(),
         NumberIn(line, "current_g_per_kwh"), line.at("current_status").get<std::string>()});
  });
}

void ReadAttempts(const RunFiles& files, RunFacts& facts, Check& check) {
  ForEachLine(files, "attempts.jsonl", check, [&](const Json& line) {
    const int number = line.at("attempt").get<int>();
    if (line.at("event") == "begin") {
      const Ms wall = line.at("wall_ms").get<Ms>(), grid = line.at("grid_ms").get<Ms>();
      facts.attempts.push_back({number, {wall, wall}, {grid, grid}});
      return;
    }
    const auto begun = std::find_if(facts.attempts.begin(), facts.attempts.end(),
                                    [&](const Attempt& a) { return a.number == number; });
    if (begun == facts.attempts.end()) throw std::invalid_argument("ends without having begun");
    *begun = {number,
              SpanFrom(line.at("wall_ms")),
              SpanFrom(line.at("grid_ms")),
              line.at("outcome").get<std::string>(),
              line.at("cpu_utilisation_percent").get<double>(),
              line.at("ram_used_gb").get<double>(),
              line.at("gpu_utilisation_percent").get<double>()};
  });
  std::map<int, Attempt*> open;  // attempts that were killed: they end with their last row
  for (Attempt& attempt : facts.attempts)
    if (attempt.outcome == "running") open[attempt.number] = &attempt;
  for (const Row& row : facts.rows) {
    const auto found = open.find(row.attempt);
    if (found == open.end()) continue;
    found->second->wall.end = std::max(found->second->wall.end, row.wall.end);
    found->second->grid.end = std::max(found->second->grid.end, row.grid.end);
  }
}

void ReadBudget(const RunFiles& files, RunFacts& facts, Check& check) {
  ForEachLine(files, "budget.jsonl", check, [&](const Json& line) {
    const auto event = line.at("event").get<std::string>();
    if (event != "set") {
      facts.budget_events.push_back({event, line.at("measure").get<std::string>(),
                                     line.at("attempt").get<int>(), line.at("wall_ms").get<Ms>(),
                                     line.at("limit").get<double>(),
                                     line.at("used").get<double>()});
      return;
    }
    facts.has_budget = true;
    facts.budget_action = line.at("action").get<std::string>();
    facts.budget_grace = line.at("grace_ms").get<Ms>();
    const auto energy = NumberIn(line, "energy_uj");
    facts.energy_limit_kwh = energy ? std::optional(*energy / 3.6e12) : std::nullopt;
    facts.emissions_limit_g = NumberIn(line, "emissions_g");
  });
}

// Finds the epochs of a run. An epoch lasts from its first beginning to its last end; an epoch that
// begins again undoes the later ones (docs/run-directory.md, progress.jsonl).
class EpochReader {
 public:
  void Add(const Json& event) {
    const Ms time = event.at("time_ms").get<Ms>();
    const auto name = event.at("event").get<std::string>();
    if (name == "begin") last_ = time;
    if (!event.contains("epoch") || event.at("epoch").is_null()) return;
    const int number = event.at("epoch").get<int>();
    if (name == "epoch_begin") Begin(number, time);
    if (name == "epoch_end") End(number, time, event);
  }
  std::vector<Epoch> Take() const {
    std::vector<Epoch> epochs;
    for (const auto& [number, epoch] : epochs_)
      if (ended_.at(number)) epochs.push_back(epoch);
    return epochs;
  }

 private:
  void Begin(int number, Ms time) {
    epochs_.erase(epochs_.upper_bound(number), epochs_.end());
    if (!epochs_.contains(number)) epochs_[number] = {number, {time, time}, {}, {}, {}};
    ended_[number] = false;
  }
  void End(int number, Ms time, const Json& event) {
    const bool is_last = epochs_.contains(number) && epochs_.rbegin()->first == number;
    if (!is_last) Begin(number, last_.value_or(time));
    Epoch& epoch = epochs_[number];
    epoch.wall.end = std::max(time, epoch.wall.begin);
    epoch.train_loss = NumberIn(event, "train_loss");
    if (!epoch.train_loss) epoch.train_loss = NumberIn(event, "loss");
    epoch.test_loss = NumberIn(event, "test_loss");
    epoch.test_accuracy_percent = NumberIn(event, "test_accuracy_percent");
    ended_[number] = true;
    last_ = time;
  }
  std::map<int, Epoch> epochs_;
  std::map<int, bool> ended_;
  std::optional<Ms> last_;
};

std::vector<Epoch> EpochsFrom(std::string_view progress) {
  EpochReader reader;
  for (const std::string_view line : Split(progress, '\n')) {
    Json event = Json::parse(line, nullptr, false);
    if (event.is_discarded()) event = Json::parse(WithoutNonFinite(line), nullptr, false);
    try {
      if (event.is_object()) reader.Add(event);
    } catch (const Json::exception&) {  // other programs may write other events, which are ignored
    }
  }
  return reader.Take();
}

}  // namespace

RunFacts ReadFacts(const RunFiles& files, Check& check) {
  const Json run = Json::parse(files.Text("run.json"));
  RunFacts facts;
  ForEachLine(files, "ledger.jsonl", check,
              [&](const Json& line) { facts.rows.push_back(RowFrom(line)); });
  ReadDecisions(files, facts, check);
  ReadAttempts(files, facts, check);
  ReadSignal(files, facts, check);
  ReadBudget(files, facts, check);
  if (run.contains("prices") && !run.at("prices").is_null())
    facts.prices = StepsFrom("prices.csv", files.Text("prices.csv"), check,
                             [](const std::string&) { return 0; });
  facts.epochs = EpochsFrom(files.Text("progress.jsonl"));
  facts.work = WorkFrom(files.Text("progress.jsonl"));
  facts.several_zones =
      run.value("zones", 1) > 1 ||
      (facts.version.empty() &&
       run.at("signal").at("zone").get<std::string>().find(", ") != std::string::npos);
  return facts;
}

namespace {

// The total time in which at least one attempt ran.
Ms UnionOf(const std::vector<Attempt>& attempts) {
  std::vector<Span> walls;
  for (const Attempt& attempt : attempts) walls.push_back(attempt.wall);
  std::sort(walls.begin(), walls.end(), [](Span a, Span b) { return a.begin < b.begin; });
  Ms total = 0;
  std::optional<Ms> until;
  for (const Span& wall : walls) {
    const Ms from = until ? std::max(wall.begin, *until) : wall.begin;
    if (wall.end > from) total += wall.end - from;
    until = std::max(until.value_or(wall.end), wall.end);
  }
  return total;
}

// The worst outcome of the attempts that ended after the last one had begun.
std::string OutcomeOf(const std::vector<Attempt>& attempts) {
  if (attempts.empty()) return "not_started";
  Ms last_begin = attempts.front().wall.begin;
  for (const Attempt& attempt : attempts) last_begin = std::max(last_begin, attempt.wall.begin);
  for (const char* outcome :
       {"failed", "killed", "stopped_by_budget", "running", "paused", "not_started", "done"})
    for (const Attempt& attempt : attempts)
      if (attempt.outcome == outcome &&
          (attempt.wall.end > last_begin || attempt.wall.begin == last_begin))
        return outcome;
  return attempts.back().outcome;
}

Saving SavingOf(const Alternative& other, const Sums& actual) {
  Saving saving{other, {}, {}, {}};
  if (other.without > 0 || actual.without > 0) return saving;
  saving.saving_g = other.grams - actual.grams;
  if (other.grams > 0) saving.saving_percent = 100 * *saving.saving_g / other.grams;
  return saving;
}

// The start that the run would have had without waiting. A run whose gate never decided to wait did
// start at its submission.
Ms StartAtSubmission(const RunFacts& facts, const RunFigures& figures) {
  const Ms first = Extent(figures.rows).begin;
  const bool waited =
      std::any_of(facts.decisions.begin(), facts.decisions.end(),
                  [](const Decision& decision) { return decision.action == "wait"; });
  return waited || facts.decisions.empty() ? first - figures.waited : first;
}

// Finds the lowest of the starts that docs/METHOD.md names.
class BestStart {
 public:
  BestStart(const Rows& rows, const Steps& published, Span starts, Ms running)
      : rows_(rows),
        published_(published),
        starts_(starts),
        extent_(Extent(rows)),
        paused_(HasPaused(rows)),
        window_{starts.begin, std::max(extent_.end, starts.end + running)} {
    best_ = LowestStart(rows, starts, published);
    Consider(At(starts.begin));
    if (paused_) {
      Consider(LowestWithPauses(rows, window_, published));
      Consider(AsItRan());
    } else if (extent_.begin <= starts.end) {
      Consider(At(extent_.begin));
    }
  }

  // The best start. `told` replaces it if the run would emit as little from there.
  std::optional<Alternative> Found(std::optional<Ms> told) const {
    if (!best_ || !told || *told == best_->start) return best_;
    std::optional<Alternative> other;
    const auto consider = [&](const std::optional<Alternative>& one) {
      if (one && one->without == 0 && (!other || one->grams < other->grams)) other = one;
    };
    const bool inside = *told >= starts_.begin && *told <= starts_.end;
    const bool on_grid = (*told - starts_.begin) % 60'000 == 0;
    if (inside && (on_grid || (!paused_ && *told == extent_.begin))) consider(At(*told));
    if (paused_ && *told == extent_.begin) consider(AsItRan());
    if (paused_) consider(LowestWithPauses(rows_, window_, published_, told));
    const double as_good = rows_.size() <= kSearchedExactly ? 1 + 1e-6 : 1 + 1e-3;
    return other && other->grams <= best_->grams * as_good ? other : best_;
  }

 private:
  // Runs with more rows are searched by stretches, so the result is less exact (docs/METHOD.md,
  // Audit).
  static constexpr std::size_t kSearchedExactly = 500;

  Alternative At(Ms start) const { return AlternativeOf(MovedTo(rows_, start, published_), start); }
  Alternative AsItRan() const { return AlternativeOf(Revalued(rows_, published_), extent_.begin); }
  void Consider(const std::optional<Alternative>& one) {
    if (one && one->without == 0 && (!best_ || one->grams < best_->grams)) best_ = one;
  }
  const Rows& rows_;
  const Steps& published_;
  Span starts_, extent_;
  bool paused_;
  Span window_;
  std::optional<Alternative> best_;
};

void AddCost(const Json& run, const RunFacts& facts, Ms at_submission, RunFigures& figures) {
  const auto prices = run.find("prices");
  if (prices == run.end() || prices->is_null() || prices->at("currency").get<std::string>().empty())
    return;
  std::vector<Span> places;
  for (const Row& row : figures.rows) places.push_back(row.grid);
  figures.cost = CostOf(figures.rows, places, facts.prices);
  figures.cost_at_submission =
      CostOf(figures.rows, PlacesFrom(figures.rows, at_submission), facts.prices);
}

// A difference below this share of the grams on both sides has fewer digits than are compared.
constexpr double kRounding = 1e-5;

void AddSavings(const Json& run, const RunFacts& facts, std::optional<Ms> told_best,
                RunFigures& figures) {
  if (figures.rows.empty()) return;
  const Ms at_submission = StartAtSubmission(facts, figures);
  AddCost(run, facts, at_submission, figures);
  if (facts.several_zones) return;
  const Rows moved = MovedTo(figures.rows, at_submission, figures.signal);
  figures.at_submission = SavingOf(AlternativeOf(moved, at_submission), figures.sums);
  if (figures.at_submission->saving_g)
    figures.at_submission->half_width_g =
        HalfWidthOfSaving(moved, figures.rows, run.at("scope") == "machine");
  // Without a deadline, the job could have started at any time up to its actual start.
  const Ms submitted = run.at("submitted_ms").get<Ms>();
  const Json& start_by = run.at("start_by_ms");
  const Ms latest_start =
      start_by.is_null() ? figures.started.value_or(submitted) : start_by.get<Ms>();
  const Ms latest = std::max(at_submission, at_submission + latest_start - submitted);
  const BestStart search(figures.rows, facts.version, {at_submission, latest}, figures.running);
  if (const auto best = search.Found(told_best)) figures.best = SavingOf(*best, figures.sums);
  if (!figures.at_submission->saving_g || !figures.best) return;
  const double possible = figures.at_submission->run.grams - figures.best->run.grams;
  figures.share_is_rounding = std::abs(possible) < kRounding * figures.at_submission->run.grams;
  if (possible > 0) figures.share_of_possible = *figures.at_submission->saving_g / possible;
}

void AddAtSubmission(const Json& run, const RunFacts& facts, RunFigures& figures) {
  const Ms submitted = run.at("submitted_ms").get<Ms>();
  for (const Step& step : figures.signal)
    if (step.span.begin <= submitted && submitted < step.span.end) {
      figures.g_at_submission = step.value;
      figures.status_at_submission = kStatuses[static_cast<std::size_t>(step.status)];
      return;
    }
  if (facts.decisions.empty() || !facts.decisions.front().g_per_kwh) return;
  figures.g_at_submission = facts.decisions.front().g_per_kwh;
  figures.status_at_submission = facts.decisions.front().status;
}

void AddTimes(const Json& run, const RunFacts& facts, RunFigures& figures) {
  const Ms submitted = run.at("submitted_ms").get<Ms>();
  figures.ended = submitted;
  for (const Attempt& attempt : facts.attempts)
    figures.ended = std::max(figures.ended, attempt.grid.end);
  if (!facts.attempts.empty()) {
    figures.started = facts.attempts.front().grid.begin;
    figures.waited = *figures.started - submitted;
  } else if (!facts.decisions.empty()) {
    figures.waited = facts.decisions.back().at - submitted;
  }
  figures.running = UnionOf(facts.attempts);
  figures.outcome = OutcomeOf(facts.attempts);
}

}  // namespace

RunFigures FiguresOf(const RunFiles& files, const RunFacts& facts, std::optional<Ms> told_best) {
  const Json run = Json::parse(files.Text("run.json"));
  RunFigures figures;
  const bool whole_machine = run.at("scope") == "machine";
  figures.signal = facts.several_zones ? facts.version : AccountingSteps(facts.version, facts.rows);
  figures.rows = facts.several_zones ? facts.rows : Revalued(facts.rows, figures.signal);
  figures.sums = SumsOf(figures.rows);
  figures.sure = UncertaintyOf(figures.rows, whole_machine);
  figures.other_rows = OnOther(figures.rows);
  if (!figures.other_rows.empty()) {
    figures.other = SumsOf(figures.other_rows);
    figures.other_sure = UncertaintyOf(figures.other_rows, whole_machine);
  }
  AddTimes(run, facts, figures);
  AddAtSubmission(run, facts, figures);
  for (const Epoch& epoch : facts.epochs)
    figures.epochs.push_back(SumsWithin(figures.rows, epoch.wall));
  AddSavings(run, facts, told_best, figures);
  return figures;
}

BudgetUse BudgetUseOf(const Rows& rows) {
  Sums sums;
  std::int64_t unknown = 0;
  std::optional<double> highest;
  for (const Row& row : rows) {
    sums.Add(row, row.microjoules);
    if (row.g_per_kwh)
      highest = std::max(highest.value_or(*row.g_per_kwh), *row.g_per_kwh);
    else
      unknown += std::llround(static_cast<double>(row.microjoules) / 1e6 * row.pue * 1e6);
  }
  BudgetUse use{static_cast<double>(sums.facility) / 3.6e12, sums.grams};
  if (unknown > 0)
    use.grams = highest
                    ? std::optional(sums.grams + static_cast<double>(unknown) / 3.6e12 * *highest)
                    : std::nullopt;
  return use;
}

}  // namespace ebb::audit
