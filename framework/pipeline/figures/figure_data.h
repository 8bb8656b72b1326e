// What a figure is drawn from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/inputs.h"
#include "framework/core/statistics/score.h"
#include "framework/pipeline/figures/figure_kind.h"
#include "framework/pipeline/report/figure.h"
#include "framework/pipeline/report/png.h"

namespace lvtext {

/// A score, or why there is none.
struct FigureValue {
  std::optional<double> value = {};
  std::string reason = {};
};

/// What a row is at one of the checkpoints that its training keeps.
struct FigureCheckpoint {
  int64_t step = 0;
  double epoch = 0;
  std::vector<FigureValue> values = {};  ///< in the order of FigureNeeds::metrics
  Inputs inputs = {};                    ///< what was computed from this checkpoint
};

/// A row at its first seed.
struct FigureRow {
  std::string id, label;
  std::string matched;                   ///< what `*` matched in the pattern that named it
  std::string reason = {};               ///< why its inputs are not there; empty: they are
  Inputs inputs = {};                    ///< what fills the kind's inputs for it
  std::vector<FigureValue> values = {};  ///< in the order of FigureNeeds::metrics
  std::map<std::string, std::vector<Picture>> pictures = {};  ///< the first ones, by input
  std::vector<FigureCheckpoint> checkpoints = {};
  std::string no_checkpoints = {};  ///< why there are none
};

/// The rows of one pattern, or those that an option names.
struct FigureRows {
  std::string name;
  std::vector<FigureRow> rows;
};

/// A score that uses no row.
struct FigureScore {
  std::string id;                    ///< of the metric, with the score's if it was written
  std::vector<std::string> matched;  ///< what each `*` matched
  FigureValue value = {};
  Score score = {};  ///< with its statistics per sentence, where there is a value
};

/// All that a figure is drawn from.
struct FigureData {
  std::string title;
  std::string file;  ///< of its files, without extension
  std::vector<FigureRows> groups;
  std::vector<FigureScore> scores;  ///< of FigureNeeds::row_free, in the recipe's order
  /// Of a figure without rows: what fills the kind's inputs, or why nothing does.
  Inputs inputs;
  std::string reason;

  /// The rows of all groups in order.
  std::vector<const FigureRow*> rows() const {
    std::vector<const FigureRow*> all;
    for (const FigureRows& group : groups) {
      for (const FigureRow& row : group.rows) all.push_back(&row);
    }
    return all;
  }
};

}  // namespace lvtext
