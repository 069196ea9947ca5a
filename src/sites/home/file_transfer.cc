#include "sites/home/file_transfer.h"

#include <algorithm>

namespace ebb::sites {
namespace {

// The list of the files of an offer fits into a line.
constexpr std::size_t kFilesOfAnOffer = 20'000;

}  // namespace

Status FileTransfer::Continue() const {
  if (goes_on_()) return {};
  return Fail({ExitCode::kTryLater, "was asked to end while its files were on their way", "", ""});
}

Status FileTransfer::Send(const Folder& from, Root to, const std::vector<FileFact>& files,
                          const std::string& exactly) {
  // All files count for what stays, so a list that is too long for one offer removes nothing.
  const bool at_once = files.size() <= kFilesOfAnOffer;
  for (std::size_t first = 0; first == 0 || first < files.size(); first += kFilesOfAnOffer) {
    const std::size_t last = std::min(files.size(), first + kFilesOfAnOffer);
    const std::vector<FileFact> some(files.begin() + static_cast<std::ptrdiff_t>(first),
                                     files.begin() + static_cast<std::ptrdiff_t>(last));
    EBB_ASSIGN_OR_RETURN(const OfferAnswer answer, connection_.Ask<OfferAnswer>(Offer{
                                                       job_, to, some, at_once ? exactly : ""}));
    if (answer.held.size() != some.size())
      return Fail({ExitCode::kUnavailable, "the site answers for other files", "", ""});
    for (std::size_t i = 0; i < some.size(); ++i)
      if (!answer.held[i].complete)
        EBB_RETURN_IF_ERROR(SendFile(from, to, some[i], answer.held[i].bytes));
  }
  return {};
}

Status FileTransfer::SendFile(const Folder& from, Root to, const FileFact& file,
                              std::uint64_t offset) {
  for (;;) {
    EBB_RETURN_IF_ERROR(Continue());
    const std::uint64_t most = std::min<std::uint64_t>(kMostBytes, file.size - offset);
    EBB_ASSIGN_OR_RETURN(const std::string bytes, from.Get(file.path, offset, most));
    if (bytes.size() < most)
      return Fail({ExitCode::kTryLater, "changed while it was sent", file.path, ""});
    EBB_ASSIGN_OR_RETURN(const PutAnswer answer,
                         connection_.Ask<PutAnswer>(Put{job_, to, file, offset}, bytes));
    offset = answer.bytes;
    if (offset >= file.size) return {};
  }
}

Result<std::vector<FileFact>> FileTransfer::ListOf(Root root) {
  EBB_ASSIGN_OR_RETURN(ListAnswer answer, connection_.Ask<ListAnswer>(List{job_, root}));
  return std::move(answer.files);
}

Status FileTransfer::Fetch(Root from, const FileFact& file, Folder& to) {
  EBB_ASSIGN_OR_RETURN(const Held held, to.Have(file));
  for (std::uint64_t have = held.bytes; !held.complete;) {
    EBB_RETURN_IF_ERROR(Continue());
    std::string bytes;
    EBB_RETURN_IF_ERROR(connection_.Ask<GetAnswer>(Get{job_, from, file.path, have}, {}, &bytes));
    if (bytes.empty() && have < file.size)
      return Fail({ExitCode::kUnavailable, "became shorter while it was fetched", file.path, ""});
    bytes.resize(std::min<std::uint64_t>(bytes.size(), file.size - have));
    EBB_ASSIGN_OR_RETURN(have, to.Put(file, have, bytes));
    if (have >= file.size) break;
  }
  return {};
}

}  // namespace ebb::sites
