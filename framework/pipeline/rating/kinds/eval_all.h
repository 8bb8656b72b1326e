// Definitions common to the rating sheets of Cifka, Severyn, Alfonseca and Filippova 2018.
#pragma once

#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {

inline PaperSource eval_all_source() {
  return {"Cifka, Severyn, Alfonseca and Filippova 2018", "https://arxiv.org/abs/1804.07972"};
}

/// Number of ratings of each item.
inline constexpr size_t kEvalAllRaters = 3;

inline Aspect fluency() {
  return {.id = "fluency",
          .question = "How fluent is the text?",
          .anchors = {{1, "gibberish"},
                      {3, "understandable but ungrammatical"},
                      {5, "natural and understandable"}}};
}

}  // namespace lvtext
