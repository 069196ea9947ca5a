#pragma once
// The jobs of the service and the objects of a cluster that they were made for, by the objects'
// uids. The service's job numbers outlive the process; those of the cluster executor, which each
// job gets once its object is offered, do not.
//
// An object that is offered as another job has two for a while: the one that was given up, and the
// live one.
//
// Values.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/jobs/job.h"

namespace ebb::app {

class ObjectJobs {
 public:
  /// The service has made this job for the object. If the service has taken this number back from
  /// another object's job, that one is dropped.
  void Add(core::JobId job, const std::string& uid);
  /// The job's object is known to the executor by this number.
  void Bind(core::JobId job, core::JobId number);
  /// The object may be offered again as another job.
  void GiveUp(core::JobId job);
  void Drop(core::JobId job);

  /// The object's job that has not ended and was not given up.
  std::optional<core::JobId> LiveJobOf(const std::string& uid) const;
  const std::map<std::string, core::JobId>& live() const { return live_; }
  /// nullptr: no such job is known.
  const std::string* UidOf(core::JobId job) const;
  /// The executor's number; nothing: its object was not offered yet.
  std::optional<core::JobId> NumberOf(core::JobId job) const;
  std::optional<core::JobId> JobOf(core::JobId number) const;

 private:
  void Unbind(core::JobId job);

  struct Entry {
    std::string uid;
    std::optional<core::JobId> number;
  };
  std::unordered_map<core::JobId, Entry> jobs_;
  std::unordered_map<core::JobId, core::JobId> by_number_;
  std::map<std::string, core::JobId> live_;  // by uid
};

}  // namespace ebb::app
