#include "app/cluster/service_offers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ebb::app {
namespace {

constexpr std::string_view kKeyPrefix = "kubernetes/";
constexpr char kTimesMark = '#';

std::string KeyOf(const std::string& uid, int times) {
  std::string key = std::string(kKeyPrefix) + uid;
  return times == 0 ? key : key + kTimesMark + std::to_string(times);
}

// Removes the object's name from an Error, because the caller reports it with the name.
Error WithoutName(Error error, const std::string& name) {
  if (error.where == name) error.where.clear();
  return error;
}

}  // namespace

std::string UidOfKey(const std::string& key) {
  if (!key.starts_with(kKeyPrefix)) return "";
  const std::string uid = key.substr(kKeyPrefix.size());
  return uid.substr(0, uid.find(kTimesMark));
}

void ServiceOffers::Make(const std::string& uid, const std::string& kind, core::Job job) {
  const core::JobId number = std::exchange(job.id, 0);
  core::Submission submission;
  submission.command = {kind, job.name};
  submission.working_directory = "/";
  submission.job = std::move(job);
  Offer& offer = offers_[number] = {.uid = uid, .submission = std::move(submission)};
  Ask(number, offer);
}

void ServiceOffers::Ask(core::JobId number, Offer& offer) {
  offer.submission.key = KeyOf(offer.uid, offer.times);
  asked_[offer.submission.key].push_back(number);
  service::Submit submit(offer.submission);
  submit.since = offer.submission.job.submitted;
  submit.duration_given = submit.power_given = submit.no_check = true;
  offer.answer = ports_.ask(std::move(submit));
}

bool ServiceOffers::Keep(core::JobId number, const engine::Fact& fact) {
  const auto offer = offers_.find(number);
  if (offer == offers_.end()) return false;
  offer->second.later.push_back(fact);
  return true;
}

std::optional<core::JobId> ServiceOffers::NumberOf(const std::string& key) const {
  const auto found = asked_.find(key);
  return found == asked_.end() ? std::nullopt : std::optional(found->second.front());
}

std::vector<engine::Fact> ServiceOffers::HearAnswers() {
  std::vector<engine::Fact> later;
  for (auto at = offers_.begin(); at != offers_.end();) {
    auto& [number, offer] = *at;
    if (!HearAnswer(number, offer)) {
      ++at;
      continue;
    }
    std::ranges::move(offer.later, std::back_inserter(later));
    at = offers_.erase(at);
  }
  return later;
}

bool ServiceOffers::HearAnswer(core::JobId number, Offer& offer) {
  if (offer.answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return false;
  const Result<service::Answer> answer = offer.answer.get();
  const auto asked = asked_.find(offer.submission.key);
  std::erase(asked->second, number);
  if (asked->second.empty()) asked_.erase(asked);
  // The object was offered before, as a job that has ended.
  if (answer && answer->existing) {
    ++offer.times;
    Ask(number, offer);
    return false;
  }
  if (!answer)
    ports_.refused(number, WithoutName(answer.error(), offer.submission.job.name));
  else if (offer.times == 0)
    ports_.taken(offer.uid, answer->job);
  return true;
}

}  // namespace ebb::app
