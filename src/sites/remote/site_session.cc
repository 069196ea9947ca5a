#include "sites/remote/site_session.h"

#include "local/supervisor/device_lock.h"
#include "platform/file.h"
#include "platform/free_space.h"
#include "platform/path_facts.h"
#include "platform/system.h"
#include "platform/system_clock.h"
#include "sites/protocol/wire.h"

namespace ebb::sites {
namespace {

namespace fs = std::filesystem;

// Space for the plan, the log and the first figures of an attempt.
constexpr std::uint64_t kRoomOfAStart = 64 << 10;

struct Answer {
  std::string fields, bytes;
};

class Session {
 public:
  explicit Session(const SiteSessionOptions& options) : options_(options) {}

  Result<Answer> AnswerTo(const Request& request, const std::string& bytes) {
    Result<Answer> answer =
        std::visit([&](const auto& asked) { return Do(asked, bytes); }, request);
    if (answer || platform::HasRoomFor(options_.jobs.state, kRoomOfAStart)) return answer;
    // On a full disk no job is at fault.
    Error error = answer.error();
    error.code = ExitCode::kTryLater;
    if (error.next.empty())
      error.next = "the disk of " + options_.jobs.state.string() + " is full: make room on it";
    return Fail(std::move(error));
  }

 private:
  Result<Answer> Do(const Hello& hello, const std::string&) {
    if (hello.version != kProtocolVersion)
      return Fail({ExitCode::kConfiguration,
                   "speaks version " + std::to_string(kProtocolVersion) +
                       " of the protocol of sites, and was asked in version " +
                       std::to_string(hello.version),
                   "ebb " + options_.version, "install the same version of Ebb on both machines"});
    EBB_RETURN_IF_ERROR(
        platform::EnsureWritableDirectory(options_.jobs.state, platform::Readers::kOwner));
    HelloAnswer answer{kProtocolVersion,
                       options_.version,
                       platform::AbsolutePath(options_.jobs.state).string(),
                       platform::WallNow(),
                       platform::LogicalProcessors(),
                       options_.gpus()};
    const std::string own = answer.folder + "/" + hello.service + "/";
    for (Gpu& gpu : answer.gpus) {
      const auto holder = local::HolderOf(gpu.uuid);
      gpu.is_busy = holder && !holder->starts_with(own);
    }
    return Fields(answer);
  }
  Result<Answer> Do(const Offer& offer, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(offer.job));
    const Folder folder = job->FolderFor(offer.root);
    if (!offer.exactly.empty()) folder.RemoveOthers(offer.exactly, offer.files);
    OfferAnswer answer;
    for (const FileFact& file : offer.files) {
      EBB_ASSIGN_OR_RETURN(const Held held, folder.Have(file));
      answer.held.push_back(held);
    }
    return Fields(answer);
  }
  Result<Answer> Do(const Put& put, const std::string& bytes) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(put.job));
    Folder folder = job->FolderFor(put.root);
    EBB_ASSIGN_OR_RETURN(const std::uint64_t have, folder.Put(put.file, put.offset, bytes));
    return Fields(PutAnswer{have});
  }
  Result<Answer> Do(const Start& start, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(start.job));
    EBB_ASSIGN_OR_RETURN(const StartAnswer answer, job->Begin(start));
    return Fields(answer);
  }
  Result<Answer> Do(const Keep& keep, const std::string&) {
    EBB_ASSIGN_OR_RETURN(SiteJob * job, Job(keep.job));
    EBB_ASSIGN_OR_RETURN(const StartAnswer answer, job->KeepFor(keep));
    return Fields(answer);
  }
  Result<Answer> Do(const Withdraw& withdraw, const std::string&) {
    EBB_ASSIGN_OR_RETURN(SiteJob * job, Job(withdraw.job));
    EBB_ASSIGN_OR_RETURN(const StartAnswer answer, job->TakeBack(withdraw));
    return Fields(answer);
  }
  Result<Answer> Do(const Look& look, const std::string&) {
    EBB_ASSIGN_OR_RETURN(SiteJob * job, Job(look.job));
    Answer answer;
    EBB_ASSIGN_OR_RETURN(const LookAnswer seen, job->LookAt(look, answer.bytes));
    answer.fields = FieldsOf(seen);
    return answer;
  }
  Result<Answer> Do(const Tell& tell, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(tell.job));
    EBB_RETURN_IF_ERROR(job->Pass(tell));
    return Answer{};
  }
  Result<Answer> Do(const List& list, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(list.job));
    EBB_ASSIGN_OR_RETURN(const ListAnswer answer, job->ListFiles(list.root));
    return Fields(answer);
  }
  Result<Answer> Do(const Get& get, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(get.job));
    const Folder folder = job->FolderFor(get.root);
    EBB_ASSIGN_OR_RETURN(std::string bytes, folder.Get(get.path, get.offset, kMostBytes));
    return Answer{FieldsOf(GetAnswer{get.offset + bytes.size()}), std::move(bytes)};
  }
  Result<Answer> Do(const Forget& forget, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(forget.job));
    EBB_RETURN_IF_ERROR(job->Remove());
    jobs_.erase(forget.job.job);
    return Answer{};
  }

  Result<Answer> Do(const Fetched& fetched, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const SiteJob* job, Job(fetched.job));
    EBB_RETURN_IF_ERROR(job->NoteFetched(fetched.attempt));
    return Answer{};
  }
  Result<Answer> Do(const Jobs& jobs, const std::string&) {
    EBB_ASSIGN_OR_RETURN(const JobsAnswer answer, JobsOf(options_.jobs.state, jobs.service));
    return Fields(answer);
  }

  template <typename T>
  static Answer Fields(const T& value) {
    return {FieldsOf(value), ""};
  }
  // A connection is of one job mostly.
  Result<SiteJob*> Job(const JobKey& key) {
    auto found = jobs_.find(key.job);
    if (found == jobs_.end()) {
      EBB_ASSIGN_OR_RETURN(SiteJob job, SiteJob::Open(options_.jobs, key));
      found = jobs_.emplace(key.job, std::pair{key, std::move(job)}).first;
    }
    auto& [known, job] = found->second;
    if (known.service != key.service || known.identity != key.identity)
      return Fail({ExitCode::kUsage, "a connection asks for jobs of one service only", "", ""});
    return &job;
  }

  const SiteSessionOptions& options_;
  std::map<std::int64_t, std::pair<JobKey, SiteJob>> jobs_;
};

}  // namespace

