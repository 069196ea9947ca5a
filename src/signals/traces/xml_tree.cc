#include "signals/traces/xml_tree.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/expat.h"

namespace ebb::signals {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A limit of the pieces passed to Expat, which counts bytes in int.
constexpr std::size_t kBytesAtOnce = 1U << 20;

std::string_view WithoutPrefix(std::string_view name) { return name.substr(name.rfind(':') + 1); }

class TreeBuilder {
 public:
  TreeBuilder(const Expat& expat, const std::string& path)
      : expat_(expat), path_(path), parser_(expat.parser_create(nullptr), expat.parser_free) {
    expat_.set_user_data(parser_.get(), this);
    expat_.set_element_handler(
        parser_.get(),
        [](void* self, const char* name, const char**) {
          static_cast<TreeBuilder*>(self)->Start(name);
        },
        [](void* self, const char*) { static_cast<TreeBuilder*>(self)->End(); });
    expat_.set_character_data_handler(parser_.get(), [](void* self, const char* text, int length) {
      static_cast<TreeBuilder*>(self)->Text({text, static_cast<std::size_t>(length)});
    });
    expat_.set_start_doctype_decl_handler(
        parser_.get(), [](void* self, const char*, const char*, const char*, int) {
          static_cast<TreeBuilder*>(self)->Refuse("has a document type, which is not read");
        });
  }

  Result<XmlElement> Build(std::string_view text) {
    for (std::size_t at = 0; at <= text.size(); at += kBytesAtOnce) {
      const std::string_view piece = text.substr(at, kBytesAtOnce);
      const bool is_last = at + kBytesAtOnce > text.size();
      const int fine = expat_.parse(parser_.get(), piece.data(), static_cast<int>(piece.size()),
                                    is_last ? 1 : 0);
      if (refused_) return Fail(*std::move(refused_));
      if (!fine) return Fail(NoXml());
    }
    return std::move(root_);
  }

 private:
  std::size_t Line() const { return expat_.get_current_line_number(parser_.get()); }

  Error NoXml() const {
    const char* why = expat_.error_string(expat_.get_error_code(parser_.get()));
    return AtLine(path_, Line(), std::string("is no XML: ") + (why ? why : "unknown"),
                  "a truncated file ends like this: download it again");
  }

  void Refuse(std::string what) {
    if (refused_) return;
    refused_ = AtLine(path_, Line(), std::move(what), "is it the right file?");
    expat_.stop_parser(parser_.get(), 0);
  }

  void Start(const char* name) {
    if (refused_) return;
    if (++elements_ > kMostXmlElements)
      return Refuse("has more than " + std::to_string(kMostXmlElements) + " elements");
    if (open_.size() >= kDeepestXml)
      return Refuse("is nested deeper than " + std::to_string(kDeepestXml) + " elements");
    open_.push_back({std::string(WithoutPrefix(name)), {}, Line(), {}});
  }

  void Text(std::string_view text) {
    if (!refused_ && !open_.empty()) open_.back().text += text;
  }

  void End() {
    if (refused_ || open_.empty()) return;
    XmlElement done = std::move(open_.back());
    open_.pop_back();
    done.text = std::string(Trim(done.text));
    if (open_.empty())
      root_ = std::move(done);
    else
      open_.back().children.push_back(std::move(done));
  }

  const Expat& expat_;
  const std::string& path_;
  std::unique_ptr<ExpatParser, void (*)(ExpatParser*)> parser_;
  std::vector<XmlElement> open_;
  XmlElement root_;
  std::size_t elements_ = 0;
  std::optional<Error> refused_;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  const auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::TextOf(std::string_view child) const {
  const XmlElement* found = Find(child);
  return found ? std::string_view(found->text) : std::string_view();
}

bool LooksLikeXml(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

Result<XmlElement> ParseXml(std::string_view text, const std::string& path) {
  if (text.size() > kMostXmlBytes)
    return Fail({ExitCode::kConfiguration,
                 "has more than " + std::to_string(kMostXmlBytes >> 20) + " MB of XML", path,
                 "split it, by years for example"});
  EBB_ASSIGN_OR_RETURN(const Expat* expat, LibExpat());
  return TreeBuilder(*expat, path).Build(text);
}

}  // namespace ebb::signals
