// Definitions common to the rating sheets of Martins, Marinho and Martins 2020.
#pragma once

#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {

inline PaperSource sparse_generation_source() {
  return {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"};
}

/// A question whose answers are from 1, very poor, to 5, very good.
inline Aspect of_five_levels(const std::string& id, const std::string& question) {
  return {.id = id, .question = question, .anchors = {{1, "very poor"}, {5, "very good"}}};
}

}  // namespace lvtext
