#pragma once
// Compares the names in a PromQL expression with those that the service exposes: metric names,
// labels of matchers and groupings, and the possible values of labels. It only finds the names and
// does not parse PromQL (promtool does).

#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ebb {

/// Metric -> label -> values, as in a scrape. Histograms have the names of their series.
using Exposed = std::map<std::string, std::map<std::string, std::set<std::string>>>;

inline Exposed ExposedBy(const std::string& scrape) {
  Exposed exposed;
  const std::regex label(R"re(([a-z_]+)="((?:[^"\\]|\\.)*)")re");
  std::istringstream lines(scrape);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto brace = line.find('{');
    auto& labels = exposed[line.substr(0, std::min(brace, line.find(' ')))];
    if (brace == std::string::npos) continue;
    for (std::sregex_iterator it(line.begin(), line.end(), label), end; it != end; ++it)
      labels[(*it)[1]].insert((*it)[2]);
  }
  // Prometheus itself adds this series.
  exposed["up"];
  for (auto& [name, labels] : exposed) {
    labels["instance"];
    labels["job"].insert("ebb");
  }
  return exposed;
}

/// Makes one sentence for each name in the expression that is not exposed.
class ExpressionCheck {
 public:
  ExpressionCheck(const Exposed& exposed, const std::string& expression)
      : exposed_(exposed), text_(expression) {
    while (at_ < text_.size()) Step();
    for (const std::string& label : grouped_)
      if (!AnyHas(label)) problems_.push_back("no metric of it has the label " + label);
    if (metrics_.empty()) problems_.push_back("it names no metric");
  }
  const std::vector<std::string>& problems() const { return problems_; }
  const std::set<std::string>& metrics() const { return metrics_; }

 private:
  static bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  char Next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string Word() {
    const auto begin = at_;
    while (at_ < text_.size() && (IsWord(text_[at_]) || text_[at_] == ':')) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string Quoted() {
    const char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') ++at_;
      value += text_[at_];
    }
    ++at_;
    return value;
  }
  void Step() {
    const char c = Next();
    if (c == '\0') return;
    if (c == '"' || c == '\'') {
      Quoted();
    } else if (c == '[') {
      at_ = std::min(text_.find(']', at_), text_.size() - 1) + 1;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (at_ < text_.size() && (IsWord(text_[at_]) || text_[at_] == '.')) ++at_;
    } else if (IsWord(c)) {
      Name(Word());
    } else {
      ++at_;
    }
  }
  void Name(const std::string& word) {
    static const std::set<std::string> kBeforeLabels{"by",       "without",    "on",
                                                     "ignoring", "group_left", "group_right"};
    static const std::set<std::string> kOperators{"and", "or", "unless", "bool", "offset"};
    if (kBeforeLabels.contains(word)) {
      if (Next() == '(') Labels();
    } else if (!kOperators.contains(word) && Next() != '(' && !IsAggregated()) {
      Metric(word);
    }
  }
  // "sum by (...)": the word before the parenthesis belongs to an aggregation.
  bool IsAggregated() const {
    return text_.compare(at_, 3, "by ") == 0 || text_.compare(at_, 8, "without ") == 0;
  }
  void Labels() {
    for (++at_; Next() != ')' && Next() != '\0';) {
      if (IsWord(Next()))
        grouped_.insert(Word());
      else
        ++at_;
    }
    ++at_;
  }
  void Metric(const std::string& name) {
    metrics_.insert(name);
    const auto found = exposed_.find(name);
    if (found == exposed_.end()) problems_.push_back("there is no metric " + name);
    if (Next() != '{') return;
    for (++at_; Next() != '}' && Next() != '\0';) {
      if (!IsWord(Next())) {
        ++at_;
        continue;
      }
      const std::string label = Word();
      Next();
      const auto operation = text_.substr(at_, text_.find_first_of("\"'", at_) - at_);
      at_ = text_.find_first_of("\"'", at_);
      if (at_ == std::string::npos) at_ = text_.size() - 1;
      const std::string value = Quoted();
      if (found != exposed_.end()) Matcher(name, found->second, label, operation, value);
    }
    ++at_;
  }
  void Matcher(const std::string& metric,
               const std::map<std::string, std::set<std::string>>& labels, const std::string& label,
               const std::string& operation, const std::string& value) {
    const auto found = labels.find(label);
    if (found == labels.end()) {
      problems_.push_back(metric + " has no label " + label);
      return;
    }
    // Only these labels have a closed set of values; users choose the values of the others.
    static const std::set<std::string> kClosed{"stage",     "outcome", "part", "state",
                                               "component", "result",  "job",  "whose"};
    if (!kClosed.contains(label) || value.find('$') != std::string::npos) return;
    const bool is_pattern = operation.find('~') != std::string::npos;
    for (std::istringstream parts(value); std::getline(parts, part_, is_pattern ? '|' : '\0');)
      if (!found->second.contains(part_))
        problems_.push_back(metric + " never has " + label + "=\"" + part_ + "\"");
  }
  bool AnyHas(const std::string& label) const {
    for (const std::string& metric : metrics_)
      if (const auto found = exposed_.find(metric);
          found != exposed_.end() && found->second.contains(label))
        return true;
    return false;
  }

  const Exposed& exposed_;
  const std::string text_;
  std::size_t at_ = 0;
  std::string part_;
  std::set<std::string> metrics_, grouped_;
  std::vector<std::string> problems_;
};

}  // namespace ebb
