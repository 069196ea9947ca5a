#include "app/options/codecarbon_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

config::CodeCarbonSettings Settings(const std::map<std::string, std::string>& values) {
  config::CodeCarbonSettings settings;
  for (const auto& [key, value] : values) settings[key] = {value, "f:1"};
  return settings;
}

CodeCarbonFlags Flags(const std::map<std::string, std::string>& values,
                      const FlagValues& given = {}) {
  const auto flags = FromCodeCarbon(Settings(values), given);
  EXPECT_TRUE(flags) << flags.error().Message();
  return flags ? *flags : CodeCarbonFlags{};
}

std::string Refusal(const std::map<std::string, std::string>& values) {
  const auto flags = FromCodeCarbon(Settings(values), {});
  if (flags) return "";
  EXPECT_EQ(flags.error().code, ExitCode::kConfiguration);
  return flags.error().Message();
}

TEST(CodeCarbonFlags, NothingSetIsNothingChanged) {
  EXPECT_THAT(Flags({}).values, IsEmpty());
  EXPECT_THAT(Flags({}).notes, IsEmpty());
}

TEST(CodeCarbonFlags, TakesOverWhatMeansTheSame) {
  const CodeCarbonFlags flags = Flags({{"project_name", "p"},
                                       {"measure_power_secs", "1.5"},
                                       {"tracking_mode", "machine"},
                                       {"force_cpu_power", "95"},
                                       {"force_ram_power", "12"},
                                       {"pue", "1.3"},
                                       {"on_csv_write", "update"},
                                       {"experiment_id", "e"},
                                       {"experiment_name", "n"},
                                       {"force_mode_cpu_load", "True"},
                                       {"gpu_ids", "[0, \"GPU-12ab\"]"},
                                       {"log_level", "error"},
                                       {"output_dir", "out"},
                                       {"output_file", "x.csv"}});
  const FlagValues expected{{"name", "p"},
                            {"interval", "1.5s"},
                            {"scope", "machine"},
                            {"cpu-tdp", "95"},
                            {"rapl", "none"},
                            {"ram-power", "12"},
                            {"pue", "1.3"},
                            {"csv-write", "update"},
                            {"group", "e"},
                            {"gpu-ids", "0,GPU-12ab"},
                            {"cpu-model", "codecarbon"},
                            {"emissions-file", "out/x.csv"}};
  EXPECT_EQ(flags.values, expected);
  EXPECT_THAT(flags.notes, IsEmpty());
}

TEST(CodeCarbonFlags, OurOwnFlagsWin) {
  const CodeCarbonFlags flags =
      Flags({{"pue", "1.3"}, {"country_iso_code", "FRA"}, {"output_file", "x.csv"}},
            {{"pue", "1.1"}, {"constant", "50"}, {"emissions-file", "mine.csv"}});
  EXPECT_THAT(flags.values, IsEmpty());
}

TEST(CodeCarbonFlags, TheSignalIsForcedThenLiveThenTheCountrysMean) {
  FlagValues values = Flags({{"country_iso_code", "FRA"}}).values;
  EXPECT_EQ(values["zone"], "FR");
  EXPECT_EQ(values["signal"], "yearly-average");
  values = Flags({{"country_iso_code", "FRA"}, {"electricitymaps_api_token", "t"}}).values;
  EXPECT_EQ(values["signal"], "electricity-maps");
  values = Flags({{"country_iso_code", "FRA"}, {"co2_signal_api_token", "t"}, {"offline", "true"}})
               .values;
  EXPECT_EQ(values["signal"], "yearly-average");
  values = Flags({{"country_iso_code", "FRA"}, {"force_carbon_intensity_g_co2e_kwh", "42"}}).values;
  EXPECT_EQ(values["constant"], "42");
  EXPECT_FALSE(values.contains("signal"));
  EXPECT_THAT(Refusal({{"offline", "true"}}), HasSubstr("give --country-iso-code FRA"));
  EXPECT_THAT(Refusal({{"country_iso_code", "UK"}}), HasSubstr("did you mean \"GBR\""));
}

TEST(CodeCarbonFlags, TheCloudsRegionNamesTheZoneBeforeTheCountry) {
  FlagValues values = Flags({{"cloud_provider", "aws"}, {"cloud_region", "eu-west-3"}}).values;
  EXPECT_EQ(values["zone"], "FR");
  EXPECT_EQ(values["signal"], "yearly-average");
  EXPECT_EQ(values["cloud-region"], "eu-west-3") << "still the row's label";
  values = Flags({{"cloud_provider", "gcp"},
                  {"cloud_region", "europe-west3"},
                  {"country_iso_code", "FRA"},
                  {"offline", "true"}})
               .values;
  EXPECT_EQ(values["zone"], "DE");
  const CodeCarbonFlags unknown = Flags(
      {{"cloud_provider", "aws"}, {"cloud_region", "eu-west-33"}, {"country_iso_code", "ITA"}});
  EXPECT_EQ(unknown.values.at("zone"), "IT");
  ASSERT_THAT(unknown.notes, SizeIs(1));
  EXPECT_THAT(unknown.notes[0], HasSubstr("eu-west-33"));
}

