#include "store/accounts/settlement_records.h"

#include "base/text.h"
#include "store/database/links.h"

namespace ebb::store {
namespace {

bool GoesOn(const core::Sample& before, const core::Sample& sample) {
  return before.interval.end == sample.interval.begin && before.status == sample.status &&
         before.interval.length() == sample.interval.length();
}

// The samples of one piece; nothing if it is damaged.
std::optional<std::vector<core::Sample>> SamplesOf(std::string_view piece) {
  const auto words = Split(piece, ' ');
  if (words.size() < 4) return std::nullopt;
  const auto begin = ParseInteger(words[0]), step = ParseInteger(words[1]);
  const auto status = core::SampleStatusFromName(words[2]);
  if (!begin || !step || *step <= 0 || !status) return std::nullopt;
  std::vector<core::Sample> samples;
  Time at{Duration{*begin}};
  for (std::size_t i = 3; i < words.size(); ++i, at += Duration{*step}) {
    const auto value = ParseNumber(words[i]);
    if (!value) return std::nullopt;
    samples.push_back({{at, at + Duration{*step}}, Intensity{*value}, *status});
  }
  return samples;
}

Result<core::IntensitySeries> SeriesOf(std::string_view text,
                                       const core::SignalIdentity& identity) {
  std::vector<core::Sample> samples;
  if (!text.empty())
    for (const std::string_view piece : Split(text, ';')) {
      const auto more = SamplesOf(piece);
      if (!more)
        return Fail({ExitCode::kConfiguration, "is damaged", "what a job was settled on",
                     "look with ebb audit"});
      samples.insert(samples.end(), more->begin(), more->end());
    }
  return core::IntensitySeries::Create(identity, std::move(samples));
}

// The values of a site's zone in a settlement; nothing: the settlement does not have the site.
Result<std::optional<std::string>> SignalAt(const std::string& sites, const std::string& home,
                                            const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const SettledSites settled, SettledSitesFrom(sites));
  for (const SettledSite& site : settled.sites)
    if (site.name == name)
      return std::optional(&site == &settled.sites.front() ? home : site.signal);
  return std::optional<std::string>();
}

}  // namespace

std::string SettlementText(const core::IntensitySeries& published) {
  std::string text;
  const core::Sample* before = nullptr;
  for (const core::Sample& sample : published.samples()) {
    if (!before || !GoesOn(*before, sample)) {
      if (before) text += ';';
      text += std::to_string(Milliseconds(sample.interval.begin)) + " " +
              std::to_string(sample.interval.length().count()) + " " +
              std::string(core::Name(sample.status));
    }
    text += " " + FormatExact(sample.intensity.g_per_kwh);
    before = &sample;
  }
  return text;
}

void AddSettlement(WriteGroup& group, core::JobId job, Time asked_at,
                   const core::IntensitySeries& published, const SettledSites* sites) {
  const std::string text = SettlementText(published);
  const Value asked = Milliseconds(asked_at),
              of_sites = TextOrNull(sites ? SettledSitesText(*sites) : "");
  const std::string record = sites ? LinkText({asked, text, of_sites}) : LinkText({asked, text});
  group.Add(
      "INSERT INTO settlements(job, number, asked_ms, signal, sites, link)"
      " SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?5, ebb_links(coalesce("
      "  (SELECT link FROM settlements WHERE job = ?1 ORDER BY number DESC LIMIT 1),"
      "  'settlements of job ' || ?1), ?4)"
      " FROM settlements WHERE job = ?1 HAVING EXISTS (SELECT 1 FROM jobs WHERE id = ?1)"
      " AND coalesce((SELECT signal || coalesce(sites, '') FROM settlements WHERE job = ?1"
      "  ORDER BY number DESC LIMIT 1), '-') != ?3 || coalesce(?5, '')",
      {job, asked, text, record, of_sites});
}

Result<std::optional<core::IntensitySeries>> FindSettlement(Database& database, core::JobId job,
                                                            const core::SignalIdentity& identity,
                                                            const std::string& site) {
  std::optional<core::IntensitySeries> found;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT signal, coalesce(sites, '') FROM settlements WHERE job = ?"
                     " ORDER BY number DESC LIMIT 1",
                     {job}, [&](const Row& row) -> Status {
                       const std::string home(row.Text(0)), sites(row.Text(1));
                       std::optional<std::string> text;
                       if (site.empty()) text = home;
                       if (!site.empty() && !sites.empty()) {
                         EBB_ASSIGN_OR_RETURN(text, SignalAt(sites, home, site));
                       }
                       if (text) {
                         EBB_ASSIGN_OR_RETURN(found, SeriesOf(*text, identity));
                       }
                       return {};
                     }));
  return found;
}

}  // namespace ebb::store
