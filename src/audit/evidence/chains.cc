#include "audit/evidence/chains.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/time.h"
#include "platform/digest.h"
#include "platform/digest_chain.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

constexpr std::array kChained{"decisions.jsonl", "gate_inputs.jsonl", "attempts.jsonl",
                              "ledger.jsonl",    "budget.jsonl",      "signal_versions.jsonl"};
constexpr const char* kSeals = "seals.jsonl";
constexpr std::string_view kField = ",\"chain\":\"";

// The two parts of a line whose last field is "chain".
struct Linked {
  std::string_view content, link;
};
std::optional<Linked> LinkedLine(std::string_view line) {
  const std::size_t tail = kField.size() + platform::kLinkDigits + 2;
  if (line.size() < tail || !line.ends_with("\"}")) return std::nullopt;
  const std::size_t at = line.size() - tail;
  if (line.substr(at, kField.size()) != kField) return std::nullopt;
  return Linked{line.substr(0, at), line.substr(at + kField.size(), platform::kLinkDigits)};
}

// The link that the line after `text` continues from.
std::string LinkAfter(std::string_view text, const std::string& name, const std::string& digest) {
  const std::string begin = platform::NextLink(digest, name);
  if (text.empty()) return begin;
  std::string_view body = text;
  if (body.ends_with('\n')) body.remove_suffix(1);
  const auto newline = body.rfind('\n');
  const auto last = newline == std::string_view::npos ? body : body.substr(newline + 1);
  const auto linked = LinkedLine(last);
  return linked ? std::string(linked->link) : platform::NextLink(begin, text);
}

class Checker {
 public:
  explicit Checker(const RunFiles& files)
      : files_(files), digest_(platform::Sha256Hex(files.Text("run.json"))) {}

  ChainFindings Check() {
    for (const char* name : kChained) CheckLines(name);
    CheckLines(kSeals);
    ReadSeals();
    try {
      for (std::size_t i = 0; i < seals_.size(); ++i) CheckHeads(i);
      found_.sealing = SealingOf();
      if (!seals_.empty()) CheckFiles();
    } catch (const Json::exception&) {
      found_.check.Differ("seals.jsonl: holds a seal that cannot be read");
    }
    Tell();
    return std::move(found_);
  }

 private:
  void CheckLines(const std::string& name) {
    const std::string_view text = files_.Text(name);
    std::size_t begin = 0, number = 0, without = 0;
    bool chained = false;
    while (begin < text.size()) {
      ++number;
      const auto newline = text.find('\n', begin);
      if (newline == std::string_view::npos) break;
      const auto linked = LinkedLine(text.substr(begin, newline - begin));
      if (!linked) {
        ++without;
        if (chained) Differ(name, number, "has no link: it was not written by this version of Ebb");
      } else {
        chained = true;
        ++links_;
        if (platform::NextLink(LinkAfter(text.substr(0, begin), name, digest_), linked->content) !=
            linked->link)
          Differ(name, number, "is not what was written there, or the line before it is not");
      }
      begin = newline + 1;
    }
    if (begin < text.size()) CheckUnfinished(name, number, text.substr(begin));
    if (without > 0 && chained)
      found_.notes.push_back(name + ": " + std::to_string(without) +
                             " lines have no link of their own (an older Ebb wrote them)");
    chained_ = chained_ || chained;
  }

  // Reports an unfinished last line. Ebb writes a line together with its newline, so a line that
  // lacks only its last byte was altered.
  void CheckUnfinished(const std::string& name, std::size_t number, std::string_view line) {
    if (!LinkedLine(line) && LinkedLine(line.substr(0, line.size() - 1)))
      return Differ(name, number, "does not end as it was written");
    found_.notes.push_back(name + ": the last line is not finished and is left out");
  }

  void ReadSeals() {
    std::size_t number = 0;
    const std::string_view text = files_.Text(kSeals);
    for (const std::string_view line : Split(text, '\n')) {
      ++number;
      if (line.empty()) continue;
      Json seal = Json::parse(line, nullptr, false);
      const bool half_written = line.end() == text.end() && seal.is_discarded();
      if (half_written) continue;
      if (!LinkedLine(line)) seal = nullptr;
      if (seal.is_object() && seal.contains("heads") && seal["heads"].is_object() &&
          seal.contains("files") && seal["files"].is_object())
        seals_.push_back(std::move(seal));
      else
        Differ(kSeals, number, "is not a seal");
    }
  }

  // Checks that each chain had the stated length and last link when it was sealed.
  void CheckHeads(std::size_t index) {
    const std::string which = "seal " + std::to_string(index + 1);
    for (const auto& [name, head] : seals_[index]["heads"].items()) {
      const std::string_view text = files_.Text(name);
      const auto bytes = static_cast<std::size_t>(head.value("bytes", 0LL));
      const std::string_view sealed = text.substr(0, std::min(bytes, text.size()));
      const auto lines = std::count(sealed.begin(), sealed.end(), '\n');
      if (text.size() < bytes || lines != head.value("lines", 0LL))
        found_.check.Differ(name + ": has fewer or other lines than " + which + " says (" +
                            std::to_string(lines) + " of " +
                            std::to_string(head.value("lines", 0LL)) + ")");
      else if (LinkAfter(sealed, name, digest_) != head.value("head", std::string()))
        found_.check.Differ(name + ": ends with another link than " + which + " says");
    }
  }

