#pragma once
// An API server in this process, over plain HTTP, for what a real one does not do on command:
// answers cut off at any byte, versions that are too old, refusals, silence. It keeps objects,
// numbers their versions, lists them in pages, streams watches, merges patches and applies them
// server-side, by version if they name one; it refuses changes of Jobs that a real one refuses; and
// it does what controllers of Jobs do: what is released runs, and ends as the test says.
//
// A thread for each connection. Everything here may be called from the test's thread.

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ebb::kubernetes {

class FakeApiServer {
 public:
  using Json = nlohmann::json;

  /// How a Job goes that is released.
  enum class Course { kRuns, kSucceeds, kFails };

  FakeApiServer();
  ~FakeApiServer();

  /// "http://127.0.0.1:34567"
  std::string url() const;

  // Objects. `collection`: "/apis/batch/v1/jobs".
  /// With uid, version and time of creation; in namespace "default" where none is said.
  Json Create(const std::string& collection, Json object);
  void Delete(const std::string& collection, const std::string& name);
  Json Get(const std::string& collection, const std::string& name) const;
  /// Merged, as a client's patch is.
  void Patch(const std::string& collection, const std::string& name, const Json& patch);
  /// Sets the answer to a GET of this path, if it is not an object; a group ("/apis/GROUP") that
  /// nobody sets is not there.
  void SetAnswer(const std::string& path, Json answer);
  /// Sets the server's version 1.`minor`, and if it changes the requests of a suspended Job's Pods.
  void SetVersion(int minor, bool changes_requests);
  void SetCourse(const std::string& name, Course course);
  /// A pod of a Job, which runs until it is deleted.
  Json CreatePod(const std::string& name, const std::string& job, int gpus = 0,
                 const std::string& node = "node");

  // Faults.
  /// The next connections are closed after so many bytes of answers, one for each.
  void CutAfter(std::vector<std::size_t> bytes);
  /// Closes all connections now.
  void CutAll();
  /// Makes watches from an earlier version than now answer 410.
  void ForgetHistory();
  /// Answers the next requests with this status, unless they are watches.
  void Refuse(int status, int requests);
  /// Answers patches of this object with this status; 0: makes them.
  void RefusePatches(const std::string& name, int status);
  /// Makes the next patches of this object, and answers as a gateway that has waited too long.
  void LoseAnswers(const std::string& name, int patches);
  void SetStreamsLists(bool streams);
  /// While it is away, no request is answered and connections are closed.
  void SetAway(bool away);

  struct Counts {
    std::int64_t lists = 0, watches = 0, patches = 0, posts = 0, refused_patches = 0;
  };
  Counts counts() const;
  /// The patches of an object, in the order in which they came.
  std::vector<Json> PatchesOf(const std::string& name) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A Job that waits, with this annotation and label "ebb/wait".
nlohmann::json JobObject(const std::string& name,
                         std::map<std::string, std::string> annotations = {}, int gpus = 0);
/// A node that is ready.
nlohmann::json NodeObject(const std::string& name, int cores, int gpus,
                          const std::string& gpu_model = "");

}  // namespace ebb::kubernetes