TEST(CodeCarbonFlags, ASecretIsHandedOnAndNeverShown) {
  const CodeCarbonFlags flags =
      Flags({{"electricitymaps_api_token", "s3cret"}, {"api_key", "s3cret"}});
  EXPECT_EQ(flags.electricity_maps_token, "s3cret");
  for (const auto& [flag, value] : flags.values) EXPECT_NE(value, "s3cret") << flag;
  ASSERT_THAT(flags.notes, SizeIs(2));
  for (const std::string& note : flags.notes) EXPECT_THAT(note, Not(HasSubstr("s3cret")));
  EXPECT_THAT(flags.notes[1], HasSubstr("guesses none from an IP address"));
}

TEST(CodeCarbonFlags, OutputMethods) {
  EXPECT_EQ(Flags({{"output_methods", "csv, Prometheus"}}).values["prometheus-url"],
            "http://localhost:9091");
  const CodeCarbonFlags pushed = Flags({{"save_to_prometheus", "true"},
                                        {"save_to_file", "False"},
                                        {"prometheus_url", "gateway:1234"}});
  EXPECT_EQ(pushed.values, (FlagValues{{"prometheus-url", "http://gateway:1234"}}));
  EXPECT_FALSE(Flags({{"output_methods", "api"}}).values.contains("emissions-file"));
  EXPECT_THAT(Refusal({{"output_methods", "csv,xml"}}), HasSubstr("output_methods"));
}

TEST(CodeCarbonFlags, WhatIsIgnoredIsNamedWithTheReasonOnce) {
  config::CodeCarbonSettings settings = Settings({{"api_endpoint", "x"}, {"save_to_api", "true"}});
  settings["projet_name"] = {"p", "CODECARBON_PROJET_NAME"};
  settings["log_level"] = {"", "CODECARBON_LOG_LEVEL"};
  const auto flags = FromCodeCarbon(settings, {});
  ASSERT_TRUE(flags);
  EXPECT_THAT(flags->notes,
              ElementsAre("CodeCarbon's setting CODECARBON_PROJET_NAME is ignored: CodeCarbon 3.3 "
                          "has no such key (did you mean \"project_name\"?)",
                          "CodeCarbon's setting api_endpoint (f:1), save_to_api (f:1) is ignored: "
                          "Ebb sends nothing to CodeCarbon's server"));
}

TEST(CodeCarbonFlags, ItsDefaultsCountWhereNothingElseIsSaid) {
  const auto apply = [](const FlagValues& given, const config::CodeCarbonSettings& settings) {
    RunOptions options;
    EXPECT_TRUE(ApplyWithCodeCarbon(given, {settings, false, true}, options));
    return options;
  };
  EXPECT_EQ(apply({}, {}).metering.scope, core::MeterScope::kMachine);
  EXPECT_EQ(apply({}, {}).emissions_file, "emissions.csv");
  EXPECT_EQ(apply({{"scope", "process"}}, {}).metering.scope, core::MeterScope::kProcessTree);
  EXPECT_EQ(apply({}, Settings({{"tracking_mode", "process"}})).metering.scope,
            core::MeterScope::kProcessTree);
}

TEST(CodeCarbonFlags, TheNameOfAnExperimentIsKeptBesideItsId) {
  const CodeCarbonFlags flags = Flags({{"experiment_id", "e"}, {"experiment_name", "n"}});
  EXPECT_EQ(flags.experiment_name, "n");
  EXPECT_EQ(flags.values.at("group"), "e");
}

TEST(CodeCarbonFlags, AnUnknownKeyAloneTurnsNothingOn) {
  EXPECT_THAT(Flags({{"dir", "/x"}}).values, IsEmpty());
}

TEST(CodeCarbonFlags, AValueThatCannotBeUsedIsNamedWithWhereItStands) {
  for (const auto& [key, value] : std::map<std::string, std::string>{{"pue", "a lot"},
                                                                     {"tracking_mode", "gpu"},
                                                                     {"on_csv_write", "replace"},
                                                                     {"measure_power_secs", "-1"},
                                                                     {"save_to_file", "maybe"}}) {
    const std::string message = Refusal({{key, value}});
    EXPECT_THAT(message, HasSubstr("f:1: " + key + ": \"" + value + "\" is not accepted"));
  }
}

}  // namespace
}  // namespace ebb::app
