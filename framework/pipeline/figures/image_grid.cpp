// Figure kind `image_grid`: images of data sets and of rows, side by side.
#include "framework/pipeline/report/image_grid.h"

#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/figures/figure_data.h"

namespace lvtext {
namespace {

struct ImageGridOptions {
  Node columns;
  int64_t items = 8;

  template <class V>
  void visit(V& v) {
    v.field("columns", columns,
            "sources of images: splits of data sets (cxr.valid), and names of a row's inputs or "
            "inference (images)",
            required());
    v.field("items", items, "number of images per source, from its start", in_range(1, 100));
    v.check(columns.is_scalar() || !columns.items().empty(),
            "columns must be a reference or a list of references");
  }
};

class ImageGridKind : public FigureKind {
 public:
  static constexpr int kRevision = 1;
  explicit ImageGridKind(const ImageGridOptions& options)
      : options_(options), columns_(listed(options.columns)) {}

  std::vector<InputDecl> inputs() const override {
    std::vector<InputDecl> inputs;
    for (size_t i = 0; i < columns_.size(); ++i) {
      inputs.push_back({.name = input_name(i),
                        .help = "images of a column",
                        .type = ArtifactType::kDataset,
                        .by_default = row_reference(columns_[i]),
                        .rows = options_.items});
    }
    return inputs;
  }

  FigureNeeds needs() const override {
    FigureNeeds needs;
    for (size_t i = 0; i < columns_.size(); ++i) needs.pictures.push_back(input_name(i));
    return needs;
  }

  Figure draw(const FigureData& data) const override {
    std::vector<ImageLine> lines;
    std::vector<std::string> labels;
    std::vector<MissingPart> missing;
    for (const FigureRow* row : data.rows()) {
      labels.push_back(row->label);
      for (size_t i = 0; i < columns_.size(); ++i) {
        ImageLine line{row->label, columns_[i].text(), {}, row->reason};
        const auto pictures = row->pictures.find(input_name(i));
        if (pictures != row->pictures.end()) line.pictures = pictures->second;
        if (!line.reason.empty()) missing.push_back({row->label + ", " + line.column, line.reason});
        lines.push_back(std::move(line));
      }
    }
    const std::string description = "Images of " + join(labels) + ": the first " +
                                    std::to_string(options_.items) + " of each, not selected";
    const SvgPart part = image_grid_part(data.title, description, lines);
    return {.title = data.title,
            .note = "The first images of each, not selected.",
            .file = data.file,
            .svg = svg_file(data.title, description, {part}, 1),
            .csv = image_grid_csv(lines),
            .html = svg_in_page(part),
            .missing = std::move(missing)};
  }

 private:
  static std::string input_name(size_t column) { return "column_" + std::to_string(column + 1); }

  ImageGridOptions options_;
  std::vector<Node> columns_;
};

}  // namespace

void register_image_grid(Registries& registries) {
  add_figure<ImageGridKind, ImageGridOptions>(registries, "image_grid",
                                              "Images of data sets and of rows, side by side", {});
}

}  // namespace lvtext
