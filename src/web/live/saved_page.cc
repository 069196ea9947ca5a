#include "web/live/saved_page.h"

#include <regex>
#include <utility>

#include "base/base64.h"
#include "base/check.h"
#include "platform/digest.h"
#include "web/live/page_files.h"

namespace ebb::web {
namespace {

// The live page fetches this file only when somebody asks for it.
constexpr std::string_view kFetchedLater = "/sweeps.js";

std::string ContentOf(const std::string& path) {
  const auto file = FindPageFile(path);
  EBB_CHECK(file);
  return std::string(file->content);
}

std::string BytesOfHex(const std::string& hex) {
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(value(hex[i]) << 4 | value(hex[i + 1]));
  return bytes;
}

std::string HashSource(const std::string& content) {
  return " 'sha256-" + ToBase64(BytesOfHex(platform::Sha256Hex(content))) + "'";
}

// Replaces "<" in JSON texts by its escape, which means the same.
std::string WithoutTags(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else if (c != '\n')
      text += c;
  }
  return text;
}

std::string DataBlock(const std::map<std::string, std::string>& answers) {
  std::string data = "<script type=\"application/json\" id=\"saved-data\">{\"answers\":{";
  bool first = true;
  for (const auto& [path, answer] : answers) {
    if (!first) data += ',';
    first = false;
    data += '"' + path + "\":" + WithoutTags(answer);
  }
  return data + "}}</script>\n";
}

}  // namespace

std::string SavedPage(const std::map<std::string, std::string>& answers) {
  // Matches every file that the page names, in order.
  static const std::regex kNamed(
      "<link rel=\"stylesheet\" href=\"([^\"]+)\">|<script src=\"([^\"]+)\"></script>");
  const std::string page = ContentOf("/");
  std::string body, scripts, styles;
  const auto add_script = [&](const std::string& content) {
    scripts += HashSource(content);
    body += "<script>" + content + "</script>";
  };
  bool data_written = false;
  auto rest = page.cbegin();
  for (std::sregex_iterator found(page.begin(), page.end(), kNamed), end; found != end; ++found) {
    body.append(rest, (*found)[0].first);
    rest = (*found)[0].second;
    const bool is_style = (*found)[1].matched;
    const std::string content = ContentOf((*found)[is_style ? 1 : 2].str());
    if (is_style) {
      styles += HashSource(content);
      body += "<style>" + content + "</style>";
      continue;
    }
    if (!std::exchange(data_written, true)) body += DataBlock(answers);
    add_script(content);
  }
  add_script(ContentOf(std::string(kFetchedLater)));
  body.append(rest, page.cend());
  const std::string policy =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
      "form-action 'none'; img-src data:; style-src" +
      styles + "; script-src" + scripts + "\">\n";
  const std::string charset = "<meta charset=\"utf-8\">\n";
  return body.insert(body.find(charset) + charset.size(), policy);
}

}  // namespace ebb::web
