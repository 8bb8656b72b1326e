// Data of a figure.
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

/// A score, or the reason why there is none.
struct FigureValue {
  std::optional<double> value = {};
  std::string reason = {};
};

/// Data of a row at one kept checkpoint.
struct FigureCheckpoint {
  int64_t step = 0;
  double epoch = 0;
  std::vector<FigureValue> values = {};  ///< in the order of FigureNeeds::metrics
  Inputs inputs = {};                    ///< inputs computed from this checkpoint
};

/// The data of a row, for its first seed.
struct FigureRow {
  std::string id, label;
  std::string matched;      ///< text matched by `*` in its pattern
  std::string reason = {};  ///< why its inputs are missing; empty: they are not
  Inputs inputs = {};       ///< inputs of the kind for this row
  /// In the order of FigureNeeds::metrics, with `members` in that of FigureData::members.
  std::vector<FigureValue> values = {};
  std::map<std::string, std::vector<Picture>> pictures = {};  ///< first images, by input
  std::vector<FigureCheckpoint> checkpoints = {};
  std::string no_checkpoints = {};  ///< why `checkpoints` is empty
  size_t color = 0;                 ///< index of the row's color, the same in all charts
};

/// The rows of one pattern, or of one name in an option.
struct FigureRows {
  std::string name;
  std::vector<FigureRow> rows;
};

/// A score of a metric without row inputs.
struct FigureScore {
  std::string id;                    ///< id of the metric, with that of the score if written
  std::vector<std::string> matched;  ///< text matched by each `*`
  FigureValue value = {};
  Score score = {};  ///< with its statistics per sentence, if there is a value
};

/// All data of a figure.
struct FigureData {
  std::string title;
  std::string file;  ///< name of its files, without extension
  std::vector<FigureRows> groups;
  std::vector<FigureScore> scores;  ///< FigureNeeds::row_free, in the order of the recipe
  /// With FigureNeeds::members: the numbers that `*` matched, for each of the metrics.
  std::vector<std::vector<double>> members = {};
  /// For a figure without rows: the inputs of the kind, or why they are missing.
  Inputs inputs;
  std::string reason;

  /// Returns the rows of all groups, in order.
  std::vector<const FigureRow*> rows() const {
    std::vector<const FigureRow*> all;
    for (const FigureRows& group : groups) {
      for (const FigureRow& row : group.rows) all.push_back(&row);
    }
    return all;
  }
};

}  // namespace lvtext