Status ServeSite(platform::ByteChannel& channel, const SiteSessionOptions& options) {
  Session session(options);
  for (;;) {
    const auto frame = ReadFrame(channel, options.patience);
    if (!frame) return {};  // the service, or the connection, is gone
    EBB_ASSIGN_OR_RETURN(const Request request, RequestIn(*frame));
    const auto answer = session.AnswerTo(request, frame->bytes);
    const Status written =
        answer ? WriteFrame(channel, frame->number, answer->fields, answer->bytes, options.patience)
               : WriteFrame(channel, frame->number, FieldsOfError(answer.error()), "",
                            options.patience);
    if (!written) return {};
  }
}

Result<fs::path> SiteStateFolder(const std::function<const char*(const char*)>& variable) {
  const auto absolute = [&](const char* name) -> fs::path {
    const char* value = variable(name);
    return value && *value == '/' ? fs::path(value) : fs::path();
  };
  if (const fs::path state = absolute("XDG_STATE_HOME"); !state.empty()) return state / "ebb/site";
  if (const fs::path home = absolute("HOME"); !home.empty()) return home / ".local/state/ebb/site";
  return Fail({ExitCode::kConfiguration, "there is no home directory", "HOME",
               "set HOME or XDG_STATE_HOME to an absolute path"});
}

}  // namespace ebb::sites
