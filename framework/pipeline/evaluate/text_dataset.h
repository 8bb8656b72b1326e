// Plain text with sources and labels as a dataset.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// A dataset and the tokenizer of its texts.
struct TextDataset {
  Dataset dataset;
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// Makes a dataset of texts and labels by column name, all with the same number of rows. The token
/// ids are the bytes of the text, so that decoding restores every line. Throws io_error if the
/// system's temporary folder is not writable.
TextDataset text_dataset(const std::map<std::string, std::vector<std::string>>& texts,
                         const std::map<std::string, std::vector<int64_t>>& labels);

}  // namespace lvtext
