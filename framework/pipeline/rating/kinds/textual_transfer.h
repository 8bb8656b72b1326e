// Definitions common to the rating sheets of Pang and Gimpel 2019.
#pragma once

#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {

inline PaperSource transfer_source() {
  return {"Pang and Gimpel 2019", "https://aclanthology.org/D19-5614"};
}

/// The input with the rated output of a row.
inline InputDecl rated_output() {
  return {.name = "text", .help = "the rated text", .by_default = reference("row.outputs")};
}
/// A sentence before the transfer, and the output of a row.
inline std::vector<InputDecl> original_and_output() {
  return {{.name = "original",
           .help = "sentences before the transfer",
           .by_default = reference("row.outputs.source")},
          rated_output()};
}

}  // namespace lvtext
