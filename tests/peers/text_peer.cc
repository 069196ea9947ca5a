// The text half of ebb-train as a program, for tests/peers/python_test.py, which holds it beside
// the packages of others.
//
//   text_peer encode TOKENIZER < texts > numbers     a JSON text on each line; for each its tokens,
//   and the text again text_peer speed TOKENIZER < texts                megabytes per second of
//   processor time

#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/text/tokenizer.h"

namespace ebb::train {
namespace {

int Complain(const Error& error) {
  std::cerr << error.Message() << "\n";
  return static_cast<int>(error.code);
}

int EncodeLines(const Tokenizer& tokenizer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto text = nlohmann::json::parse(line).get<std::string>();
    const auto ids = tokenizer.Encode(text);
    if (!ids) return Complain(ids.error());
    const auto decoded = tokenizer.Decode(*ids, SpecialTokens::kIncluded);
    const auto bare = tokenizer.Decode(*ids, SpecialTokens::kLeftOut);
    if (!decoded || !bare) return Complain(decoded ? bare.error() : decoded.error());
    std::cout << nlohmann::json{{"ids", *ids}, {"text", *decoded}, {"bare", *bare}} << "\n";
  }
  return 0;
}

int MeasureSpeed(const Tokenizer& tokenizer) {
  std::vector<std::string> texts;
  std::size_t bytes = 0, tokens = 0;
  for (std::string line; std::getline(std::cin, line);) {
    texts.push_back(nlohmann::json::parse(line).get<std::string>());
    bytes += texts.back().size();
  }
  const std::clock_t begin = std::clock();
  for (const std::string& text : texts) {
    const auto ids = tokenizer.Encode(text);
    if (!ids) return Complain(ids.error());
    tokens += ids->size();
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::cout << nlohmann::json{{"bytes", bytes}, {"tokens", tokens}, {"processor_seconds", seconds}}
            << "\n";
  return 0;
}

int Run(const std::string& command, const std::string& path) {
  const auto tokenizer = Tokenizer::Load(path);
  if (!tokenizer) return Complain(tokenizer.error());
  if (command == "encode") return EncodeLines(*tokenizer);
  if (command == "speed") return MeasureSpeed(*tokenizer);
  return 2;
}

}  // namespace
}  // namespace ebb::train

int main(int argc, char** argv) { return argc == 3 ? ebb::train::Run(argv[1], argv[2]) : 2; }
