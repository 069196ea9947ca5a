// The keys of sites and of pools of devices in a scenario file.

#include "config/neo_clock.h"
#include "config/options/run_option.h"
#include "config/publication_key.h"
#include "config/scenario/scenario_table.h"
#include "core/jobs/move.h"
#include "core/options/field_builders.h"
#include "core/signal/signal_choices.h"

namespace ebb::config {
namespace {

using core::OptionValue;

constexpr double kMostIdleWatts = 1e6;

// A key with the type and range of an option of runs.
core::Field LikeRun(const char* section, const char* option, core::Field words) {
  return WithTypeOf(RunOptionOfKey(section, option).field, std::move(words));
}

MemberAccess<SiteSection> NeoOffset() {
  return {[](const OptionValue& value, SiteSection& s) -> Status {
            s.signal.neo_clock = FixedNeoClock(DurationFromSeconds(std::get<double>(value) * 3600));
            return {};
          },
          [](const SiteSection& s) -> std::optional<OptionValue> {
            const auto& offset = s.signal.neo_clock.utc_offset;
            if (!offset) return std::nullopt;
            return Hours(offset(Time{}));
          }};
}

// Keys that say where the intensity comes from.
SectionTable<SiteSection> SourceKeys() {
  using S = SiteSection;
  return {
      Key<S>(
          TextField("name", "what jobs and devices call it; unique", "the zone", R"("norway")"),
          [](auto& s) -> auto& { return s.site.name; }),
      Key<S>(
          TextField("zone", "grid zone of a trace or a constant, a label", "", "DE"),
          [](auto& s) -> auto& { return s.site.zone; }),
      Key<S>(
          TextField("trace",
                    "a CSV file of its intensity ([signals](signals.md)). A site needs exactly "
                    "one of `trace`, `profile` and `constant_g_per_kwh`",
                    "", "de.csv.gz"),
          [](auto& s) -> auto& { return s.signal.trace_path; }),
      Key<S>(
          TextField("how_to_get", "with `trace`: what Ebb says if the file is missing", "",
                    R"("download it from ...")"),
          [](auto& s) -> auto& { return s.signal.how_to_get; }),
      KeyByRule<S>(
          TextField("publication_lag",
                    "with `trace`: how long after its end an interval was published; "
                    "`none`: known when it begins",
                    "the file's", "2h"),
          "duration, or `none`", ReadPublicationLag,
          [](auto& s) -> auto& { return s.signal.publication; }),
      Key<S>(
          TextField("weather",
                    "with `trace`: a file of archived weather runs, or a folder of GFS "
                    "([weather](weather.md))",
                    "", "de-weather.csv.gz"),
          [](auto& s) -> auto& { return s.signal.weather.path; }),
      Key<S>(
          DurationField("weather_lag",
                        "with `weather`: how long after its begin a run was published", "6h", "5h"),
          [](auto& s) -> auto& { return s.signal.weather.publication_lag; }),
      Key<S>(TextField("profile", "the typical days of this zone, MODELLED", "", "DE"),
             &S::profile),
      Key<S>(
          LikeRun(kSchedulerSection, "constant",
                  TextField("constant_g_per_kwh", "one value, in g CO2e per kWh", "", "300")),
          [](auto& s) -> auto& { return s.signal.constant; }),
      Key<S>(
          LikeRun(kSchedulerSection, "profile_seed",
                  TextField("seed", "with `profile`: seed of the day-to-day variation", "1", "7")),
          [](auto& s) -> auto& { return s.signal.seed; })};
}

SectionTable<SiteSection> OtherSiteKeys() {
  using S = SiteSection;
  return {
      KeyWith<S>(core::Number("neo_utc_offset_hours",
                              "with `profile: neo`: the clock of its hours, ahead of UTC", "0", "1",
                              -14, 14),
                 NeoOffset()),
      KeyByRule<S>(TextField("neo_time_zone", "the same as a time zone", "UTC", "Europe/Berlin"),
                   "", ReadNeoClock, &S::neo_time_zone),
      NamedKey<S>(
          LikeRun(kSchedulerSection, "kind",
                  TextField("kind", "which intensity it is, if not what the trace says",
                            "the trace's", "marginal")),
          [](auto& s) -> auto& { return s.signal.kind; }, core::SignalKindFromName),
      NamedKey<S>(
          LikeRun(kSchedulerSection, "boundary",
                  TextField("boundary", "which emissions it counts, if not what the trace says",
                            "the trace's", "direct")),
          [](auto& s) -> auto& { return s.signal.boundary; }, core::BoundaryFromName),
      Key<S>(
          LikeRun(kMeteringSection, "pue",
                  TextField("pue", "facility energy per unit of IT energy", "1", "1.2")),
          [](auto& s) -> auto& { return s.site.pue; }),
      Key<S>(TextField("prices", "a file of what electricity costs ([prices](prices.md))", "",
                       "de-prices.csv"),
             &S::prices),
      Key<S>(TextField("operators",
                       "with `trace`: a file or folder of what operators expect of load, wind and "
                       "sun ([forecast](forecast.md#with-day-ahead-prices))",
                       "", "de-operators.csv"),
             &S::operators)};
}

constexpr double kMostMegabits = 1e6;
constexpr double kMostSetUpKwh = 1000;
constexpr double kBytesPerMegabit = 1e6 / 8;

MemberAccess<SiteSection> Bandwidth() {
  return {[](const OptionValue& value, SiteSection& s) -> Status {
            s.site.bytes_per_second = std::get<double>(value) * kBytesPerMegabit;
            return {};
          },
          [](const SiteSection& s) -> std::optional<OptionValue> {
            return s.site.bytes_per_second.value_or(core::kBytesPerSecond) / kBytesPerMegabit;
          }};
}

// Keys of moves to the site, and of the data that may lie there.
SectionTable<SiteSection> MoveKeys() {
  using S = SiteSection;
  return {
      KeyWith<S>(core::In("Mbit/s", core::Number("bandwidth_mbit_s",
                                                 "bandwidth to and from other sites, in Mbit/s: "
                                                 "the slower of two sites counts",
                                                 "1000", "100", 0.001, kMostMegabits)),
                 Bandwidth()),
      Key<S>(
          DurationField("set_up",
                        "what the site takes to begin a job whose files have come from another one",
                        "0s", "5m"),
          [](auto& s) -> auto& { return s.site.set_up; }),
      Key<S>(
          core::In("kWh", core::Number("set_up_kwh", "energy of that set-up", "0", "0.05", 0,
                                       kMostSetUpKwh)),
          [](auto& s) -> auto& { return s.site.set_up_energy; }),
      Key<S>(
          core::Field{"allowed_data", core::Shape::kTexts,
                      "labels of the data that it may hold (`data` of jobs)", "any",
                      R"(["public"])"},
          [](auto& s) -> auto& { return s.site.allowed_data; }),
      Key<S>(
          core::Field{"forbidden_data", core::Shape::kTexts,
                      "labels of the data that it may not hold", "none", R"(["personal"])"},
          [](auto& s) -> auto& { return s.site.forbidden_data; })};
}

}  // namespace

const SectionTable<SiteSection>& SiteTable() {
  static const SectionTable<SiteSection> table =
      Joined(Joined(SourceKeys(), OtherSiteKeys()), MoveKeys());
  return table;
}

core::Field SpeedField() {
  return core::Number("speed", "a job takes its duration divided by this", "1", "1.05", 0.001,
                      1000);
}

core::Field PowerFactorField() {
  return core::Number("power_factor", "a job draws its power times this", "1", "1.89", 0.001, 1000);
}

const SectionTable<PoolSection>& PoolTable() {
  using S = PoolSection;
  static const SectionTable<S> table{
      Key<S>(
          TextField("model", "device model", "device", R"("A5000")"),
          [](auto& s) -> auto& { return s.pool.model; }),
      Key<S>(TextField("site", "name of the site; required if there are several", "the only site",
                       R"("norway")"),
             &S::site),
      Key<S>(
          core::Whole("count", "how many of them", "1", "8", 1, core::kMostDevices),
          [](auto& s) -> auto& { return s.pool.count; }),
      Key<S>(
          SpeedField(), [](auto& s) -> auto& { return s.pool.speed; }),
      Key<S>(
          PowerFactorField(), [](auto& s) -> auto& { return s.pool.power_factor; }),
      Key<S>(core::In("W", core::Number("idle_w",
                                        "power of a free device, in watts; if it is unknown, it "
                                        "counts nowhere, which is reported",
                                        "that of the model ([devices](devices.md))", "22", 0,
                                        kMostIdleWatts)),
             &S::idle)};
  return table;
}

}  // namespace ebb::config
