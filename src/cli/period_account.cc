#include "cli/period_account.h"

#include "app/options/when.h"
#include "app/period_sources.h"
#include "base/text.h"
#include "cli/display.h"
#include "cli/local_days.h"
#include "cli/say.h"
#include "platform/system_clock.h"

namespace ebb::cli {
namespace {

constexpr Duration kLongestPeriod{std::chrono::days{366 * 100}};
constexpr double kHighestFactor = 5000;  // g/kWh; a larger number is in another unit or a slip

// Later than any run.
constexpr Time kFarFuture{std::chrono::days{365 * 1000}};

tl::unexpected<Error> Refuse(const std::string& what, const std::string& next) {
  return Fail({ExitCode::kUsage, what, "", next});
}

// "35", "35 g/kWh", "35:DE", "35 g/kWh:DE".
Result<report::SupplyFactor> FactorOf(const std::string& flag, const std::string& text) {
  report::SupplyFactor factor;
  std::string_view rest = text;
  if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
    factor.zone = Trim(rest.substr(colon + 1));
    rest = rest.substr(0, colon);
  }
  rest = Trim(rest);
  if (rest.ends_with("g/kWh")) rest = Trim(rest.substr(0, rest.size() - 5));
  const auto number = ParseNumber(rest);
  if (!number || *number < 0 || *number > kHighestFactor)
    return Refuse(flag + ": " + Quoted(text) + " is not an emission factor",
                  "give grams per kWh, for one zone if you like: 35, or 0:DE");
  factor.intensity = {*number};
  return factor;
}

Result<std::vector<report::SupplyFactor>> FactorsOf(const std::string& flag,
                                                    const std::string& texts) {
  std::vector<report::SupplyFactor> factors;
  if (texts.empty()) return factors;
  for (const std::string_view text : Split(texts, ',')) {
    EBB_ASSIGN_OR_RETURN(report::SupplyFactor factor, FactorOf(flag, std::string(text)));
    for (const report::SupplyFactor& other : factors)
      if (other.zone == factor.zone)
        return Refuse(flag + ": " + Quoted(text) + " is a second factor for " +
                          (factor.zone.empty() ? "all zones" : factor.zone),
                      "give one for each zone");
    factors.push_back(std::move(factor));
  }
  return factors;
}

// Reads the dates that are given.
Status ReadDates(const PeriodFlags& flags, PeriodQuestion& question) {
  if (!flags.from.empty()) {
    EBB_ASSIGN_OR_RETURN(question.from, app::MomentOf("--from", flags.from, question.zone));
  }
  if (!flags.to.empty()) {
    EBB_ASSIGN_OR_RETURN(question.to, app::MomentOf("--to", flags.to, question.zone));
  }
  if (!question.from || !question.to) return {};
  if (*question.to <= *question.from || *question.to - *question.from > kLongestPeriod)
    return Refuse("--to has to be after --from, by 100 years at most",
                  "the day of --to is not part of the period");
  return {};
}

// Sets the days of the request: those that were asked for, or else those of the runs.
Status SetDays(const PeriodQuestion& question, const app::PeriodSources& opened,
               report::PeriodRequest& request) {
  Interval period;
  if (question.from && question.to) {
    period = {*question.from, *question.to};
  } else {
    const auto span = opened.Span(platform::WallNow());
    if (!span)
      return Refuse("no run that started is there",
                    "name run directories, or give --from and --to");
    const Interval whole = WholeDays(*span, question.zone);
    period = {question.from.value_or(whole.begin), question.to.value_or(whole.end)};
    if (period.end <= period.begin || period.length() > kLongestPeriod)
      return Refuse("no run lies within the period", "give both --from and --to");
  }
  request.days = DaysOf(period, question.zone);
  request.from = LocalMinute(period.begin, question.zone);
  request.to = LocalMinute(period.end, question.zone);
  request.time_zone = question.zone.name();
  return {};
}

// Emissions of unlike boundaries are never summed.
Result<core::Boundary> BoundaryOf(const PeriodFlags& flags, const app::PeriodSources& sources) {
  if (!flags.boundary.empty()) {
    if (const auto boundary = core::BoundaryFromName(flags.boundary)) return *boundary;
    return Refuse("--boundary: " + Quoted(flags.boundary) + " is not accepted",
                  "lifecycle, direct or unknown");
  }
  const auto boundaries = sources.Boundaries();
  if (boundaries.empty()) return core::Boundary::kUnknown;
  if (boundaries.size() == 1) return boundaries.begin()->first;
  std::vector<std::string> texts;
  for (const auto& [boundary, runs] : boundaries)
    texts.push_back(std::to_string(runs) + " " + std::string(core::Name(boundary)));
  return Refuse("the runs are accounted within different boundaries: " + Join(texts, ", "),
                "give --boundary: the grams of the others then count as not known");
}

Result<report::PeriodReport> Account(app::PeriodSources& sources, report::PeriodRequest request) {
  report::PeriodAccount account(std::move(request));
  std::vector<std::string> notices;
  const Time begin = platform::WallNow();
  {
    StatusLine line(ModeFor(false));
    Time next = begin + std::chrono::seconds{2};
    EBB_RETURN_IF_ERROR(sources.ReadInto(
        account, begin,
        [&](std::size_t number, std::size_t of) {
          const Time now = platform::WallNow();
          if (now < next) return;
          next = now + std::chrono::milliseconds{200};
          line.Rewrite("run " + std::to_string(number) + " of " + std::to_string(of));
        },
        notices));
  }
  if (sources.copies() > 0)
    notices.push_back("copies of runs that count once: " + std::to_string(sources.copies()));
  for (const std::string& notice : notices) SayNote(notice);
  return account.Report();
}

}  // namespace

