#include "signals/generation/operator_mix.h"

#include <algorithm>

#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

constexpr int kNotFound = 404;

std::string FactorsText(core::Boundary boundary) {
  return boundary == core::Boundary::kDirect ? "direct factors by fuel"
                                             : "life-cycle factors by fuel (IPCC AR5)";
}

class OperatorProvider final : public Provider {
 public:
  OperatorProvider(OperatorMix mix, HttpGetFunction http_get)
      : mix_(std::move(mix)),
        http_get_(std::move(http_get)),
        identity_{mix_.zone, core::SignalKind::kAverage, mix_.boundary,
                  mix_.credit + ", production-based without imports, " +
                      FactorsText(mix_.boundary) + ", " + ShownUrl(mix_.base_url)} {}

  const std::string& name() const override { return mix_.name; }
  const core::SignalIdentity& identity() const override { return identity_; }

  Result<Reading> Read(const Question& question) override {
    const Time now = question.now;
    const Time begin = std::clamp(question.known_until, now - mix_.history, now - mix_.asks_again);
    std::vector<GenerationRow> rows;
    for (const MixQuestion& asked : mix_.questions(begin, now))
      EBB_RETURN_IF_ERROR(Ask(asked, rows));
    const std::string where = ShownUrl(mix_.base_url);
    EBB_ASSIGN_OR_RETURN(std::vector<Point> points,
                         IntensityOf(rows, mix_.step, mix_.boundary, where));
    Payload payload;
    EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), mix_.step, where));
    Reading reading;
    EBB_RETURN_IF_ERROR(AddPayload(payload, now, where, reading));
    if (reading.known.empty())
      return Fail({ExitCode::kUnavailable,
                   mix_.credit + " has no complete values of the last hours", where,
                   "it is asked again; or choose another source with --signal"});
    return reading;
  }

 private:
  Status Ask(const MixQuestion& asked, std::vector<GenerationRow>& rows) const {
    const std::string& url = asked.request.url;
    EBB_ASSIGN_OR_RETURN(const platform::HttpResponse response, http_get_(asked.request));
    if (response.status == kNotFound && asked.may_be_missing) return {};
    if (response.status != 200) return Fail(RefusedBy(url, response.status, mix_.hint));
    EBB_ASSIGN_OR_RETURN(const auto more, asked.read(response.body, ShownUrl(url)));
    rows.insert(rows.end(), more.begin(), more.end());
    return {};
  }

  const OperatorMix mix_;
  const HttpGetFunction http_get_;
  const core::SignalIdentity identity_;
};

}  // namespace

std::unique_ptr<Provider> MakeOperatorMix(OperatorMix mix, HttpGetFunction http_get) {
  return std::make_unique<OperatorProvider>(std::move(mix), std::move(http_get));
}

std::vector<std::string> LocalDays(const prices::ZoneClock& clock, Time begin, Time now) {
  using std::chrono::days;
  std::vector<std::string> names;
  const auto last = std::chrono::floor<days>(clock.LocalOf(now));
  for (auto day = std::chrono::floor<days>(clock.LocalOf(begin)); day <= last; day += days{1}) {
    const std::string iso = FormatTime(Time{day.time_since_epoch()});
    names.push_back(iso.substr(0, 4) + iso.substr(5, 2) + iso.substr(8, 2));
  }
  return names;
}

}  // namespace ebb::signals
