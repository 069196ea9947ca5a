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
                   const core::IntensitySeries& published) {
  const std::string text = SettlementText(published);
  const Value asked = Milliseconds(asked_at);
  group.Add(
      "INSERT INTO settlements(job, number, asked_ms, signal, link)"
      " SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ebb_links(coalesce("
      "  (SELECT link FROM settlements WHERE job = ?1 ORDER BY number DESC LIMIT 1),"
      "  'settlements of job ' || ?1), ?4)"
      " FROM settlements WHERE job = ?1 HAVING EXISTS (SELECT 1 FROM jobs WHERE id = ?1)"
      " AND coalesce((SELECT signal FROM settlements WHERE job = ?1 ORDER BY number DESC LIMIT 1),"
      "  '-') != ?3",
      {job, asked, text, LinkText({asked, text})});
}

Result<std::optional<core::IntensitySeries>> FindSettlement(Database& database, core::JobId job,
                                                            const core::SignalIdentity& identity) {
  std::optional<core::IntensitySeries> found;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT signal FROM settlements WHERE job = ? ORDER BY number DESC LIMIT 1",
                     {job}, [&](const Row& row) -> Status {
                       EBB_ASSIGN_OR_RETURN(found, SeriesOf(row.Text(0), identity));
                       return {};
                     }));
  return found;
}

}  // namespace ebb::store
