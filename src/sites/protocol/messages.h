#pragma once
// Requests of a service to another machine that has Ebb (`ebb site session` there), and the
// answers. Values only. The other end may be of another version, or broken: readers check what they
// get.
//
// A message is one line of JSON. Its field "bytes" tells how many bytes follow the line, which are
// contents of files. Each request gets one answer, in order; "number" is the same in both. An
// answer with "error" means that nothing was done, or that it can be asked again: every request is
// idempotent.

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "local/files/start_order.h"
#include "sites/files/file_fact.h"

namespace ebb::sites {

/// Raised with each change that an older end would misunderstand. Ends of different versions do not
/// work together.
inline constexpr int kProtocolVersion = 2;
/// Longer lines are refused.
inline constexpr std::size_t kLongestLine = 32 << 20;
/// More bytes after a line are refused.
inline constexpr std::size_t kMostBytes = 1 << 20;

/// A job of a service. Several services may use one machine, and a store that a backup replaced may
/// give a number out again.
struct JobKey {
  std::string service;
  std::int64_t job = 0;
  std::int64_t identity = 0;
};

/// The folders of a job: files of its run (checkpoints, progress, ledger), and its working folder.
enum class Root { kRun, kWork };
inline constexpr std::array<std::string_view, 2> kRootNames{"run", "work"};
inline std::string_view Name(Root root) { return kRootNames[static_cast<std::size_t>(root)]; }
inline bool FromName(const FieldReader&, std::string_view name, Root& value) {
  for (std::size_t i = 0; i < kRootNames.size(); ++i)
    if (kRootNames[i] == name) return value = static_cast<Root>(i), true;
  return false;
}

// Requests -----------------------------------------------------------------------------------

struct Hello {
  int version = 0;
  std::string ebb;      ///< version of Ebb, for messages
  std::string service;  ///< that asks; empty: a person looks
};
/// The files that the job's folder is to have. Under `exactly`, a folder in it, no others stay.
struct Offer {
  JobKey job;
  Root root = Root::kRun;
  std::vector<FileFact> files;
  std::string exactly;
};
/// A part of a file; its bytes follow.
struct Put {
  JobKey job;
  Root root = Root::kRun;
  FileFact file;
  std::uint64_t offset = 0;
};
/// Starts an attempt whose files are there.
struct Start {
  JobKey job;
  int attempt = 0;
  std::string plan;  ///< text of local::AttemptPlan
};
/// Has an attempt whose files are there start later, by itself if nothing is heard of the service.
/// Asked again, it tells the site that the service can be heard, and of new times.
struct Keep {
  JobKey job;
  int attempt = 0;
  std::string plan;  ///< text of local::AttemptPlan
  local::StartOrder order;
};
/// Takes such a start back, and all with lower numbers, even if they come later. The answer is
/// StartAnswer: kNone if the attempt cannot start any more.
struct Withdraw {
  JobKey job;
  int attempt = 0;
  std::int64_t order = 0;  ///< number of the order
};
/// How far a file of the run that only grows has been read.
struct ReadUpTo {
  std::string path;
  std::uint64_t offset = 0;
};
struct Look {
  JobKey job;
  int attempt = 0;
  std::vector<ReadUpTo> files;
};
/// Something that the attempt's supervisor is to do.
struct Tell {
  JobKey job;
  int attempt = 0;
  std::string what;  ///< a name of local::EndRequest, or "hurry", "freeze", "thaw"
};
/// Asks for the files of the job as they are now.
struct List {
  JobKey job;
  Root root = Root::kRun;
};
struct Get {
  JobKey job;
  Root root = Root::kRun;
  std::string path;
  std::uint64_t offset = 0;
};
/// The job has ended and all of it was fetched: its folder is not needed any more.
struct Forget {
  JobKey job;
};
/// The files of the job are at home, up to those of this attempt. Its folder stays.
struct Fetched {
  JobKey job;
  int attempt = 0;
};
/// Asks which jobs of the service have folders.
struct Jobs {
  std::string service;
};
using Request = std::variant<Hello, Offer, Put, Start, Keep, Withdraw, Look, Tell, List, Get,
                             Forget, Fetched, Jobs>;
inline constexpr std::array<std::string_view, 13> kRequestNames{
    "hello", "offer", "put", "start",  "keep",    "withdraw", "look",
    "tell",  "list",  "get", "forget", "fetched", "jobs"};

// Answers ------------------------------------------------------------------------------------

struct Gpu {
  std::string uuid, model;
  bool is_busy = false;  ///< another service has it
  std::string fault;     ///< why no program can use it; empty: it answers
};
struct HelloAnswer {
  int version = 0;
  std::string ebb;
  std::string folder;  ///< where jobs are kept, an absolute path
  Time wall{};
  int processors = 0;
  std::vector<Gpu> gpus;
};
struct OfferAnswer {
  std::vector<Held> held;  ///< by file
};
struct PutAnswer {
  std::uint64_t bytes = 0;  ///< that are there now
};
enum class AttemptState {
  kNone,     ///< it was never started
  kKept,     ///< its start is still to come
  kRunning,  ///< its supervisor runs
  kEnded,    ///< it ended, and `end` says how
  kLost,     ///< its supervisor was killed, or the machine was started anew; nothing of it runs
};
inline constexpr std::array<std::string_view, 5> kAttemptStateNames{"none", "kept", "running",
                                                                    "ended", "lost"};
inline std::string_view Name(AttemptState state) {
  return kAttemptStateNames[static_cast<std::size_t>(state)];
}
inline bool FromName(const FieldReader&, std::string_view name, AttemptState& value) {
  for (std::size_t i = 0; i < kAttemptStateNames.size(); ++i)
    if (kAttemptStateNames[i] == name) return value = static_cast<AttemptState>(i), true;
  return false;
}
struct StartAnswer {
  AttemptState state = AttemptState::kNone;
};
/// Parts of files that came since; their bytes follow the line, one file after the other.
struct LookAnswer {
  AttemptState state = AttemptState::kNone;
  std::string end;  ///< text of local::AttemptEnd; empty unless the state is kEnded
  struct Part {
    std::string path;
    std::uint64_t offset = 0;  ///< later than asked if the program's output was trimmed
    std::uint64_t bytes = 0;
    std::uint64_t size = 0;  ///< of the whole file
  };
  std::vector<Part> parts;
};
struct ListAnswer {
  std::vector<FileFact> files;
};
struct GetAnswer {
  std::uint64_t size = 0;  ///< of the whole file
};
struct JobsAnswer {
  struct Folder {
    JobKey job;
    int last_attempt = 0;
    int fetched = 0;  ///< the last attempt whose files are at home; 0: none
  };
  std::vector<Folder> folders;
};
struct Done {};

// Fields -------------------------------------------------------------------------------------

template <typename Archive, Like<JobKey> Value>
void Visit(Archive& archive, Value& value) {
  auto& [service, job, identity] = value;
  archive.Must("service", service);
  archive.Must("job", job);
  archive("identity", identity);
}
template <typename Archive, Like<Hello> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [version, ebb, service] = value;
  archive.Must("version", version);
  archive("ebb", ebb);
  archive("service", service);
}
template <typename Archive, Like<Offer> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, root, files, exactly] = value;
  archive.Must("of", job);
  archive.Must("root", root);
  archive("files", files);
  archive("exactly", exactly);
}
template <typename Archive, Like<Put> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, root, file, offset] = value;
  archive.Must("of", job);
  archive.Must("root", root);
  archive.Must("file", file);
  archive("offset", offset);
}
template <typename Archive, Like<Start> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt, plan] = value;
  archive.Must("of", job);
  archive.Must("attempt", attempt);
  archive.Must("plan", plan);
}
template <typename Archive, Like<Keep> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt, plan, order] = value;
  archive.Must("of", job);
  archive.Must("attempt", attempt);
  archive.Must("plan", plan);
  archive.Must("order", order);
}
template <typename Archive, Like<Withdraw> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt, order] = value;
  archive.Must("of", job);
  archive.Must("attempt", attempt);
  archive.Must("order", order);
}
template <typename Archive, Like<ReadUpTo> Value>
void Visit(Archive& archive, Value& value) {
  auto& [path, offset] = value;
  archive.Must("path", path);
  archive("offset", offset);
}
template <typename Archive, Like<Look> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt, files] = value;
  archive.Must("of", job);
  archive.Must("attempt", attempt);
  archive("files", files);
}
template <typename Archive, Like<Tell> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt, what] = value;
  archive.Must("of", job);
  archive.Must("attempt", attempt);
  archive.Must("what", what);
}
template <typename Archive, Like<List> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, root] = value;
  archive.Must("of", job);
  archive.Must("root", root);
}
template <typename Archive, Like<Get> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, root, path, offset] = value;
  archive.Must("of", job);
  archive.Must("root", root);
  archive.Must("path", path);
  archive("offset", offset);
}
template <typename Archive, Like<Forget> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job] = value;
  archive.Must("of", job);
}
template <typename Archive, Like<Fetched> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt] = value;
  archive.Must("of", job);
  archive.Must("attempt", attempt);
}
template <typename Archive, Like<Jobs> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [service] = value;
  archive.Must("service", service);
}
template <typename Archive, Like<JobsAnswer::Folder> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, last_attempt, fetched] = value;
  archive.Must("of", job);
  archive("last_attempt", last_attempt);
  archive("fetched", fetched);
}
template <typename Archive, Like<JobsAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [folders] = value;
  archive("folders", folders);
}
template <typename Archive, Like<Gpu> Value>
void Visit(Archive& archive, Value& value) {
  auto& [uuid, model, is_busy, fault] = value;
  archive.Must("uuid", uuid);
  archive("model", model);
  archive("busy", is_busy);
  archive("fault", fault);
}
template <typename Archive, Like<HelloAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [version, ebb, folder, wall, processors, gpus] = value;
  archive.Must("version", version);
  archive("ebb", ebb);
  archive("folder", folder);
  archive("wall_ms", wall);
  archive("processors", processors);
  archive("gpus", gpus);
}
template <typename Archive, Like<OfferAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [held] = value;
  archive("held", held);
}
template <typename Archive, Like<PutAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [bytes] = value;
  archive("have", bytes);
}
template <typename Archive, Like<StartAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [state] = value;
  archive.Must("state", state);
}
template <typename Archive, Like<LookAnswer::Part> Value>
void Visit(Archive& archive, Value& value) {
  auto& [path, offset, bytes, size] = value;
  archive.Must("path", path);
  archive("offset", offset);
  archive("length", bytes);
  archive("size", size);
}
template <typename Archive, Like<LookAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [state, end, parts] = value;
  archive.Must("state", state);
  archive("end", end);
  archive("parts", parts);
}
template <typename Archive, Like<ListAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [files] = value;
  archive("files", files);
}
template <typename Archive, Like<GetAnswer> Value>
void Visit(Archive& archive, Value& value) {
  auto& [size] = value;
  archive("size", size);
}
template <typename Archive, Like<Done> Value>
void Visit(Archive&, Value&) {}

}  // namespace ebb::sites
