// Files of a byte-level BPE tokenizer as transformers writes them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/base/files.h"

namespace lvtext::testing {

/// The symbols of the bytes in the order of their ids: GPT-2's bytes_to_unicode().
inline std::vector<std::string> gpt2_byte_symbols() {
  const auto utf8 = [](int point) {
    if (point < 0x80) return std::string(1, static_cast<char>(point));
    return std::string{static_cast<char>(0xC0 | point >> 6),
                       static_cast<char>(0x80 | (point & 63))};
  };
  std::vector<std::string> symbols, others;
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_shown = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
                          (byte >= 0xAE && byte <= 0xFF);
    if (is_shown)
      symbols.push_back(utf8(byte));
    else
      others.push_back(utf8(256 + static_cast<int>(others.size())));
  }
  symbols.insert(symbols.end(), others.begin(), others.end());
  return symbols;
}

/// vocab.json for merges of symbols and <|endoftext|>.
inline nlohmann::json gpt2_vocabulary(
    const std::vector<std::pair<std::string, std::string>>& merges) {
  nlohmann::json ids;
  int64_t next = 0;
  for (const std::string& symbol : gpt2_byte_symbols()) ids[symbol] = next++;
  for (const auto& [left, right] : merges) ids[left + right] = next++;
  ids["<|endoftext|>"] = next;
  return ids;
}

/// Writes vocab.json, merges.txt and special_tokens_map.json.
inline void write_gpt2_tokenizer(const std::filesystem::path& folder,
                                 const std::vector<std::pair<std::string, std::string>>& merges) {
  std::string lines = "#version: 0.2\n";
  for (const auto& [left, right] : merges) lines += left + " " + right + "\n";
  write_file_synced(folder / "merges.txt", lines);
  write_file_synced(folder / "vocab.json", gpt2_vocabulary(merges).dump());
  write_file_synced(folder / "special_tokens_map.json",
                    R"({"bos_token": "<|endoftext|>", "eos_token": {"content": "<|endoftext|>"}})");
}

}  // namespace lvtext::testing
