#include "report/period/period_json.h"

#include "report/json_parts.h"
#include "report/period/period_words.h"

namespace ebb::report {
namespace {

Json GramsJson(std::optional<std::int64_t> micrograms, double half_width_g) {
  if (!micrograms) return nullptr;
  const double grams = Grams(*micrograms);
  return {{"ug", *micrograms},
          {"g", grams},
          {"low_g", core::BandOf(grams, half_width_g).low},
          {"high_g", grams + half_width_g}};
}

Json SavedJson(const PeriodRow& row) {
  const PeriodFigures& figures = row.figures;
  Json json{{"runs_ended", figures.ended}, {"runs_compared", figures.compared}};
  const bool compared = figures.compared > 0;
  const double grams = Grams(figures.saved_ug());
  json["emitted_ug"] = compared ? Json(figures.compared_ug) : Json(nullptr);
  json["at_submission_ug"] = compared ? Json(figures.at_submission_ug) : Json(nullptr);
  json["saved_ug"] = compared ? Json(figures.saved_ug()) : Json(nullptr);
  json["saved_g"] = compared ? Json(grams) : Json(nullptr);
  json["low_g"] = compared ? Json(grams - row.saved_half_g) : Json(nullptr);
  json["high_g"] = compared ? Json(grams + row.saved_half_g) : Json(nullptr);
  return json;
}

Json FiguresJson(const PeriodFigures& figures) {
  Json by_status = Json::object();
  for (std::size_t i = 0; i < figures.on_status.size(); ++i)
    by_status[std::string(core::Name(static_cast<core::SampleStatus>(i)))] =
        figures.on_status[i].microjoules();
  by_status["unknown"] = figures.without_intensity.microjoules();
  return {{"runs", figures.runs},
          {"energy_uj", figures.energy.microjoules()},
          {"energy_kwh", figures.energy.kwh()},
          {"facility_energy_uj", figures.facility_energy.microjoules()},
          {"coverage",
           {{"energy_uj",
             {{"measured", figures.measured.microjoules()},
              {"estimated", (figures.energy - figures.measured).microjoules()}}},
            {"unmetered_s", Seconds(figures.unmetered)},
            {"intensity_uj", by_status},
            {"of_pruned_jobs_uj", figures.of_pruned.microjoules()}}}};
}

Json RowJson(const PeriodRow& row, bool market) {
  const PeriodFigures& figures = row.figures;
  Json json = FiguresJson(figures);
  const double joules = figures.energy.joules();
  json["energy_low_j"] = core::BandOf(joules, row.energy_half_j).low;
  json["energy_high_j"] = joules + row.energy_half_j;
  json["location_based"] = GramsJson(figures.known_emissions_ug(), row.emissions_half_g);
  json["market_based"] = nullptr;
  if (market) {
    json["market_based"] = GramsJson(figures.known_market_ug(), row.market_half_g);
    json["without_contract_uj"] = figures.without_contract.microjoules();
    json["market_unknown_uj"] = figures.market_unknown.microjoules();
  }
  json["saved_against_submission"] = SavedJson(row);
  return json;
}

Json FactorsJson(const std::vector<SupplyFactor>& factors) {
  Json json = Json::array();
  for (const SupplyFactor& factor : factors)
    json.push_back({{"g_per_kwh", factor.intensity.g_per_kwh},
                    {"zone", factor.zone.empty() ? Json(nullptr) : Json(factor.zone)}});
  return json;
}

Json LeftOutJson(const LeftOut& left_out) {
  return {{"runs", left_out.runs}, {"energy_uj", left_out.energy.microjoules()}};
}

Json MatchJson(const BillingMatch& match, const char* name) {
  const BilledFigures& theirs = match.theirs;
  return {{"month", match.month},
          {name, match.name.empty() ? Json(nullptr) : Json(match.name)},
          {"told_as", match.told_as},
          {"theirs",
           {{"lines", theirs.lines},
            {"comparable_g", Maybe(match.comparable_g)},
            {"comparable", match.comparable_g ? Json(match.comparable) : Json(nullptr)},
            {"scope1_g", Maybe(theirs.scope1.value())},
            {"scope2_location_g", Maybe(theirs.scope2_location.value())},
            {"scope2_market_g", Maybe(theirs.scope2_market.value())},
            {"scope2_g", Maybe(theirs.scope2.value())},
            {"scope3_g", Maybe(theirs.scope3.value())},
            {"total_location_g", Maybe(theirs.total_location.value())},
            {"total_market_g", Maybe(theirs.total_market.value())},
            {"total_g", Maybe(theirs.total.value())}}},
          {"ours",
           {{"energy_uj", match.ours.energy.microjoules()},
            {"location_based_ug", Maybe(match.ours.known_emissions_ug())}}},
          {"difference_g", Maybe(match.difference_g())}};
}

Json BillingJson(const BillingReport& billing) {
  Json json{{"files", Json::array()}, {"by_zone", Json::array()}, {"by_project", Json::array()}};
  for (const BillingExport& file : billing.exports)
    json["files"].push_back({{"file", file.file},
                             {"provider", file.provider},
                             {"format", file.format},
                             {"notices", file.notices}});
  for (const BillingMatch& match : billing.by_zone)
    json["by_zone"].push_back(MatchJson(match, "zone"));
  for (const BillingMatch& match : billing.by_project)
    json["by_project"].push_back(MatchJson(match, "project"));
  json["reasons"] = billing.reasons;
  return json;
}

Json MeasuredJson(const JobFigures& figures) {
  return {{"energy_uj", figures.energy.microjoules()},
          {"gpu_energy_uj", figures.gpu.microjoules()},
          {"emissions_ug", Maybe(figures.known_emissions_ug())}};
}

Json SumsJson(const SlurmSums& sums, bool measured) {
  Json json{{"starts", sums.starts}, {"hours", sums.hours}, {"gpu_hours", sums.gpu_hours}};
  if (measured) json.update(MeasuredJson(sums.measured));
  json["starts_with_slurm_energy"] = sums.with_told;
  json["slurm_energy_j"] = sums.with_told > 0 ? Json(sums.told.joules()) : Json(nullptr);
  return json;
}

Json StartJson(const SlurmRow& row) {
  return {{"cluster", row.cluster},
          {"job", row.job},
          {"id", row.id},
          {"restart", row.restart},
          {"user", row.user},
          {"account", row.account},
          {"partition", row.partition},
          {"name", row.name},
          {"state", row.state},
          {"begin", FormatTime(row.wall.begin)},
          {"end", FormatTime(row.wall.end)},
          {"elapsed_s", Seconds(row.elapsed)},
          {"nodes", row.nodes},
          {"cores", row.cores},
          {"gpus", row.gpus},
          {"measured", row.measured ? MeasuredJson(*row.measured) : Json(nullptr)},
          {"slurm_energy_j", row.told ? Json(row.told->joules()) : Json(nullptr)}};
}

Json SlurmJson(const SlurmReport& slurm) {
  Json json{{"measured", SumsJson(slurm.measured, true)},
            {"not_measured", SumsJson(slurm.not_measured, false)},
            {"not_listed", MeasuredJson(slurm.without_row)}};
  json["users"] = Json::array();
  for (const SlurmReport::User& user : slurm.users)
    json["users"].push_back({{"user", user.name},
                             {"measured", SumsJson(user.measured, true)},
                             {"not_measured", SumsJson(user.not_measured, false)}});
  json["starts"] = Json::array();
  for (const SlurmRow& row : slurm.rows) json["starts"].push_back(StartJson(row));
  json["notes"] = slurm.notes;
  return json;
}

}  // namespace

std::string PeriodJson(const PeriodReport& report, const BillingReport* billing,
                       const SlurmReport* slurm) {
  const PeriodRequest& request = report.request;
  const bool market = request.IsMarketBased();
  Json json{{"schema", "ebb.period/1"},
            {"period",
             {{"from", FormatTime(request.period().begin)},
              {"to", FormatTime(request.period().end)},
              {"local_from", request.from},
              {"local_to", request.to},
              {"time_zone", request.time_zone}}},
            {"by", Name(request.by)},
            {"boundary", core::Name(request.boundary)},
            {"supplier_factors", FactorsJson(request.supplier)},
            {"residual_mix", FactorsJson(request.residual_mix)},
            {"total", RowJson(report.total, market)}};
  json["rows"] = Json::array();
  for (const PeriodRow& row : report.rows) {
    Json with_name{{"name", row.name.empty() ? Json(nullptr) : Json(row.name)}};
    with_name.update(RowJson(row, market));
    json["rows"].push_back(std::move(with_name));
  }
  json["days"] = Json::array();
  for (const auto& [date, figures] : report.days)
    json["days"].push_back({{"date", date},
                            {"energy_uj", figures.energy.microjoules()},
                            {"location_based_ug", Maybe(figures.known_emissions_ug())},
                            {"intensity_unknown_uj", figures.without_intensity.microjoules()}});
  json["left_out"] = {{"replayed", LeftOutJson(report.replayed)},
                      {"read_twice", LeftOutJson(report.twice)}};
  json["with_replayed"] = request.with_replayed;
  json["on_another_signal"] = LeftOutJson(report.other_signal);
  json["runs_not_final"] = report.not_final;
  json["runs_not_ended"] = report.not_ended;
  json["notes"] = PeriodNotes(report);
  json["billing"] = billing ? BillingJson(*billing) : Json(nullptr);
  json["slurm"] = slurm ? SlurmJson(*slurm) : Json(nullptr);
  return Document(json);
}

}  // namespace ebb::report
