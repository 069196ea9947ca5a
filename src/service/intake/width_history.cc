#include "service/intake/width_history.h"

#include "base/field_text.h"
#include "core/fields.h"
#include "service/intake/program_name.h"

namespace ebb::service {
namespace {

constexpr Duration kBelieved = std::chrono::days{30};
constexpr std::size_t kMostRates = 120;
constexpr const char* kKey = "widths";
constexpr char kBetween = '\n';

struct StoredRates {
  std::vector<core::WidthRate> rates;
};

template <typename Archive, Like<StoredRates> Value>
void Visit(Archive& archive, Value& value) {
  archive.Must("rates", value.rates);
}

std::string KeyOf(const core::Submission& submission) {
  return std::string(kKey) + kBetween + ProgramOf(submission) + kBetween +
         std::to_string(submission.job.devices);
}

}  // namespace

std::vector<core::WidthRate>& WidthHistory::RatesOf(const core::Submission& submission) const {
  const std::string key = KeyOf(submission);
  const auto [known, is_new] = known_.try_emplace(key);
  if (!is_new) return known->second;
  if (const auto text = store_.Meta(key); text && *text)
    if (auto read = FromFieldText<StoredRates>(**text, key)) known->second = std::move(read->rates);
  return known->second;
}

void WidthHistory::Take(const core::Submission& submission, core::WidthRate rate) {
  std::vector<core::WidthRate>& rates = RatesOf(submission);
  rates.push_back(std::move(rate));
  if (rates.size() > kMostRates) rates.erase(rates.begin());
  store_.SetMeta(KeyOf(submission), ToFieldText(StoredRates{rates}));
}

std::vector<core::MeasuredWidth> WidthHistory::Measured(const core::Submission& submission,
                                                        Time now) const {
  std::vector<core::WidthRate> believed = RatesOf(submission);
  std::erase_if(believed, [&](const core::WidthRate& rate) { return now - rate.at > kBelieved; });
  return core::MeasuredSpeedup(believed, submission.job.devices);
}

bool WidthHistory::AreAlike(const core::Submission& a, const core::Submission& b) const {
  return KeyOf(a) == KeyOf(b);
}

std::string SpeedupText(const core::Job& job, const std::vector<core::WidthSpeed>& learned,
                        const std::vector<core::MeasuredWidth>& measured) {
  return "its speed-up is measured, and plans use it from now on: " +
         core::LearnedText(job, learned, measured);
}

}  // namespace ebb::service
