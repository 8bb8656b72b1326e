// Rows of texts that have several texts each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/core/text/text.h"

namespace lvtext {

/// The texts of each row. `rows` has the index of the first text of each row and the number of
/// texts, as Inputs::rows(); if it is empty, each text is a row. The result refers to `text`.
std::vector<std::span<const std::string>> row_items(const Text& text,
                                                    std::span<const int64_t> rows);

/// One text for each row: its texts, one on each line.
std::vector<std::string> row_texts(const Text& text, std::span<const int64_t> rows);

}  // namespace lvtext
