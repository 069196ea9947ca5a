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
  numbers_[uid] = number;
  Ask(offer);
}

void ServiceOffers::Ask(Offer& offer) {
  offer.submission.key = KeyOf(offer.uid, offer.times);
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

std::optional<core::JobId> ServiceOffers::NumberOf(const std::string& uid) const {
  const auto found = numbers_.find(uid);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
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
    if (NumberOf(offer.uid) == number) numbers_.erase(offer.uid);
    at = offers_.erase(at);
  }
  return later;
}

bool ServiceOffers::HearAnswer(core::JobId number, Offer& offer) {
  if (offer.answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return false;
  const Result<service::Answer> answer = offer.answer.get();
  // The object was offered before, as a job that has ended.
  if (answer && answer->existing) {
    ++offer.times;
    Ask(offer);
    return false;
  }
  if (!answer)
    ports_.refused(number, WithoutName(answer.error(), offer.submission.job.name));
  else if (offer.times == 0)
    ports_.taken(offer.uid, answer->job);
  return true;
}

}  // namespace ebb::app
