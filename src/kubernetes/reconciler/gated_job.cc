#include "kubernetes/reconciler/gated_job.h"

#include <utility>

namespace ebb::kubernetes {

bool GatedJob::Saw(Unseen what) {
  if (unseen != what) return false;
  unseen = Unseen::kNothing;
  return true;
}

std::string GatedJob::KeptWidth() const {
  if (width_refused.empty()) return object.keeps_width;
  return "it keeps its devices: the API server refuses another number: " + width_refused;
}

GatedJob* GatedJobs::Find(const std::string& uid) {
  const auto found = entries_.find(uid);
  return found == entries_.end() ? nullptr : &found->second;
}

const GatedJob* GatedJobs::Find(const std::string& uid) const {
  const auto found = entries_.find(uid);
  return found == entries_.end() ? nullptr : &found->second;
}

GatedJob* GatedJobs::FindJob(core::JobId job) {
  const auto uid = by_job_.find(job);
  return uid == by_job_.end() ? nullptr : &entries_.at(uid->second);
}

const GatedJob* GatedJobs::FindJob(core::JobId job) const {
  const auto uid = by_job_.find(job);
  return uid == by_job_.end() ? nullptr : &entries_.at(uid->second);
}

void GatedJobs::Offer(GatedJob& entry) {
  if (!entry.has_job()) entry.job = ++last_job_;
  by_job_[entry.job] = entry.object.uid;
  entry.course = Course::kOffered;
}

void GatedJobs::Withdraw(GatedJob& entry, Course course) {
  by_job_.erase(std::exchange(entry.job, 0));
  entry.course = course;
  entry.last.reset();
}

void GatedJobs::Erase(const GatedJob& entry) {
  by_job_.erase(entry.job);
  entries_.erase(std::string(entry.object.uid));
}

}  // namespace ebb::kubernetes