void AddPeriodFlags(Command& command, PeriodFlags& flags) {
  const auto text = [&](const char* name, const char* value, const char* help,
                        std::string PeriodFlags::*member) {
    command.Flag({name, value, help, "period"}, [&flags, name, member](const std::string& given) {
      flags.*member = given;
      flags.given = name;
    });
  };
  text("from", "DATE", "first day, by the local clock; or a time", &PeriodFlags::from);
  text("to", "DATE", "the day after the last one", &PeriodFlags::to);
  text("time-zone", "NAME", "time zone of the days, e.g. Europe/Berlin (default: yours)",
       &PeriodFlags::time_zone);
  text("by", "project|user|zone|site|run", "one row for each of these (default project)",
       &PeriodFlags::by);
  text("boundary", "lifecycle|direct|unknown",
       "emissions boundary, if the runs have different ones", &PeriodFlags::boundary);
  text("supplier-factor", "G_PER_KWH[:ZONE],...",
       "factor of electricity under contract: adds market-based emissions",
       &PeriodFlags::supplier_factors);
  text("residual-mix", "G_PER_KWH[:ZONE],...", "factor for energy without a contract",
       &PeriodFlags::residual_mix);
  command.List(
      {"billing", "FILE", "carbon export of AWS, Google Cloud or Azure to compare with", "period"},
      &flags.billing);
  text("slurm", "FILE", "Slurm's accounting to compare with: sacct, or a file that sacct -P wrote",
       &PeriodFlags::slurm);
  command.Switch({"include-replayed", "", "include runs on a replayed grid clock", "period"},
                 [&flags] {
                   flags.include_replayed = true;
                   flags.given = "include-replayed";
                 });
}

Result<PeriodQuestion> ReadPeriodFlags(const std::vector<std::string>& sources,
                                       const PeriodFlags& flags, PeriodDates dates) {
  if (dates == PeriodDates::kRequired && (flags.from.empty() || flags.to.empty()))
    return Refuse("a period needs --from and --to",
                  "ebb report period --from 2026-10-01 --to 2026-11-01 runs");
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock zone, app::ZoneOfUser(flags.time_zone));
  PeriodQuestion question{zone};
  EBB_RETURN_IF_ERROR(ReadDates(flags, question));
  report::PeriodRequest& request = question.request;
  const auto by = report::PeriodByFromName(flags.by);
  if (!by)
    return Refuse("--by: " + Quoted(flags.by) + " is not accepted",
                  "project, user, zone, site or run");
  request.by = *by;
  request.with_replayed = flags.include_replayed;
  EBB_ASSIGN_OR_RETURN(request.supplier, FactorsOf("--supplier-factor", flags.supplier_factors));
  EBB_ASSIGN_OR_RETURN(request.residual_mix, FactorsOf("--residual-mix", flags.residual_mix));
  if (sources.empty())
    return Refuse("nothing is named to report on",
                  flags.billing.empty() ? "name run directories, folders of them, or stores"
                                        : "name the runs before --billing: it takes every word "
                                          "that follows it");
  return question;
}

Result<report::PeriodReport> AccountPeriod(const std::vector<std::string>& sources,
                                           const PeriodFlags& flags,
                                           const PeriodQuestion& question) {
  const Interval asked{question.from.value_or(Time{}), question.to.value_or(kFarFuture)};
  EBB_ASSIGN_OR_RETURN(app::PeriodSources opened,
                       app::PeriodSources::Open({sources.begin(), sources.end()}, asked));
  report::PeriodRequest request = question.request;
  EBB_RETURN_IF_ERROR(SetDays(question, opened, request));
  EBB_ASSIGN_OR_RETURN(request.boundary, BoundaryOf(flags, opened));
  return Account(opened, std::move(request));
}

}  // namespace ebb::cli