  Sealing SealingOf() const {
    if (seals_.empty()) return chained_ ? Sealing::kNeverYet : Sealing::kUnchained;
    const Json& heads = seals_.back()["heads"];
    for (const char* name : kChained) {
      const auto head = heads.find(name);
      const auto sealed = head == heads.end() ? 0LL : head->value("bytes", 0LL);
      if (static_cast<long long>(files_.Text(name).size()) > sealed) return Sealing::kGoesOn;
    }
    return Sealing::kSealed;
  }

  // Checks the files against the seals. A file that is written once must match every seal, and a
  // file that is written before each seal must match the last one. All other files must match the
  // last seal unless the run went on.
  void CheckFiles() {
    const auto is_final = [](const std::string& name) {
      return name == "run.json" || name.starts_with("signals/");
    };
    for (std::size_t i = 0; i < seals_.size(); ++i) {
      const bool is_last = i + 1 == seals_.size(), all = found_.sealing == Sealing::kSealed;
      for (const auto& [name, file] : seals_[i]["files"].items())
        if (is_final(name) || (is_last && (all || IsView(name))))
          CheckFile(name, file, "seal " + std::to_string(i + 1));
    }
    if (found_.sealing == Sealing::kGoesOn) found_.as_sealed = AsSealed();
    if (found_.sealing != Sealing::kSealed) return;
    const Json& last = seals_.back();
    for (const auto& [name, text] : files_.texts)
      if (name != kSeals && !last["files"].contains(name) && !last["heads"].contains(name))
        found_.check.Differ(name + ": was not there when the directory was sealed");
  }

  // The files as they were at the last seal. A file that has changed since is left out if its old
  // content cannot be restored.
  RunFiles AsSealed() const {
    const Json &heads = seals_.back()["heads"], &sealed = seals_.back()["files"];
    RunFiles files{files_.directory, {}};
    for (const auto& [name, head] : heads.items())
      files.texts[name] = files_.Text(name).substr(0, SizeIn(head).value_or(0));
    for (const auto& [name, file] : sealed.items()) {
      const std::string digest = file.value("sha256", std::string());
      const std::string_view text =
          files_.Text(name).substr(0, SizeIn(file).value_or(std::string::npos));
      if (IsView(name) || platform::Sha256Hex(text) == digest) files.texts[name] = text;
    }
    // The version of the signal that was the newest then is kept under its own name.
    if (sealed.contains("signal.csv") && !files.Has("signal.csv"))
      for (const auto& [name, file] : sealed.items())
        if (name.starts_with("signals/") && file == sealed["signal.csv"])
          files.texts["signal.csv"] = files_.Text(name);
    return files;
  }

  static std::optional<std::size_t> SizeIn(const Json& entry) {
    const auto bytes = entry.find("bytes");
    if (bytes == entry.end() || !bytes->is_number_unsigned()) return std::nullopt;
    return bytes->get<std::size_t>();
  }

  static bool IsView(const std::string& name) {
    return name.starts_with("summary") || name == "emissions.csv";
  }

  void CheckFile(const std::string& name, const Json& file, const std::string& which) {
    ++files_checked_;
    if (!files_.Has(name))
      return found_.check.Differ(name + ": is missing, " + which + " names it");
    // Bytes that the program appended after the seal are not checked.
    const std::string_view text =
        files_.Text(name).substr(0, SizeIn(file).value_or(std::string_view::npos));
    if (platform::Sha256Hex(text) != file.value("sha256", std::string()))
      found_.check.Differ(name + ": is not as it was at " + which);
  }

  void Tell() {
    found_.check.what = "chains and seals: " + std::to_string(links_) + " links, " +
                        std::to_string(seals_.size()) + " seals, " +
                        std::to_string(files_checked_) + " files";
    switch (found_.sealing) {
      case Sealing::kSealed:
        break;
      case Sealing::kGoesOn:
        found_.notes.push_back(
            "lines were added after the last seal: the run goes on, or was killed; its summary is "
            "held against what was there then");
        break;
      case Sealing::kNeverYet:
        // Ebb seals a summary when it writes it.
        if (files_.Has("summary.json"))
          found_.check.Differ(
              "seals.jsonl: is missing, and there is a summary (ebb report settle "
              "seals a run whose Ebb was killed in between)");
        else
          found_.notes.push_back("not sealed yet: the run goes on, or was killed");
        break;
      case Sealing::kUnchained:
        found_.notes.push_back(
            "not sealed: written before Ebb chained its files; what was changed "
            "since cannot be told, figures are computed again all the same");
        break;
    }
    if (!seals_.empty())
      found_.heads.push_back({kSeals, LinkAfter(files_.Text(kSeals), kSeals, digest_)});
  }

  void Differ(const std::string& name, std::size_t line, const std::string& why) {
    found_.check.Differ(name + ":" + std::to_string(line) + ": " + why);
  }

  const RunFiles& files_;
  std::string digest_;
  std::vector<Json> seals_;
  ChainFindings found_;
  std::size_t links_ = 0, files_checked_ = 0;
  bool chained_ = false;
};

}  // namespace

ChainFindings CheckChains(const RunFiles& files) { return Checker(files).Check(); }

}  // namespace ebb::audit
